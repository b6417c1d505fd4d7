// What goes over the wire, little-endian 32-bit numbers throughout.
// A question: how many texts, the byte length of each, then their UTF-8. An answer: how many rows of numbers, the length of each, then the rows.

/** The body that asks about these chunks. */
export function question(chunks) {
  const head = 4 + 4 * chunks.length, body = new Uint8Array(chunks.reduce((n, chunk) => n + chunk.bytes.length, head)), view = new DataView(body.buffer);
  view.setUint32(0, chunks.length, true);
  let at = head;
  chunks.forEach((chunk, i) => {
    view.setUint32(4 + 4 * i, chunk.bytes.length, true);
    body.set(chunk.bytes, at);
    at += chunk.bytes.length;
  });
  return body;
}

/** The rows of an answer, each a Uint32Array. */
export function rows(buffer) {
  const numRows = new DataView(buffer).getUint32(0, true), lengths = new Uint32Array(buffer, 4, numRows);
  let at = 4 + 4 * numRows;
  return Array.from(lengths, (n) => {
    const row = new Uint32Array(buffer, at, n);
    at += 4 * n;
    return row;
  });
}

/** `row` shared out: counts[i] numbers to the i-th. */
export function share(row, counts) {
  let at = 0;
  return Array.from(counts, (n) => row.subarray(at, (at += n)));
}
