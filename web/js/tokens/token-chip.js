// A token as a small chip: its text, or its bytes in hex where they are a part of a character.
import { make } from '../dom/elements.js';
import { concat } from '../net/wire-format.js';
import { incompleteName, characterAt, characterParts } from './utf8-characters.js';
import { hex } from './paint.js';
import { visibleText } from './readout.js';

const MAX_SHOWN_CHARACTERS = 24; // a byte in hex counts as two
const MAX_READ_BYTES = 200;

/** Splits bytes into runs of whole characters and of other bytes: [{ text }, { bytes }, …]. */
export function runsOf(bytes) {
  const runs = [];
  for (const { text, from } of characterParts(bytes)) {
    const last = runs.at(-1);
    if (text !== null && last && 'text' in last) last.text += text;
    else if (text !== null) runs.push({ text });
    else if (last && 'bytes' in last) last.bytes.push(bytes[from]);
    else runs.push({ bytes: [bytes[from]] });
  }
  return runs;
}

// Returns the runs as [isBytes, words], shortened with an ellipsis.
function shownRuns(bytes, isCut = false) {
  const out = [];
  let room = MAX_SHOWN_CHARACTERS;
  for (const run of runsOf(bytes)) {
    const all = 'text' in run ? Array.from(run.text) : run.bytes;
    const each = 'text' in run ? 1 : 2;
    const some = all.slice(0, Math.floor(room / each));
    room -= each * some.length;
    isCut ||= some.length < all.length;
    if (some.length) out.push('text' in run ? [false, visibleText(some.join(''))] : [true, hex(some)]);
  }
  return isCut ? [...out, [false, '…']] : out;
}

const runsOfSymbol = (history, symbol) =>
  shownRuns(history.bytesOf(symbol, MAX_READ_BYTES), history.lengths[symbol] > MAX_READ_BYTES);

/** Returns the text of bytes in one line, and of a symbol. */
export const nameOfBytes = (bytes) => shownRuns(bytes).map(([, words]) => words).join(' ');
export const nameOfSymbol = (history, symbol) => runsOfSymbol(history, symbol).map(([, words]) => words).join(' ');

export function pairInWords(history, pair) {
  const names = halvesOf(history, pair)?.map(({ text, partLabel }) => `${text} ${partLabel}`.trim());
  return (names ?? [pair.left, pair.right].map((symbol) => nameOfSymbol(history, symbol))).join(' + ');
}

// Returns the halves of a pair as parts of the characters they form together, [{ text, partLabel }, …]; null if
// neither half is a part of a character.
function halvesOf(history, { left, right }) {
  const cut = history.lengths[left], size = cut + history.lengths[right];
  if (size > MAX_READ_BYTES) return null;
  const characters = characterParts(concat([history.bytesOf(left), history.bytesOf(right)], Uint8Array));
  const halves = [characterAt(characters, 0, cut, true), characterAt(characters, cut, size, true)];
  return characters.some(({ text }) => text === null) || halves.every(({ partLabel }) => !partLabel) ? null : halves;
}

export function tokenChip(history, symbol, kind = '', isShort = false) {
  const runs = runsOfSymbol(history, symbol).map(([isBytes, words]) => make('span', isBytes ? 'bytes' : '', words));
  const bytes = history.bytesOf(symbol, MAX_READ_BYTES), part = incompleteName(bytes, isShort);
  if (part) runs.push(make('small', 'part-of', part));
  return Object.assign(make('span', `box ${kind}`, ...runs), { dir: 'auto' });
}

// Draws a half of a pair: the character it is a part of, and which part.
function halfChip({ text, partLabel }, bytes) {
  const box = make('span', partLabel ? 'box some' : 'box', make('span', '', visibleText(text)));
  if (partLabel) box.append(make('small', 'part-of', partLabel));
  return Object.assign(box, { dir: 'auto', title: hex(bytes) });
}

/** Returns the two halves of a pair with a plus between them. */
export function pairChips(history, pair) {
  const halves = halvesOf(history, pair)?.map((half, i) =>
    halfChip(half, history.bytesOf([pair.left, pair.right][i], MAX_READ_BYTES)),
  );
  const [left, right] = halves ?? [tokenChip(history, pair.left, '', true), tokenChip(history, pair.right, '', true)];
  return make('span', 'pair', left, make('span', 'sign', '+'), right);
}
