// Marks on painted tokens: notches at disagreements, and heat.
import { RIGHT_TO_LEFT } from '../../js/tokens/paint.js';

/** Marks the tokens of a painted part that begin at a disputed boundary; `disputed` is that of Boundaries. */
export function markDisputed(part, disputed) {
  const odd = disputed.get(part.chunk), rtl = part.chunk.hasRtl ? directions(part.pieces) : [];
  if (!odd) return;
  let previous = -1;
  part.pieces.forEach((piece, i) => {
    const begins = piece.first !== previous, bands = []; // else the piece continues a token
    previous = piece.last;
    for (let k = piece.first; k <= piece.last; k++)
      if (odd[k] && (k > piece.first || begins)) bands.push(k - piece.first);
    notch(part.node.children[i], piece, bands, rtl[i]);
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

// A piece without a direction of its own takes that of the letters on both sides; if these differ, that of the line's
// first letter.
function directionsOfLine(texts) {
  const own = texts.map(isRtl), line = own.find((one) => one !== null) ?? false;
  const before = fillForward(own, line), after = fillForward(own.reverse(), line).reverse();
  return texts.map((text, i) => (NUMBER.test(text) ? false : before[i] === after[i] ? before[i] : line));
}

function fillForward(values, first) {
  let last = first;
  return values.map((value) => (last = value ?? last));
}

const NUMBER = /^\P{L}*\p{N}\P{L}*$/u; // numbers run left to right in every script
const isRtl = (text) => (RIGHT_TO_LEFT.test(text) ? true : /\p{L}/u.test(text) ? false : null);

const drawn = new WeakMap(); // the mark of each element: a key changes few, and a gradient takes long to set

function notch(element, piece, bands, rtl) {
  const n = piece.last - piece.first + 1, isOdd = bands.length > 0, mark = isOdd ? `${n} ${Boolean(rtl)} ${bands}` : '';
  if ((drawn.get(element) ?? '') === mark) return;
  drawn.set(element, mark);
  element.classList.toggle('odd', isOdd);
  element.classList.toggle('from-right', isOdd && Boolean(rtl));
  if (isOdd && n > 1) element.style.setProperty('--odd', flags(bands, n, 'leftward' in element.dataset));
}

// Draws a flag at the start of each marked band, narrow enough to stand apart from the next.
function flags(bands, n, isRtl) {
  const stops = bands.map((band) => {
    const at = `${(100 * band) / n}%`, end = `calc(${at} + min(5px, ${60 / n}%))`;
    return `transparent ${at}, var(--ink) ${at} ${end}, transparent ${end}`;
  });
  return `linear-gradient(to ${isRtl ? 'left' : 'right'}, ${stops.join(',')})`;
}

// Heat is tokens per grapheme. A token counts in equal shares for the graphemes it touches, so heat sums to the number
// of tokens: four graphemes of one token have 1/4 each, a grapheme of three tokens has 3.

const HEAT_STEPS = [1 / 4, 1 / 2, 1, 2, Infinity]; // upper bounds, inclusive

export const heatStep = (heat) => HEAT_STEPS.findIndex((most) => heat <= most + 1e-9);

/** Returns the heat of one grapheme of each piece; `pieces` contain all of their tokens, from number `base` on. */
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

export function markHeat({ pieces, from, node }) {
  heatOf(pieces, from).forEach((heat, i) => {
    const own = heatStep(heat);
    HEAT_STEPS.forEach((_, step) => node.children[i].classList.toggle(`h${step}`, step === own));
  });
}
