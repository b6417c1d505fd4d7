// Stretches of bytes: which tokens of a document they meet. Offsets are bytes of the whole text.

/** Where the token k of a chunk begins and ends. */
export function bytesOf({ chunk, k }) {
  return { from: chunk.byteOffset + chunk.starts[k], to: chunk.byteOffset + chunk.ends[k] };
}

/** The tokens that overlap the bytes from..to, chunk by chunk: { chunk, from, to } where from..to are numbers of tokens; at most `most` tokens. */
export function overlapping(doc, from, to, most = Infinity) {
  const spans = [];
  for (let i = chunkAt(doc.chunks, from), left = most; left > 0 && i < doc.chunks.length && doc.chunks[i].byteOffset < to; i++) {
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
export function firstAfter(numbers, x) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] > x) high = middle; else low = middle + 1;
  }
  return low;
}

function chunkAt(chunks, byte) {
  let low = 0, high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (chunks[middle].byteOffset <= byte) low = middle; else high = middle - 1;
  }
  return Math.max(0, low);
}
