// The merges of one pre-token, from the numbers of tokenizer/encoding/ladder_json.py. A unit is a base part: a byte or
// a character. A state is what is left after some steps; each row of the ladder is one.

import { firstWhere } from '../dom/binary-search.js';
import { fromHex } from '../net/wire-format.js';
import { tr, trn } from '../dom/i18n.js';

const NEVER = 2 ** 31 - 1;

/** Returns the merges that make tokens with ids below `limit`: those that existed when no others had been
 *  learned. */
export function limitMerges(merges, limit) {
  const n = firstWhere(merges.ranks.length, (i) => merges.ranks[i] >= limit);
  const isKnown = (ranks) => ranks?.map((rank) => (rank < limit ? rank : -1));
  const limited = {
    ...merges, positions: merges.positions.slice(0, n), ranks: merges.ranks.slice(0, n), gaps: isKnown(merges.gaps),
    lefts: isKnown(merges.lefts?.slice(0, n)), rights: isKnown(merges.rights?.slice(0, n)),
  };
  const all = new Merges(limited);
  return { ...limited, tokens: all.parts(n).map(({ from, to, id }) => [id, all.offsets[to] - all.offsets[from]]) };
}

export class Merges {
  constructor({ hex: digits, base, lengths, positions, ranks, gaps, lefts, rights, tokens, others, whole }) {
    Object.assign(this, {
      base, ranks, tokens, whole, others: new Set(others), numUnits: base.length, numSteps: ranks.length,
    });
    this.bytes = fromHex(digits);
    this.isBytes = !lengths;
    this.offsets = [0]; // of each unit, in bytes, and the end
    for (let i = 0; i < base.length; i++) this.offsets.push(this.offsets[i] + (lengths?.[i] ?? 1));
    // a unit without a token has its bytes instead
    this.isMixed = lengths?.some((size, i) => size === 1 && this.bytes[this.offsets[i]] > 127) ?? false;
    this.closingSteps = new Int32Array(base.length).fill(NEVER); // the step that closes the gap before each unit
    this.made = []; // per step: where its two parts start, and where they end
    this.stepsByStart = new Map(); // unit -> steps whose part starts there
    this.gaps = gaps && gaps.map((rank) => [[-1, rank]]); // per gap after a unit: [since which step, the rank]
    this.replay(positions, lefts, rights);
  }

  replay(positions, lefts, rights) {
    const starts = Array.from(this.base, (_, i) => i);
    positions.forEach((position, step) => {
      const from = starts[position], middle = starts[position + 1], to = starts[position + 2] ?? this.numUnits;
      starts.splice(position + 1, 1);
      this.closingSteps[middle] = step;
      this.made.push([from, middle, to]);
      if (!this.stepsByStart.has(from)) this.stepsByStart.set(from, []);
      this.stepsByStart.get(from).push(step);
      if (this.gaps && from > 0) this.gaps[from - 1].push([step, lefts[step]]);
      if (this.gaps && to < this.numUnits) this.gaps[to - 1].push([step, rights[step]]);
    });
  }

  get unitsInWords() {
    const n = this.numUnits;
    if (this.isMixed) return tr('{n} parts (characters or bytes)', { n });
    return this.isBytes ? trn('{n} byte', '{n} bytes', n) : trn('{n} character', '{n} characters', n);
  }

  bytesOf(from, to) {
    return this.bytes.subarray(this.offsets[from], this.offsets[to]);
  }

  /** Returns the parts of a state that overlap the units from..to: { from, to, id, step }; `step` made the part,
   *  -1 for a base part. */
  parts(state, from = 0, to = this.numUnits) {
    const found = [], isStart = (i) => i === 0 || i >= this.numUnits || this.closingSteps[i] >= state;
    let start = from;
    while (!isStart(start)) start--;
    while (start < to) {
      let end = start + 1;
      while (!isStart(end)) end++;
      const step = this.stepsByStart.get(start)?.findLast((one) => one < state) ?? -1;
      found.push({ from: start, to: end, id: step < 0 ? this.base[start] : this.ranks[step], step });
      start = end;
    }
    return found;
  }

  /** Returns the possible merges of a state by rank: { at, rank }, `at` is the unit after the gap. */
  candidates(state) {
    if (!this.gaps) return [];
    const found = [];
    for (let at = 1; at < this.numUnits; at++) {
      const rank = this.rankAt(at, state);
      if (rank >= 0) found.push({ at, rank });
    }
    return found.sort((a, b) => a.rank - b.rank || a.at - b.at);
  }

  /** Returns the rank of merging the parts on both sides of a gap in a state; -1 if no rule does, or the gap is
   *  closed. */
  rankAt(at, state) {
    return this.closingSteps[at] < state ? -1 : this.gaps[at - 1].findLast(([since]) => since < state)[1];
  }

  /** Returns the nodes of the tree: { from, to, id, step, level, up }; the step `up` merges the node further, -1
   *  for a token. */
  nodes() {
    if (this.all) return this.all;
    const open = this.base.map((id, i) => ({ from: i, to: i + 1, id, step: -1, level: 0, up: -1 })), all = [...open];
    this.made.forEach(([from, middle, to], step) => {
      const left = open[from], right = open[middle];
      left.up = right.up = step;
      open[from] = {
        from, to, id: this.ranks[step], step, level: 1 + Math.max(left.level, right.level), up: -1,
        halves: [left, right],
      };
      all.push(open[from]);
    });
    this.all = all;
    return all;
  }
}
