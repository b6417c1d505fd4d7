// Looking for a place in what is in order.

/** The smallest i for which `holds(i)` is true, as it is for all after it; `n` where it is for none below. */
export function firstWhere(n, holds) {
  let low = 0, high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle; else low = middle + 1;
  }
  return low;
}
