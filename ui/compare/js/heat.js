// Heat: tokens per grapheme. A token is shared out evenly over the graphemes that it touches, so heat adds up to the number of tokens:
// in a token over four graphemes each has 1/4, a grapheme that is cut into three tokens has 3.

export const HEAT_STEPS = [1 / 4, 1 / 2, 1, 2]; // up to and including; a last step is what is over

/** The heat of one grapheme of each piece; `pieces` hold all of their tokens, from number `base` on. */
export function heatOf(pieces, base = 0) {
  const touched = [];
  for (const { first, last, graphemes } of pieces) for (let k = first; k <= last; k++) touched[k - base] = (touched[k - base] ?? 0) + graphemes;
  return pieces.map(({ first, last }) => {
    let heat = 0;
    for (let k = first; k <= last; k++) heat += 1 / Math.max(1, touched[k - base]);
    return heat;
  });
}

/** Which of the five steps a heat is on. */
export function heatStep(heat) {
  const step = HEAT_STEPS.findIndex((most) => heat <= most + 1e-9);
  return step < 0 ? HEAT_STEPS.length : step;
}
