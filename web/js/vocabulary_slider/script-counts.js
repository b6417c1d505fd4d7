// How many tokens of a text begin in each script after any number of merges.
import { firstWhere } from '../dom/binary-search.js';
import { NEVER } from '../recut/closings.js';
import { utf8Length } from '../editor/text.js';
import { SCRIPTS } from '../tokens/utf8-characters.js';

const MAX_SCRIPTS = 5; // lines of the curve, besides that of the other characters
export const OTHER = ''; // digits, punctuation, symbols, emoji, and letters of further scripts

const IS_MARK = /^[\p{M}\u200c\u200d]$/u, IS_LETTER = /^[\p{L}\p{M}]$/u;
const scripts = new Map(); // character -> its script

function scriptOf(character) {
  if (!scripts.has(character)) {
    const found = IS_LETTER.test(character) && SCRIPTS.find(([, has]) => has.test(character));
    scripts.set(character, found ? found[0] : OTHER);
  }
  return scripts.get(character);
}

/** Returns the script of each character: a space has that of the letter after it, a mark without one that of the
 *  character before it. */
export function scriptsOf(characters) {
  const found = characters.map(scriptOf);
  characters.forEach((character, i) => {
    if (character === ' ' && i + 1 < found.length) found[i] = found[i + 1];
    else if (!found[i] && i && IS_MARK.test(character)) found[i] = found[i - 1];
  });
  return found;
}

/** Returns the scripts of a text, those with the most bytes first and the others last: { name, numBytes, closings }.
 *  The number of tokens that begin in one after n merges is that of its `closings` from n on, which are sorted.
 *  @param {Uint32Array} closings  the merge that closes the gap after each byte */
export function countScripts(text, closings) {
  const characters = Array.from(text), rows = new Map();
  let byte = 0;
  scriptsOf(characters).forEach((name, i) => {
    const end = byte + utf8Length(characters[i]);
    if (!rows.has(name)) rows.set(name, []);
    for (; byte < end; byte++) rows.get(name).push(byte ? closings[byte - 1] : NEVER);
  });
  const letters = [...rows.keys()].filter((name) => name !== OTHER);
  letters.sort((one, other) => rows.get(other).length - rows.get(one).length);
  const rest = [...letters.splice(MAX_SCRIPTS), OTHER].flatMap((name) => rows.get(name) ?? []);
  const found = letters.map((name) => [name, rows.get(name)]);
  if (rest.length) found.push([OTHER, rest]);
  return found.map(([name, row]) => ({ name, numBytes: row.length, closings: Uint32Array.from(row).sort() }));
}

/** Returns the number of tokens that begin in a script after n merges. */
export const countTokens = ({ closings }, n) =>
  closings.length - firstWhere(closings.length, (i) => closings[i] >= n);
