// Palette colors of tokens: neighbours always differ, and tokens outside an edit keep their color.

import { commonAffixes } from './common-affixes.js';

export const COLORS = 7;

/** Returns { colors, kept: [front, back] } for `ids`, which replace `old` ({ ids, colors }) between neighbours
 *  with the colors `left` and `right` (-1: none); `kept` counts the unchanged tokens at either end. */
export function recolor(ids, old, left, right) {
  const colors = new Uint8Array(ids.length);
  const { front, back } = commonAffixes(old.ids.length, ids.length, (i, j) => old.ids[i] === ids[j]);
  colors.set(old.colors.subarray(0, front));
  colors.set(old.colors.subarray(old.ids.length - back), ids.length - back);
  let previous = front ? colors[front - 1] : left;
  for (let k = front; k < ids.length - back; k++) previous = colors[k] = (previous + 1) % COLORS;
  separateAt(colors, ids.length - back, left, right);
  separateAt(colors, ids.length, left, right);
  if (colors.length && colors[0] === left) colors[0] = otherColor(left, colors.length > 1 ? colors[1] : right);
  return { colors, kept: [front, back] };
}

// Makes the tokens on both sides of `at` differ, by changing only the one before it.
function separateAt(colors, at, left, right) {
  const next = at < colors.length ? colors[at] : right;
  if (at > 0 && colors[at - 1] === next) colors[at - 1] = otherColor(next, at > 1 ? colors[at - 2] : left);
}

function otherColor(a, b) {
  let color = 0;
  while (color === a || color === b) color++;
  return color;
}
