// What is put on painted tokens: the notch where not all encodings cut, and the step of heat.
import { RIGHT_TO_LEFT } from '../../kit/js/paint.js';
import { heatOf, heatStep } from './heat.js';

/** Marks the tokens of a painted part that begin where not all cut, as `odds` has it for its chunk; what is marked rightly is left alone. */
export function markOdd(part, odds) {
  const odd = odds.get(part.chunk), before = part.marked;
  if (!odd) return;
  part.marked = odd.slice(part.from, part.to);
  const runsLeft = part.chunk.leftward ? directions(part.pieces) : [];
  let previous = -1;
  part.pieces.forEach((piece, i) => {
    const element = part.node.children[i], begins = piece.first !== previous; // else this piece goes on with a token that began before
    previous = piece.last;
    if (!before || !isAsBefore(piece, part, before)) {
      const bands = [];
      for (let k = piece.first; k <= piece.last; k++) if (odd[k] && (k > piece.first || begins)) bands.push(k - piece.first);
      notch(element, piece, bands);
    }
    element.classList.toggle('from-right', Boolean(runsLeft[i]) && element.classList.contains('odd')); // what is behind it may have changed that
  });
}

/** The marks on the elements of a part that keeps those of an older one at its front and back; what is new has none. */
export function marksKept({ from, to, pieces, front, back }, old) {
  const marks = new Uint8Array(to - from), before = front ? pieces[front - 1].last + 1 - from : 0;
  const after = back ? to - pieces[pieces.length - back].first : 0;
  marks.set(old.subarray(0, before));
  marks.set(old.subarray(old.length - after), marks.length - after);
  return marks;
}

function isAsBefore({ first, last }, { from, marked }, before) {
  for (let k = first; k <= last; k++) if (marked[k - from] !== before[k - from]) return false;
  return true;
}

/** Whether each piece runs from right to left, and so begins at its right. */
export function directions(pieces) {
  const runs = [];
  for (let from = 0, to; from < pieces.length; from = to) {
    for (to = from; to < pieces.length && !pieces[to++].text.includes('\n'););
    runs.push(...directionsOfLine(pieces.slice(from, to).map(({ text }) => text)));
  }
  return runs;
}

// What has no direction of its own runs as the letters on its both sides do; where these differ, as the first letter of the line.
function directionsOfLine(texts) {
  const own = texts.map(isLeftward), line = own.find((one) => one !== null) ?? false;
  const before = carriedOn(own, line), after = carriedOn(own.reverse(), line).reverse();
  return texts.map((text, i) => (NUMBER.test(text) ? false : before[i] === after[i] ? before[i] : line));
}

function carriedOn(values, first) {
  let last = first;
  return values.map((value) => (last = value ?? last));
}

const NUMBER = /^\P{L}*\p{N}\P{L}*$/u; // runs to the right everywhere
const isLeftward = (text) => (RIGHT_TO_LEFT.test(text) ? true : /\p{L}/u.test(text) ? false : null);

function notch(element, piece, bands) {
  element.classList.toggle('odd', bands.length > 0);
  if (!bands.length) return;
  const n = piece.last - piece.first + 1;
  if (n > 1) element.style.setProperty('--odd', flags(bands, n, 'leftward' in element.dataset));
}

// A flag over each band that is marked, where it begins; narrow enough that the next one stands apart.
function flags(bands, n, leftward) {
  const stops = bands.map((band) => {
    const at = `${(100 * band) / n}%`, end = `calc(${at} + min(5px, ${60 / n}%))`;
    return `transparent ${at}, var(--ink) ${at} ${end}, transparent ${end}`;
  });
  return `linear-gradient(to ${leftward ? 'left' : 'right'}, ${stops.join(',')})`;
}

/** Gives the pieces of a painted part their step of heat; those that it keeps from an older one may have theirs. */
export function markHeat(part, keptAreHot = false) {
  if (part.isHot) return;
  part.isHot = true;
  const [front, end] = keptAreHot ? [part.front, part.pieces.length - part.back] : [0, part.pieces.length];
  heatOf(part.pieces, part.from).forEach((heat, i) => { if (i >= front && i < end) part.node.children[i].classList.add(`h${heatStep(heat)}`); });
}
