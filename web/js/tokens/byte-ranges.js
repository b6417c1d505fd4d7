// Byte ranges of a document and the tokens that overlap them. Offsets are bytes of the whole text.
import { firstWhere } from '../dom/binary-search.js';

export function byteRange({ chunk, k }) {
  return { from: chunk.byteOffset + chunk.starts[k], to: chunk.byteOffset + chunk.ends[k] };
}

/** Returns the tokens that overlap the bytes from..to, per chunk: { chunk, from, to } with token numbers; at most
 *  `most` tokens. */
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

/** Returns the token that contains a byte, or the next one after a gap, as { chunk, k }; null if there is none. */
export function tokenAtByte(doc, byte) {
  const [span] = overlapping(doc, byte, Infinity, 1);
  return span ? { chunk: span.chunk, k: span.from } : null;
}

/** Returns how many of the ascending numbers are <= x. */
export const firstAfter = (numbers, x) => firstWhere(numbers.length, (i) => numbers[i] > x);

const chunkAt = (chunks, byte) => Math.max(0, firstWhere(chunks.length, (i) => chunks[i].byteOffset > byte) - 1);
