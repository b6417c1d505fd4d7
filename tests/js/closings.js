// web/js/recut: the tokens of the first n merges of a rank table against those of the core.
import { wellFormed } from '/web/js/editor/text.js';
import { closingsOf } from '/web/js/recut/closings.js';
import { countScripts, countTokens, scriptsOf } from '/web/js/vocabulary_slider/script-counts.js';
import { equal, python, random, upTo } from './check.js';
import { pageEncoder } from './page_encoder.js';

const FEW = ['a', 'b', 'c', 'd', ' ', 'aa', 'abc', 'ก', 'ที่'];

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

export async function tokens_of_the_scripts_add_up_to_those_of_the_text() {
  const encoder = await pageEncoder('gpt2'), { times, text, below } = random('scripts');
  for (const one of ['', 'a ที่ b', ...times(40, () => wellFormed(text(60)))]) {
    const closings = closingsOf(encoder, one), scripts = countScripts(one, closings);
    for (const n of [0, 50_000, ...times(5, () => below(5000))]) {
      const [ids] = tokensAt(n, one, encoder, closings);
      equal(scripts.reduce((sum, script) => sum + countTokens(script, n), 0), ids.length, `${n} merges: ${one}`);
    }
  }
}

export function characters_without_a_script_follow_their_letters() {
  equal(scriptsOf(Array.from('a, b')), ['Latin', '', 'Latin', 'Latin']);
  equal(scriptsOf(Array.from('e\u0301 ที่ 漢1')), ['Latin', 'Latin', 'Thai', 'Thai', 'Thai', 'Thai', 'Han', 'Han', '']);
}
