// Palette colors of tokens by their start, the same at every step, so that no color changes while scrubbing.
import { COLORS } from '../tokens/colors.js';
import { NEVER } from './closings.js';

/** Returns a color per base unit, given the merge that closes the gap after each. Adjacent tokens differ at every
 *  step: of two such starts, the one that vanishes first was colored after the other, and over all steps a start
 *  has only two neighbours that outlive it. */
export function stableColors(closings) {
  // the merge after which no token starts at unit i
  const n = closings.length, endOf = (i) => (i ? closings[i - 1] : NEVER);
  const before = nearestOutliving(n, endOf, 1), after = nearestOutliving(n, endOf, -1);
  const order = Uint32Array.from({ length: n }, (_, i) => i).sort((a, b) => endOf(b) - endOf(a) || a - b);
  const colors = new Uint8Array(n).fill(COLORS);
  for (const i of order) {
    const left = before[i] < 0 ? COLORS - 1 : colors[before[i]], right = after[i] < 0 ? COLORS : colors[after[i]];
    colors[i] = (left + 1) % COLORS === right ? (left + 2) % COLORS : (left + 1) % COLORS;
  }
  return colors;
}

// For each start, the nearest one in a direction that lasts at least as long; -1 if there is none.
function nearestOutliving(n, endOf, direction) {
  const found = new Int32Array(n).fill(-1), open = [];
  for (let k = 0; k < n; k++) {
    const i = direction > 0 ? k : n - 1 - k;
    while (open.length && endOf(open[open.length - 1]) < endOf(i)) open.pop();
    if (open.length) found[i] = open[open.length - 1];
    open.push(i);
  }
  return found;
}
