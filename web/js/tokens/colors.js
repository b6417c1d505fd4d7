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

/** Returns colors for tokens that replace `old` ones of the same text ({ starts, ends, colors }) between neighbours
 *  with the colors `left` and `right`: each token has the color of its first byte if its neighbours allow it, as those
 *  of a token that stays do. */
export function recolorCut({ starts, ends }, old, left, right) {
  const numbers = new Map(Array.from(old.starts, (start, i) => [start, i]));
  const keptColor = (k) => {
    const i = numbers.get(starts[k]);
    return i !== undefined && old.ends[i] === ends[k] ? old.colors[i] : -1;
  };
  const colors = new Uint8Array(starts.length);
  for (let k = 0, i = 0, previous = left; k < starts.length; previous = colors[k++]) {
    while (i + 1 < old.ends.length && old.ends[i] <= starts[k]) i++;
    const wanted = old.colors[i] ?? 0, next = k + 1 < starts.length ? keptColor(k + 1) : right;
    colors[k] = wanted !== previous && wanted !== next ? wanted : nextColor(previous, next);
  }
  return colors;
}

function nextColor(previous, next) {
  const color = (previous + 1) % COLORS;
  return color === next ? (color + 1) % COLORS : color;
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
