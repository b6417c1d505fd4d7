// A rank table in typed arrays, and byte-level BPE by it, as in the core: the two neighbors whose joined bytes have the
// lowest rank merge first, the leftmost of several.

/** @typedef {object} TableParts
 *  @property {Uint8Array} bytes  of all tokens, in order of id
 *  @property {Uint32Array} starts  where each token begins, and the end of the last one
 *  @property {Int32Array} slots  hash table of ids, -1 where empty; its length is a power of two */

export const NO_RANK = 0x7fffffff;

/** Returns the parts of a packed table; see server/encodings/rank_tables.py. Runs in a worker, so it uses nothing else
 *  of this module. */
export function unpackTable(packed, hash) {
  const size = new DataView(packed.buffer, packed.byteOffset).getUint32(0, true), LITERAL = 0xffffff;
  if (4 + 6 * size > packed.length) throw new Error('This is not a rank table, or it is not complete.');
  const halves = new Uint32Array(2 * size), starts = new Uint32Array(size + 1);
  for (let id = 0, at = 4; id < size; id++, at++) { // a number is in three rows of bytes
    const first = packed[at] + 256 * packed[at + size] + 65536 * packed[at + 2 * size];
    const second = packed[at + 3 * size] + 256 * packed[at + 4 * size] + 65536 * packed[at + 5 * size];
    starts[id + 1] = starts[id] +
      (second === LITERAL ? first : starts[first + 1] - starts[first] + starts[second + 1] - starts[second]);
    halves[2 * id] = first;
    halves[2 * id + 1] = second;
  }
  const bytes = new Uint8Array(starts[size]);
  let literal = 4 + 6 * size, at = 0;
  for (let id = 0; id < size; id++) {
    const first = halves[2 * id], second = halves[2 * id + 1];
    if (second === LITERAL) while (at < starts[id + 1]) bytes[at++] = packed[literal++];
    else {
      for (let i = starts[first]; i < starts[first + 1]; i++) bytes[at++] = bytes[i];
      for (let i = starts[second]; i < starts[second + 1]; i++) bytes[at++] = bytes[i];
    }
  }
  if (literal !== packed.length) throw new Error('The rank table is not complete.');
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * size + 2))).fill(-1); // half empty, for short chains
  for (let id = 0; id < size; id++) {
    if (starts[id] === starts[id + 1]) continue;
    let slot = hash(bytes, starts[id], starts[id + 1]) & (slots.length - 1);
    while (slots[slot] >= 0) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = id;
  }
  return { bytes, starts, slots };
}

/** FNV-1a, with its upper bits mixed into the lower ones. */
export function hashBytes(bytes, from, to) {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

export class RankTable {
  /** @param {TableParts} parts */
  constructor(parts) {
    Object.assign(this, parts);
  }

  /** Returns the id, which is also the rank, of the token bytes[from..to], or NO_RANK. */
  rank(bytes, from, to) {
    const { slots, starts } = this, mask = slots.length - 1;
    for (let slot = hashBytes(bytes, from, to) & mask, id; (id = slots[slot]) >= 0; slot = (slot + 1) & mask) {
      const start = starts[id];
      if (starts[id + 1] - start !== to - from) continue;
      let i = from;
      while (i < to && bytes[i] === this.bytes[start + i - from]) i++;
      if (i === to) return id;
    }
    return NO_RANK;
  }

  /** Appends the tokens of the pre-token bytes[from..to] to `ids` and `ends`. */
  encode(bytes, from, to, ids, ends) {
    const whole = this.rank(bytes, from, to);
    if (whole !== NO_RANK) {
      ids.push(whole);
      ends.push(to);
      return;
    }
    const starts = this.merge(bytes, from, to, () => {});
    for (let i = 0; i < starts.length - 1; i++) {
      ids.push(this.rank(bytes, starts[i], starts[i + 1]));
      ends.push(starts[i + 1]);
    }
  }

  /** The number of merges, which are the tokens of several bytes, below each id; the last entry counts all. */
  get mergesBelow() {
    if (this.numbers) return this.numbers;
    const { starts } = this, numbers = new Uint32Array(starts.length);
    for (let id = 0; id + 1 < starts.length; id++) numbers[id + 1] = numbers[id] + (starts[id + 1] - starts[id] > 1);
    return (this.numbers = numbers);
  }

  /** Merges the pre-token bytes[from..to]; returns where its tokens start, and its end. `onMerge(at, id)` is called for
   *  each merge, with the start of the right part and the token's id. */
  merge(bytes, from, to, onMerge) {
    let count = to - from;
    const starts = Int32Array.from({ length: count + 1 }, (_, i) => from + i);
    const ranks = new Int32Array(count).fill(NO_RANK); // of each part joined with the next one
    const update = (i) => { ranks[i] = i + 2 <= count ? this.rank(bytes, starts[i], starts[i + 2]) : NO_RANK; };
    for (let i = 0; i < count; i++) update(i);
    for (;;) {
      let lowest = NO_RANK, at = -1;
      for (let i = 0; i < count - 1; i++) if (ranks[i] < lowest) [lowest, at] = [ranks[i], i];
      if (at < 0) return starts.subarray(0, count + 1);
      onMerge(starts[at + 1], lowest);
      starts.copyWithin(at + 1, at + 2, count + 1);
      ranks.copyWithin(at + 1, at + 2, count);
      count--;
      update(at);
      if (at) update(at - 1);
    }
  }
}
