// web/js/page_encoder: its tokens against those of the core, which are tiktoken's.
import { wellFormed } from '/web/js/editor/text.js';
import { Chunk } from '/web/js/editor/document.js';
import { ladderOf } from '/web/js/page_encoder/ladder.js';
import { MAX_PRE_TOKEN_BYTES, MAX_UNITS, PageEncoder } from '/web/js/page_encoder/page-encoder.js';
import { hashBytes, RankTable, unpackTable } from '/web/js/page_encoder/rank-table.js';
import { spellOut } from '/web/js/page_encoder/spell-out.js';
import { fromBase64 } from '/web/js/net/wire-format.js';
import { check, equal, NO_CONTROL, python, random } from './check.js';

export const pageEncoder = async (name) => {
  const { pattern, categories, table, specials } = await python('page_encoder', name);
  const ranks = new RankTable(unpackTable(fromBase64(table), hashBytes));
  return new PageEncoder(new RegExp(spellOut(pattern, categories), 'gu'), ranks, specials);
};

const chunksOf = (texts) => texts.map((text) => new Chunk(text, true));

export async function ids_and_spans_equal_those_of_the_core() {
  const { times, text } = random('page encoder');
  const texts = times(1500, () => text(40)).concat(times(20, () => text(400, NO_CONTROL))).map(wellFormed);
  for (const name of ['gpt2', 'cl100k_base', 'o200k_base', 'llama3', 'qwen2', 'mistral_v3', 'english']) {
    const encoder = await pageEncoder(name), wanted = await python('page_tokens', name, texts);
    for (const [i, chunk] of chunksOf(texts).entries()) {
      const found = encoder.encode([chunk]);
      if (!found) { check(encoder.containsSpecialToken(texts[i])); continue; }
      const [{ ids, ends }] = found;
      equal([Array.from(ids), Array.from(ends)], wanted[i], `${name}: ${texts[i]}`);
    }
  }
}

export async function characters_of_each_category_are_those_of_the_core_in_any_browser() {
  const newer = Array.from('\u088f\u1acf\ua7ce\u{11de0}\u{3d000}\u{10d40}\u0295\u0378');
  const texts = newer.flatMap((one) => [`1${one}234`, `a${one}'s ${one}B${one}c`]);
  for (const name of ['gpt2', 'cl100k_base', 'o200k_base']) {
    const encoder = await pageEncoder(name), wanted = await python('page_tokens', name, texts);
    for (const [i, chunk] of chunksOf(texts).entries())
      equal(Array.from(encoder.encode([chunk])[0].ids), wanted[i][0], `${name}: ${texts[i]}`);
  }
}

export function bytes_that_are_no_rank_table_are_refused_at_once() {
  const encode = (text) => new TextEncoder().encode(text);
  for (const bytes of [encode('<!doctype html>'), encode('\u{10ffff}'.repeat(99)), new Uint8Array(3)]) {
    let problem = null;
    try { unpackTable(bytes, hashBytes); } catch (error) { problem = error; }
    check(problem);
  }
}

export async function several_chunks_get_one_answer_each() {
  const encoder = await pageEncoder('gpt2');
  const answers = encoder.encode(chunksOf(['one two', '', ' three']));
  equal(answers.map(({ ids }) => ids), [[505, 734], [], [1115]]);
  equal(answers.map(({ starts }) => starts), [[0, 3], [], [0]]);
}

export async function texts_that_only_the_server_knows_are_left_to_it() {
  const encoder = await pageEncoder('gpt2');
  for (const text of ['a<|endoftext|>b', 'x'.repeat(MAX_PRE_TOKEN_BYTES + 1), 'a b '.repeat(MAX_UNITS)])
    equal(encoder.encode(chunksOf([text])), null);
  check(encoder.encode(chunksOf(['<|endoftext', 'x'.repeat(MAX_PRE_TOKEN_BYTES - 10)])));
  const longest = 'a b '.repeat(MAX_UNITS / 4);
  check(encoder.encode(chunksOf([longest])) && !encoder.encode(chunksOf([`${longest}a`])));
}

export async function text_between_matches_is_a_pre_token() {
  const { table } = await pageEncoder('gpt2');
  const encoder = new PageEncoder(/[a-z]+/gu, table, []), plain = new PageEncoder(/[\s\S]+/gu, table, []);
  const idsOf = (one, text) => Array.from(one.encode(chunksOf([text]))[0].ids);
  equal(idsOf(encoder, '12ab, 34'), ['12', 'ab', ', 34'].flatMap((piece) => idsOf(plain, piece)));
}

export async function ladders_equal_those_of_the_core() {
  const { times, text } = random('ladders of the page');
  const texts = ['low', 'ที่', '\0\ufeff'].concat(times(300, () => text(12))).map(wellFormed).filter(Boolean);
  for (const name of ['gpt2', 'cl100k_base', 'o200k_base', 'llama3', 'english', 'random']) {
    const { table } = await pageEncoder(name), wanted = await python('ladders', name, texts);
    for (const [i, { bytes }] of chunksOf(texts).entries())
      equal(ladderOf(table, bytes), wanted[i], `${name}: ${texts[i]}`);
  }
}
