// At which merge the gap after each byte of a text closes, by an encoder of the page. BPE learns tokens in the order of
// their ranks, so the first n merges of a rank table are the table that training would have given with n merges.
import { NO_RANK } from '../page_encoder/rank-table.js';

export const NEVER = 0xffffffff; // the merge of a gap that never closes

const utf8 = new TextEncoder();

/** Returns the merge that closes the gap after each byte: with only the first n merges of the encoder's table, tokens
 *  end where a gap closes at n or later.
 *  @param {PageEncoder} encoder */
export function closingsOf(encoder, text) {
  const { table } = encoder, numbers = table.mergesBelow;
  const bytes = utf8.encode(text), closings = new Uint32Array(bytes.length).fill(NEVER);
  for (const [from, to] of encoder.preTokens(text)) {
    let latest = 0; // a merge may become possible only by a later one
    table.merge(bytes, from, to, (at, id) => { closings[at - 1] = latest = Math.max(latest, numbers[id]); });
    // the table is first asked for the whole pre-token
    const whole = to - from > 1 ? table.rank(bytes, from, to) : NO_RANK;
    if (whole === NO_RANK) continue;
    for (let i = from; i < to - 1; i++) closings[i] = Math.min(closings[i], numbers[whole]);
  }
  return closings;
}
