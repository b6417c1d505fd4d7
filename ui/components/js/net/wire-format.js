// What goes over the wire, little-endian 32-bit numbers throughout. A question: how many texts, the byte length of
// each, then their UTF-8. An answer: how many rows of numbers, the length of each, then the rows.

/** The body that asks about these chunks. */
export function question(chunks) {
  const head = Uint32Array.from([chunks.length, ...chunks.map(({ bytes }) => bytes.length)]);
  return joined([new Uint8Array(head.buffer), ...chunks.map(({ bytes }) => bytes)], Uint8Array);
}

/** The rows of an answer, each a Uint32Array. */
export function rows(buffer) {
  const [numRows] = new Uint32Array(buffer, 0, 1);
  return share(new Uint32Array(buffer, 4 + 4 * numRows), new Uint32Array(buffer, 4, numRows));
}

/** The first `n` rows: where numbers have more than 32 bits, their upper halves are as many rows after them. */
export function wholes(rows, n) {
  return rows.length === n
    ? rows
    : rows.slice(0, n).map((row, i) => Float64Array.from(row, (low, at) => low + 2 ** 32 * rows[n + i][at]));
}

/** @typedef {object} Answer  What is answered of one text that is to be tokenized.
 *  @property {Uint32Array} ids
 *  @property {Uint32Array} starts  bytes of the text where the tokens begin
 *  @property {Uint32Array} ends
 *  @property {Uint32Array | null} kinds  null where all are normal
 *  @property {number} otherCount  tokens if special tokens were read the other way; 0 where none is spelled
 *  @property {boolean} roundTrip  whether the tokens decode to the text */

/** What is answered of each text, and the ids of all: two rows are sent only where they tell something, the starts
 *  where there are gaps and the kinds where not all are normal.
 *  @returns {[Uint32Array, Answer[]]} */
export function tokenAnswers(buffer) {
  const [counts, others, holds, ids, lengths, starts, kinds] = rows(buffer);
  const each = [ids, lengths, starts, kinds].map((row) => (row.length ? share(row, counts) : null));
  return [ids, Array.from(counts, (_, i) => {
    const [own, sizes, from, kind] = each.map((shares) => shares?.[i] ?? null), ends = new Uint32Array(counts[i]);
    for (let k = 0; k < ends.length; k++) ends[k] = sizes[k] + (from ? from[k] : k && ends[k - 1]);
    return {
      ids: own ?? ids, starts: from ?? ends.map((end, k) => end - sizes[k]), ends, kinds: kind,
      otherCount: others[i], roundTrip: holds[i] === 1,
    };
  })];
}

/** `row` shared out: counts[i] numbers to the i-th. */
export function share(row, counts) {
  let at = 0;
  return Array.from(counts, (n) => row.subarray(at, (at += n)));
}

/** Arrays of one kind as one. */
export function joined(arrays, Kind) {
  const out = new Kind(arrays.reduce((n, array) => n + array.length, 0));
  let at = 0;
  for (const array of arrays) { out.set(array, at); at += array.length; }
  return out;
}

/** Bytes as text, for ways that take nothing else, and back. */
export function toBase64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}

export const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
