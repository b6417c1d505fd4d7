// Wire format, little-endian uint32 throughout. Request: number of texts, byte length of each, their UTF-8. Response:
// number of rows, length of each, the rows.

export function encodeTexts(chunks) {
  const head = Uint32Array.from([chunks.length, ...chunks.map(({ bytes }) => bytes.length)]);
  return concat([new Uint8Array(head.buffer), ...chunks.map(({ bytes }) => bytes)], Uint8Array);
}

/** Returns the rows of a response, as Uint32Arrays. */
export function decodeRows(buffer) {
  const [numRows] = new Uint32Array(buffer, 0, 1);
  return splitRow(new Uint32Array(buffer, 4 + 4 * numRows), new Uint32Array(buffer, 4, numRows));
}

/** Returns the first `n` rows; if there are 2n, the second half holds the upper 32 bits of 64-bit numbers. */
export function joinHalves(rows, n) {
  return rows.length === n
    ? rows
    : rows.slice(0, n).map((row, i) => Float64Array.from(row, (low, at) => low + 2 ** 32 * rows[n + i][at]));
}

export const parseJson = (buffer) => JSON.parse(new TextDecoder().decode(buffer));

/** @typedef {object} Answer  The tokens of one text.
 *  @property {Uint32Array} ids
 *  @property {Uint32Array} starts  byte offsets of the tokens
 *  @property {Uint32Array} ends
 *  @property {Uint32Array | null} kinds  null if all are normal
 *  @property {number} otherCount  tokens if special tokens were read the other way; 0 if the text spells none
 *  @property {boolean} roundTrip  whether the tokens decode to the text */

/** Decodes a response: an Answer per text. The row of starts is sent only if there are gaps, the row of kinds only if
 *  some token is not normal.
 *  @returns {Answer[]} */
export function decodeTokens(buffer) {
  const [counts, otherCounts, roundTrips, ids, lengths, starts, kinds] = decodeRows(buffer);
  const each = [ids, lengths, starts, kinds].map((row) => (row.length ? splitRow(row, counts) : null));
  return Array.from(counts, (_, i) => {
    const [own, sizes, from, kind] = each.map((shares) => shares?.[i] ?? null), ends = new Uint32Array(counts[i]);
    for (let k = 0; k < ends.length; k++) ends[k] = sizes[k] + (from ? from[k] : k && ends[k - 1]);
    return {
      ids: own ?? ids, starts: from ?? ends.map((end, k) => end - sizes[k]), ends,
      kinds: kind?.some(Boolean) ? kind : null,
      otherCount: otherCounts[i], roundTrip: roundTrips[i] === 1,
    };
  });
}

/** Splits `row` into views of counts[i] numbers. */
export function splitRow(row, counts) {
  let at = 0;
  return Array.from(counts, (n) => row.subarray(at, (at += n)));
}

export function concat(arrays, ArrayType) {
  const out = new ArrayType(arrays.reduce((n, array) => n + array.length, 0));
  let at = 0;
  for (const array of arrays) { out.set(array, at); at += array.length; }
  return out;
}

export function toBase64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}

export const fromHex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export function fromBase64(text) {
  const characters = atob(text), bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}
