// ui/components/js/recut: the tokens of the first n merges of a rank table against those of the core.
import { wellFormed } from '/ui/components/js/editor/text.js';
import { PageEncoder } from '/ui/components/js/page_encoder/page-encoder.js';
import { hashBytes, RankTable, unpackTable } from '/ui/components/js/page_encoder/rank-table.js';
import { closingsOf } from '/ui/components/js/recut/closings.js';
import { fromBase64 } from '/ui/components/js/net/wire-format.js';
import { equal, python, random, upTo } from './check.js';

const FEW = ['a', 'b', 'c', 'd', ' ', 'aa', 'abc', 'ก', 'ที่'];

async function pageEncoder(name) {
  const { pattern, table } = await python('page_encoder', name);
  return new PageEncoder(new RegExp(pattern, 'gu'), new RankTable(unpackTable(fromBase64(table), hashBytes)), []);
}

// Returns the ids and ends of the tokens of a text by the first n merges.
function tokensAt(n, text, { table }, closings) {
  const bytes = new TextEncoder().encode(text), ids = [], ends = [];
  closings.forEach((closing, i) => {
    if (closing < n) return;
    ids.push(table.rank(bytes, ends.at(-1) ?? 0, i + 1));
    ends.push(i + 1);
  });
  return [ids, ends];
}

export async function first_merges_give_the_tokens_of_the_core() {
  const { fraction, times, text } = random('closings');
  const cases = [['gpt2', 4], ['o200k_base', 2], ['english', 20], ['thai', 20]];
  for (const [name, count] of cases.concat(upTo(30).map((i) => [`random ${i}`, 8]))) {
    const encoder = await pageEncoder(name), total = encoder.table.mergesBelow.at(-1);
    const ns = [0, total, ...times(count, () => Math.floor(total ** fraction()))];
    const texts = times(20, () => wellFormed(name.startsWith('random') ? text(5, FEW) : text(60)));
    const wanted = await python('first_merges_tokens', name, ns, texts);
    texts.forEach((one, i) => {
      const closings = closingsOf(encoder, one);
      ns.forEach((n, k) => equal(tokensAt(n, one, encoder, closings), wanted[k][i], `${name}, ${n} merges: ${one}`));
    });
  }
}
