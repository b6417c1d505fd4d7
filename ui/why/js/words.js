// What is said of a piece and of a merge. Texts come in as text nodes only, never as markup.
import { nameOfBytes } from '../../kit/js/box.js';
import { make } from '../../kit/js/dom.js';
import { nameOf, RIGHT_TO_LEFT } from '../../kit/js/paint.js';
import { counted, grouped } from '../../kit/js/readout.js';

const SPACES = /[\p{Z}\p{Cc}]|[^\p{Z}\p{Cc}]+/gu, ALONE = /^[\p{Z}\p{Cc}\p{Cf}]+$/u, MARK_FIRST = /^\p{M}/u, FIRST_LETTER = /\p{L}/u;
const MOST_IN_FULL = 4;    // final tokens with the reason between them in words
const MOST_OUTCOME = 80;   // final tokens that are listed
const MOST_RIVALS = 5;
const END_WORDS = { wall: 'wall: the pattern splits here', end: 'end of the text', cut: 'end of the part shown' };

/** The direction of a text: that of its first letter. */
export function directionOf(text) {
  return RIGHT_TO_LEFT.test(text.match(FIRST_LETTER)?.[0] ?? '') ? 'rtl' : 'ltr';
}

/** Fills an element with a text; white space has marks, a combining mark that comes first a circle, and what has no shape
 *  at all its name. None of these is text. A joiner within an emoji has its shape there. */
export function fillText(element, text) {
  element.classList.toggle('bare-mark', MARK_FIRST.test(text));
  element.replaceChildren(...Array.from(ALONE.test(text) ? text : text.match(SPACES) ?? [], (run) => {
    if (!ALONE.test(run)) return document.createTextNode(run);
    const sign = make('i', 'sign', run);
    sign.dataset.m = nameOf(run);
    return sign;
  }));
  return element;
}

/** The characters of a piece, each with its code point and its category. */
export function characterList({ text, characters }) {
  const list = make('ul', 'characters', ...characters.map(([character, point, name, category, kind]) => {
    const item = make('li', '', fillText(make('b', 'glyph-of'), character), make('small', '', point), make('small', 'category', category));
    return Object.assign(item, { title: `${point} ${name}, category ${category}: ${kind}` });
  })), left = Array.from(text).length - characters.length;
  Object.assign(list, { dir: directionOf(text), tabIndex: 0, ariaLabel: 'Characters' }); // the keyboard scrolls it
  if (left > 0) list.append(make('li', 'more', `and ${grouped(left)} more`));
  return list;
}

/** Rows of [name, element or text] about how the pattern came to this piece. */
export function matchRows({ pattern, isCut, isChanged, alternative, numAlternatives, source, words, isUnmatched }) {
  const rows = [['Normal form', isChanged ? 'by steps of its own, which the page Tokenizers shows' : 'none: the text is read as it is']];
  if (!isCut) return [...rows, ['Matched by', 'no split pattern']];
  const matched = make('span');
  if (alternative) matched.append(`alternative ${alternative} of ${numAlternatives} in ${pattern}: `, make('code', '', source), words ? `, ${words}` : '');
  else matched.append(isUnmatched ? `no alternative of ${pattern}: what it does not match is a piece, too` : `${pattern}; which of its ${grouped(numAlternatives)} alternatives is not known`);
  return [...rows, ['Matched by', matched]];
}

/** The final tokens in a line, and what is between them and at their ends. */
export function outcomeList(merges, [left, right]) {
  const list = make('ol', 'outcome'), isShort = merges.tokens.length <= MOST_IN_FULL;
  list.append(make('li', left === 'wall' ? 'end' : 'end open', left === 'wall' ? END_WORDS.wall : END_WORDS[left].replace('end', 'start')));
  let at = 0;
  merges.tokens.slice(0, MOST_OUTCOME).forEach(([id, length], i) => {
    if (i) list.append(between(merges.others.has(i - 1), isShort));
    const text = Object.assign(make('span', 'box', nameOfBytes(merges.bytes.subarray(at, at += length))), { dir: 'auto' });
    list.append(make('li', 'token', text, make('small', '', `id ${id}`)));
  });
  if (merges.tokens.length > MOST_OUTCOME) list.append(make('li', 'more', `and ${grouped(merges.tokens.length - MOST_OUTCOME)} more tokens`));
  list.append(make('li', right === 'wall' ? 'end' : 'end open', END_WORDS[right]));
  return list;
}

function between(isOther, isShort) {
  const words = isOther ? 'no rule joins these: their bytes together are a token, but one made of other parts' : 'no rule joins these';
  return Object.assign(make('li', isShort ? 'between' : 'between short', isShort ? `✕ ${words}` : '✕'), { title: words, ariaLabel: words });
}

/** What a state is, in a sentence, and what could be joined there. */
export function stateWords(merges, state) {
  const { numSteps, numUnits, unit } = merges;
  if (merges.whole) return { head: 'Taken whole', says: 'The vocabulary has these bytes as one token, and tiktoken uses it before merging anything, though no merges lead there.', rivals: [] };
  const head = state ? `Merge ${grouped(state)} of ${grouped(numSteps)}` : numSteps ? `Before the first of ${counted(numSteps, 'merge')}` : 'No merges';
  const says = state ? joined(merges, state - 1) : `${counted(numUnits, unit)}, ${numUnits === 1 ? 'a part' : 'each a part'} of its own.`;
  if (state === numSteps) return { head, says: `${says} No rule joins any two of what is left: ${counted(merges.tokens.length, 'token')}.`.replace('any two of what is left: 1 token', 'it with anything: 1 token'), rivals: [] };
  if (!merges.gaps) return { head, says: `${says} What else could merge is not listed for a pre-token of more than 12,000 parts.`, rivals: [] };
  const rivals = merges.candidates(state), isTied = rivals[1]?.rank === rivals[0].rank;
  return { head, says: `${says} Next is the lowest rank${isTied ? ', the leftmost of equals' : ''}:`, rivals };
}

function joined(merges, step) {
  const [from, middle, to] = merges.made[step], name = (a, b) => nameOfBytes(merges.bytesOf(a, b));
  return `${name(from, middle)} + ${name(middle, to)} became ${name(from, to)}: id ${merges.ranks[step]}, which is also its rank.`;
}

/** The candidates of a state, the winner first and the rest in grey. */
export function rivalList(merges, state, candidates) {
  const list = make('ol', 'rivals'), parts = new Map(merges.parts(state).map((part) => [part.to, part]));
  for (const [i, { at, rank }] of candidates.slice(0, MOST_RIVALS + 1).entries()) {
    const [right] = merges.parts(state, at, at + 1), halves = [[parts.get(at).from, at], [at, right.to]].map(([from, to]) => nameOfBytes(merges.bytesOf(from, to)));
    list.append(make('li', i ? 'rival' : 'winner', make('bdi', '', halves.join(' + ')), make('small', '', `rank ${rank}`)));
  }
  const left = candidates.length - MOST_RIVALS - 1;
  if (left > 0) list.append(make('li', 'more', `and ${grouped(left)} more that could merge`));
  return list;
}
