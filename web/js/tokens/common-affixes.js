// Common prefix and suffix of two sequences: an edit leaves most items unchanged.

/** Returns the length of the common prefix, and of the common suffix of the rest, of sequences with `was` and
 *  `now` items; `isSame(i, j)` compares two. */
export function commonAffixes(was, now, isSame) {
  const most = Math.min(was, now);
  let front = 0, back = 0;
  while (front < most && isSame(front, front)) front++;
  while (back < most - front && isSame(was - 1 - back, now - 1 - back)) back++;
  return { front, back };
}
