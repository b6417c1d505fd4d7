// Stretches of bytes: which tokens of a document they meet. Offsets are bytes of the whole text.
import { firstWhere } from '../dom/binary-search.js';

/** Where the token k of a chunk begins and ends. */
export function bytesOf({ chunk, k }) {
  return { from: chunk.byteOffset + chunk.starts[k], to: chunk.byteOffset + chunk.ends[k] };
}

/** The tokens that overlap the bytes from..to, chunk by chunk: { chunk, from, to } where from..to are numbers of
 *  tokens; at most `most` tokens. */
export function overlapping(doc, from, to, most = Infinity) {
  const spans = [];
  for (
    let i = chunkAt(doc.chunks, from), left = most;
    left > 0 && i < doc.chunks.length && doc.chunks[i].byteOffset < to;
    i++
  ) {
    const chunk = doc.chunks[i];
    if (!chunk.ids) continue;
    const first = firstAfter(chunk.ends, from - chunk.byteOffset);
    let end = first;
    while (end < chunk.ids.length && end - first < left && chunk.byteOffset + chunk.starts[end] < to) end++;
    if (end > first) spans.push({ chunk, from: first, to: end });
    left -= end - first;
  }
  return spans;
}

/** The token that holds a byte, or the next one after a gap, as { chunk, k }; null where there is none. */
export function tokenAtByte(doc, byte) {
  const [span] = overlapping(doc, byte, Infinity, 1);
  return span ? { chunk: span.chunk, k: span.from } : null;
}

/** How many of the ascending numbers are not above x: the place of the first that is. */
export const firstAfter = (numbers, x) => firstWhere(numbers.length, (i) => numbers[i] > x);

const chunkAt = (chunks, byte) => Math.max(0, firstWhere(chunks.length, (i) => chunks[i].byteOffset > byte) - 1);
