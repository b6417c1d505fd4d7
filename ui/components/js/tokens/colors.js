// Which palette colour each token has. Neighbours always differ; tokens that an edit leaves alone keep theirs.

import { sameEnds } from './common-affixes.js';

export const COLORS = 7;

/** Colours for `ids`, that replace `old` ({ ids, colors }) between neighbours coloured `left` and `right` (-1:
 *  none). Returns { colors, kept: [front, back] }: how many tokens at either end are the same as before. */
export function recolor(ids, old, left, right) {
  const colors = new Uint8Array(ids.length);
  const { front, back } = sameEnds(old.ids.length, ids.length, (i, j) => old.ids[i] === ids[j]);
  colors.set(old.colors.subarray(0, front));
  colors.set(old.colors.subarray(old.ids.length - back), ids.length - back);
  let previous = front ? colors[front - 1] : left;
  for (let k = front; k < ids.length - back; k++) previous = colors[k] = (previous + 1) % COLORS;
  mendSeam(colors, ids.length - back, left, right);
  mendSeam(colors, ids.length, left, right);
  if (colors.length && colors[0] === left) colors[0] = unlike(left, colors.length > 1 ? colors[1] : right);
  return { colors, kept: [front, back] };
}

// The tokens on both sides of `at` must differ: change the one before it, and only that one.
function mendSeam(colors, at, left, right) {
  const next = at < colors.length ? colors[at] : right;
  if (at > 0 && colors[at - 1] === next) colors[at - 1] = unlike(next, at > 1 ? colors[at - 2] : left);
}

function unlike(a, b) {
  let color = 0;
  while (color === a || color === b) color++;
  return color;
}
