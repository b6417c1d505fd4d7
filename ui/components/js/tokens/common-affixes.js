// What two rows have in common at their ends: an edit leaves most of them as they are.

/** How many of `was` and `now` things are the same from the front on, and of the others from the back on; `isSame(i,
 *  j)` compares two. */
export function sameEnds(was, now, isSame) {
  const most = Math.min(was, now);
  let front = 0, back = 0;
  while (front < most && isSame(front, front)) front++;
  while (back < most - front && isSame(was - 1 - back, now - 1 - back)) back++;
  return { front, back };
}
