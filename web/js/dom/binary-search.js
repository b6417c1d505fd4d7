// Binary search.

/** Returns the smallest i in 0..n for which `holds(i)` is true, or `n`; `holds` must be false up to some i, then
 *  true. */
export function firstWhere(n, holds) {
  let low = 0, high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle; else low = middle + 1;
  }
  return low;
}
