// What is put on painted tokens: the notch where not all encodings cut, and the step of heat.
import { RIGHT_TO_LEFT } from '../../editor/js/paint.js';
import { heatOf, heatStep } from './heat.js';

/** Marks the tokens of a painted part that begin where not all cut, as `odd` of its chunk says; what is marked rightly is left alone. */
export function markOdd(part) {
  const { odd } = part.chunk, before = part.marked;
  if (!odd) return;
  part.marked = odd.slice(part.from, part.to);
  const runsLeft = part.chunk.leftward ? directions(part.pieces) : [];
  let previous = -1;
  part.pieces.forEach((piece, i) => {
    const begins = piece.first !== previous; // else this piece goes on with a token that began before
    previous = piece.last;
    if (before && isAsBefore(piece, part, before)) return;
    const bands = [];
    for (let k = piece.first; k <= piece.last; k++) if (odd[k] && (k > piece.first || begins)) bands.push(k - piece.first);
    notch(part.node.children[i], piece, bands, runsLeft[i]);
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

// Whether each piece runs from right to left, and so begins at its right. What has no direction of its own runs as what is before it.
function directions(pieces) {
  let isLeft = false;
  return pieces.map(({ text }) => {
    if (RIGHT_TO_LEFT.test(text)) isLeft = true; else if (/\p{L}/u.test(text)) isLeft = false;
    const runs = isLeft && !/^\P{L}*\p{N}\P{L}*$/u.test(text); // numbers run to the right everywhere
    if (text.includes('\n')) isLeft = false;
    return runs;
  });
}

function notch(element, piece, bands, runsLeft) {
  element.classList.toggle('odd', bands.length > 0);
  if (!bands.length) return;
  const n = piece.last - piece.first + 1;
  element.classList.toggle('from-right', Boolean(runsLeft));
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
