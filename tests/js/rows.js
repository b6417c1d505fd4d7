// The rows of the vocabulary's table and of its map, while questions are refused or overtake each other.
import { RowCache } from '/ui/vocabulary/js/row-cache.js';
import { totalInWords } from '/ui/vocabulary/js/total.js';
import { TokenRows } from '/ui/vocabulary/token_map/js/token-rows.js';
import { check, equal } from './check.js';

const pause = () => new Promise((resolve) => { setTimeout(resolve); });

/** Questions that are answered later, in any order. */
class Questions {
  asked = [];

  ask = (...values) => new Promise((resolve, reject) => { this.asked.push({ values, resolve, reject }); });

  async answer(i, value) {
    this.asked[i].resolve(value);
    await pause();
  }

  async refuse(i) {
    this.asked[i].reject(new Error('refused'));
    await pause();
  }
}

const page = (first) => Array.from({ length: 100 }, (_, i) => ({ id: first + i }));

export async function rows_of_the_table_are_loaded_after_a_refused_query() {
  const questions = new Questions(), cache = new RowCache(questions.ask, () => {});
  const opened = cache.open('all');
  await questions.answer(0, { total: 1000, rows: page(0) });
  await opened;
  cache.requestRows(500, 520);
  cache.requestRows(700, 720);
  const refused = cache.open('(').catch(() => 'refused');
  await questions.refuse(3);
  equal(await refused, 'refused');
  await questions.answer(1, { rows: page(500) });
  await questions.answer(2, { rows: page(700) });
  equal([cache.row(510)?.id, cache.row(710)?.id], [510, 710]);
  cache.requestRows(300, 320);
  for (let i = 4; i < questions.asked.length; i++) await questions.answer(i, { rows: page(0) });
  check(questions.asked.some(({ values: [, from] }) => from === 300));
}

export async function rows_of_an_older_query_are_dropped() {
  const questions = new Questions(), cache = new RowCache(questions.ask, () => {});
  const first = cache.open('a'), second = cache.open('b');
  await questions.answer(0, { total: 1000, rows: page(0) });
  await questions.answer(1, { total: 300, rows: page(5000) });
  equal([await first, (await second).total, cache.row(0).id], [null, 300, 5000]);
  cache.requestRows(100, 120);
  const third = cache.open('c');
  await questions.answer(3, { total: 300, rows: page(7000) });
  await third;
  await questions.answer(2, { rows: page(6000) });
  equal([cache.row(0).id, cache.row(100)], [7000, null]);
}

export async function rows_of_another_map_are_loaded_though_those_before_are_refused() {
  const questions = new Questions(), rows = new TokenRows(questions.ask, () => {});
  rows.want([1]);
  rows.clear();
  rows.want([2]);
  rows.want([3]);
  await questions.refuse(0);
  await questions.answer(1, [{ id: 2 }]);
  equal(questions.asked.slice(2).map(({ values: [ids] }) => ids), [[3]]);
}

export function unused_ids_are_not_counted_as_tokens() {
  equal(totalInWords({ total: 51, whole: 200_019 }, 'unused'), 'unused ids: 51');
  equal(totalInWords({ total: 51, whole: 200_019 }, ''), '51 of 200,019 tokens');
  equal(totalInWords({ total: 1, whole: 1 }, ''), '1 token');
}
