// The encoders of pages without a server: which texts they refuse.
import { Chunk } from '/web/js/editor/document.js';
import { encodeAll, makeEncoders } from '/server/exports/js/encoders.js';
import { fromBase64 } from '/web/js/net/wire-format.js';
import { check, equal, python } from './check.js';

export async function only_a_part_that_is_longer_than_the_limit_is_refused() {
  const { pattern, categories, table } = await python('page_encoder', 'gpt2');
  const encoders = await makeEncoders({ pattern, categories }, fromBase64(table));
  const encoded = (text) => encodeAll(encoders, [new Chunk(text, true)])[0];
  for (const text of ['x'.repeat(20_000), `${'x'.repeat(15_000)}1${'x'.repeat(15_000)}`])
    equal(encoded(text).ends.at(-1), text.length);
  let problem = null;
  try { encoded(`a ${'x'.repeat(20_000)}`); } catch (error) { problem = error; } // with the space 20,001 bytes
  check(problem?.isRefusal, String(problem));
  check(problem.message.startsWith('The text has a part of more than 20,000 bytes'), problem.message);
}

export async function an_edit_encodes_only_the_long_parts_that_it_changes() {
  const { pattern, categories, table } = await python('page_encoder', 'gpt2');
  const encoders = await makeEncoders({ pattern, categories }, fromBase64(table)), { table: ranks } = encoders.patient;
  const parts = ['x'.repeat(2_000), '\ufeff'.repeat(500), 'ก'.repeat(600)], sizes = [];
  const merge = ranks.merge.bind(ranks);
  ranks.merge = (bytes, from, to, onMerge) => {
    if (to - from > 100) sizes.push(to - from);
    return merge(bytes, from, to, onMerge);
  };
  const encoded = (text) => encodeAll(encoders, [new Chunk(text, true)])[0];
  encoded(parts.join('1'));
  equal(sizes.splice(0), [2_000, 1_500, 1_800]);
  const text = `2${parts.join('1')}ก`, found = encoded(text);
  equal(sizes.splice(0), [1_803]);
  const fresh = encodeAll(await makeEncoders({ pattern, categories }, fromBase64(table)), [new Chunk(text, true)])[0];
  equal(found, fresh);
  ranks.merge = (bytes, from, to) => Int32Array.of(from, to); // merging these would take 15 seconds
  for (let i = 0; i < 600; i++) encoded('x'.repeat(2_000 + i));
  const { kept, keptBytes } = encoders.patient, total = Array.from(kept.values()).reduce((n, { size }) => n + size, 0);
  check(keptBytes === total && total > 900_000 && total <= 1_000_000, total);
}

export async function unpacked_table_that_begins_like_gzip_is_read() {
  const size = 0x8b1f, rows = new Uint8Array(4 + 6 * size).fill(0xff), literals = [];
  new DataView(rows.buffer).setUint32(0, size, true);
  for (let id = 0; id < size; id++) { // each token is a literal: its length is in three rows of bytes
    const bytes = id < 256 ? [id] : [id & 0xff, (id >> 8) & 0xff, 0x21];
    rows[4 + id] = bytes.length;
    rows[4 + size + id] = rows[4 + 2 * size + id] = 0;
    literals.push(...bytes);
  }
  const table = Uint8Array.from([...rows, ...literals]);
  const [encoded] = encodeAll(await makeEncoders({ pattern: '\\S+', categories: {} }, table), [new Chunk('ab', true)]);
  equal(encoded.ids, [0x61, 0x62]);
}
