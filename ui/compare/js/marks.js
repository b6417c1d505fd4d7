// What is put on painted tokens: the notch where not all encodings cut, and the step of heat.
import { RIGHT_TO_LEFT } from '../../components/js/tokens/paint.js';

/** Marks the tokens of a painted part that begin where not all cut, as `odds` has it for its chunk. */
export function markOdd(part, odds) {
  const odd = odds.get(part.chunk), runsLeft = part.chunk.leftward ? directions(part.pieces) : [];
  if (!odd) return;
  let previous = -1;
  part.pieces.forEach((piece, i) => {
    const begins = piece.first !== previous, bands = []; // else this piece goes on with a token that began before
    previous = piece.last;
    for (let k = piece.first; k <= piece.last; k++)
      if (odd[k] && (k > piece.first || begins)) bands.push(k - piece.first);
    notch(part.node.children[i], piece, bands, runsLeft[i]);
  });
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

// What has no direction of its own runs as the letters on its both sides do; where these differ, as the first letter of
// the line.
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

function notch(element, piece, bands, runsLeft) {
  const n = piece.last - piece.first + 1, isOdd = bands.length > 0;
  element.classList.toggle('odd', isOdd);
  element.classList.toggle('from-right', isOdd && Boolean(runsLeft));
  if (isOdd && n > 1) element.style.setProperty('--odd', flags(bands, n, 'leftward' in element.dataset));
}

// A flag over each band that is marked, where it begins; narrow enough that the next one stands apart.
function flags(bands, n, leftward) {
  const stops = bands.map((band) => {
    const at = `${(100 * band) / n}%`, end = `calc(${at} + min(5px, ${60 / n}%))`;
    return `transparent ${at}, var(--ink) ${at} ${end}, transparent ${end}`;
  });
  return `linear-gradient(to ${leftward ? 'left' : 'right'}, ${stops.join(',')})`;
}

// Heat: tokens per grapheme. A token is shared out evenly over the graphemes that it touches, so heat adds up to the
// number of tokens: in a token over four graphemes each has 1/4, a grapheme that is cut into three tokens has 3.

export const HEAT_STEPS = [1 / 4, 1 / 2, 1, 2, Infinity]; // up to and including

/** Which of the five steps a heat is on. */
export const heatStep = (heat) => HEAT_STEPS.findIndex((most) => heat <= most + 1e-9);

/** The heat of one grapheme of each piece; `pieces` hold all of their tokens, from number `base` on. */
export function heatOf(pieces, base = 0) {
  const touched = [];
  for (const { first, last, graphemes } of pieces)
    for (let k = first; k <= last; k++) touched[k - base] = (touched[k - base] ?? 0) + graphemes;
  return pieces.map(({ first, last }) => {
    let heat = 0;
    for (let k = first; k <= last; k++) heat += 1 / Math.max(1, touched[k - base]);
    return heat;
  });
}

/** Gives the pieces of a painted part their step of heat. */
export function markHeat({ pieces, from, node }) {
  heatOf(pieces, from).forEach((heat, i) => {
    const own = heatStep(heat);
    HEAT_STEPS.forEach((_, step) => node.children[i].classList.toggle(`h${step}`, step === own));
  });
}
