// The merges of a pre-token by a rank table.
import { NO_RANK } from './rank-table.js';

const NO_MERGE = -1;

/** Returns the ladder of a pre-token as tokenizer/encoding/ladder_json.py does. */
export function ladderOf(table, bytes) {
  const starts = Array.from({ length: bytes.length + 1 }, (_, i) => i); // of the parts, and the end
  const id = (from, to) => {
    const rank = from < to ? table.rank(bytes, from, to) : NO_RANK;
    return rank === NO_RANK ? NO_MERGE : rank;
  };
  const joined = (i) => id(starts[i], starts[i + 2]); // the parts i and i + 1; one of them may not be there
  const base = Array.from(bytes, (_, i) => id(i, i + 1)), gaps = base.slice(1).map((_, i) => joined(i));
  const positions = [], ranks = [], lefts = [], rights = [];
  table.merge(bytes, 0, bytes.length, (at, rank) => {
    const position = starts.indexOf(at) - 1;
    starts.splice(position + 1, 1);
    positions.push(position);
    ranks.push(rank);
    lefts.push(joined(position - 1));
    rights.push(joined(position));
  });
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const tokens = starts.slice(1).map((end, i) => [id(starts[i], end), end - starts[i]]);
  const whole = id(0, bytes.length), isTakenWhole = tokens.length > 1 && whole !== NO_MERGE; // no merges make the token
  const merges = isTakenWhole
    ? { positions: [], ranks: [], tokens: [[whole, bytes.length]] }
    : { positions, ranks, gaps, lefts, rights, tokens };
  return { hex, base, lengths: null, ...merges, others: [], whole: isTakenWhole };
}
