// The encoders of a page without a server: which texts they encode, and what they answer.
import { tr } from '../../../web/js/dom/i18n.js';
import { RefusedError } from '../../../web/js/net/rpc-client.js';
import { concat } from '../../../web/js/net/wire-format.js';
import { ladderOf } from '../../../web/js/page_encoder/ladder.js';
import { PageEncoder } from '../../../web/js/page_encoder/page-encoder.js';
import { hashBytes, RankTable, unpackTable } from '../../../web/js/page_encoder/rank-table.js';
import { spellOut } from '../../../web/js/page_encoder/spell-out.js';

const MAX_UNDIVIDED_BYTES = 20_000; // of a pre-token, which takes up to half a second
// The first bytes of a compressed table. An uncompressed one begins with its number of ids, so that only one with
// 559,903 ids would be taken for compressed.
const GZIP = [0x1f, 0x8b, 8];

/** Makes the encoders of a key and of all other texts, from the facts about an encoding and its rank table. */
export async function makeEncoders({ pattern, categories }, table) {
  const ranks = new RankTable(unpackTable(await unpacked(table), hashBytes));
  const split = new RegExp(spellOut(pattern, categories), 'gu');
  const [quick, patient] = [{}, { maxUnits: Infinity, maxPreTokenBytes: MAX_UNDIVIDED_BYTES, ofEach: true }]
    .map((limits) => new PageEncoder(split, ranks, [], limits)); // names of special tokens are text
  return { quick, patient };
}

// Some servers unpack a file, so that it arrives as the table itself.
async function unpacked(table) {
  if (GZIP.some((byte, i) => table[i] !== byte)) return table;
  const stream = new Blob([table]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns the answers for chunks of a text; throws RefusedError if a part is too long. */
export function encodeAll({ patient }, chunks) {
  return chunks.map((chunk) => {
    const answers = patient.encode([chunk]);
    if (answers) return answers[0];
    throw new RefusedError(tr(
      'The text has a part of more than {most} bytes that the split pattern does not divide, and this page cannot ' +
        'encode such a part. Shorten this part, or put spaces into it.', { most: MAX_UNDIVIDED_BYTES },
    ));
  });
}

/** Returns the facts for the loupe about the pre-token at a byte of adjacent chunks. */
export function loupeFacts({ patient }, chunks, at) {
  const text = chunks.map((chunk) => chunk.text).join('');
  const [start, end] = Array.from(patient.preTokens(text)).find(([, to]) => to > at);
  const bytes = concat(chunks.map((chunk) => chunk.bytes), Uint8Array).subarray(start, end);
  return { start, end, walls: [], merges: ladderOf(patient.table, bytes), problem: '', spelled: {} };
}

export const asJson = (facts) => new TextEncoder().encode(JSON.stringify(facts));
