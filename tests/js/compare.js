// The comparison's modules, against brute force over tiktoken's tokens.
import { Boundaries } from '/web/compare/js/boundaries.js';
import { formatDecimal } from '/web/js/tokens/readout.js';
import { directions, heatOf, heatStep } from '/web/compare/js/marks.js';
import { describeRange } from '/web/compare/js/range-table.js';
import { byteRange, overlapping, tokenAtByte } from '/web/js/tokens/byte-ranges.js';
import { Chunk, Document } from '/web/js/editor/document.js';
import { partsOf } from '/web/js/tokens/paint.js';
import { wellFormed } from '/web/js/editor/text.js';
import { bytesIn, check, equal, python, random, adjacentTokens, spansOf, upTo } from './check.js';

const FOUR = ['gpt2', 'cl100k_base', 'o200k_base', 'p50k_base'];
const SCRIPTS = "It's 12345, isn't it?\nความคิดเดียวกัน ที่นี่\nمرحبا بالعالم 孩子们。\nनमस्ते 👩‍👩‍👧 strawberry\n";

// Boundaries by brute force: the number of shared ones, and disputed ones with the bits of their encodings.
function disputed(all) {
  const cuts = all.map((spans) => new Set(spans.slice(1).map(([start]) => start)));
  const places = [...new Set(cuts.flatMap((own) => [...own]))].sort((a, b) => a - b);
  const masks = places.map((at) => cuts.reduce((mask, own, d) => mask | (own.has(at) << d), 0));
  const full = 2 ** all.length - 1;
  return {
    shared: masks.filter((mask) => mask === full).length,
    some: places.map((at, i) => [at, masks[i]]).filter(([, mask]) => mask !== full),
  };
}

// Edits documents through the states of a text by their plans; calls `visit` when all have the same state.
async function replay(states, plans, visit) {
  const docs = plans.map(({ cuts }) => Object.assign(new Document(), { hasSafeCuts: cuts }));
  const boundaries = new Boundaries();
  const all = plans.map(() => new Map());
  const fresh = plans.map(({ cuts, taken }) => { // texts that each will need
    const doc = Object.assign(new Document(), { hasSafeCuts: cuts });
    return [...new Set(taken.flatMap((s) => doc.edit(states[s]).added.map(({ text }) => text)))];
  });
  for (const [d, { name }] of plans.entries())
    (await python('lengths', name, fresh[d])).forEach((own, i) => all[d].set(fresh[d][i], own));
  states.forEach((text, s) => {
    docs.forEach((doc, d) => {
      if (!plans[d].taken.includes(s)) return;
      for (const chunk of doc.edit(text).added) chunk.setTokens(adjacentTokens(all[d].get(chunk.text)), null);
      doc.renumber();
    });
    if (docs.every((doc) => doc.text === text)) visit(s, docs, boundaries, boundaries.update(docs));
  });
}

export async function disagreements_equal_brute_force_after_every_edit() {
  for (const cuts of [
    [true, true, true, true], [true, false, true, true], [false, false, false, false],
  ])
    for (const size of [8, 1200]) {
      const { text, edit, fraction } = random(`${cuts} ${size}`),
        states = [text(size)];
      while (states.length < 14) states.push(edit(states.at(-1)));
      const own = states.map(wellFormed).filter(Boolean);
      // each skips some states, so that chunks differ
      const plans = FOUR.map((name, d) => ({
        name, cuts: cuts[d],
        taken: upTo(own.length).filter((s) => fraction() < 0.8 || s % 3 === 2 || s === own.length - 1),
      }));
      const spans = await Promise.all(FOUR.map((name) => spansOf(name, own)));
      let compared = 0;
      await replay(own, plans, (s, docs, boundaries) => {
        const { shared, some } = disputed(spans.map((all) => all[s])),
          onward = [],
          back = [];
        for (let one = boundaries.after(0); one; one = boundaries.after(one.byte)) onward.push(one);
        for (let one = boundaries.before(Infinity); one; one = boundaries.before(one.byte)) back.push(one);
        equal([boundaries.numShared, boundaries.numDisputed], [shared, some.length]);
        equal(
          onward, some.map(([byte, mask], i) => ({ byte, mask, number: i + 1 })),
        );
        equal(back, onward.reverse());
        docs.forEach((doc, d) =>
          equal(
            doc.chunks.flatMap((chunk) =>
              upTo(chunk.ids.length)
                .filter((k) => boundaries.disputed.get(chunk)[k])
                .map((k) => byteRange({ chunk, k }).from),
            ),
            some.filter(([, mask]) => mask & (1 << d)).map(([at]) => at),
          ),
        );
        compared++;
      });
      check(compared > 3);
    }
}

export async function edits_keep_most_boundaries() {
  const text = upTo(800).map((n) => `line ${n} of it, ที่นี่\n`).join(''), counts = [];
  const states = ['', 'y', 'yz'].map((inserted) => text.slice(0, 9000) + inserted + text.slice(9000));
  await replay(
    states, FOUR.map((name) => ({ name, cuts: true, taken: [0, 1, 2] })),
    (_, docs, __, changed) => counts.push([changed.length, docs.reduce((n, doc) => n + doc.chunks.length, 0)]),
  );
  check(
    counts[0][0] === counts[0][1] &&
      counts[0][0] > 60 &&
      counts.slice(1).every(([changed]) => changed <= 2 * FOUR.length),
    JSON.stringify(counts),
  );
}

export function places_beside_a_gap_are_boundaries_of_that_encoding() {
  // "The" "" " cat", and "The" … "cat"
  const docs = [[[0, 3, 3], [3, 3, 7]], [[0, 4], [3, 7]]].map(([starts, ends]) => {
    const doc = new Document();
    doc.setTokens(
      doc.edit('The cat').added[0],
      {
        ids: new Uint32Array(ends.length), starts: Uint32Array.from(starts), ends: Uint32Array.from(ends),
        kinds: null,
      },
      null,
    );
    return doc;
  });
  const boundaries = new Boundaries();
  boundaries.update(docs);
  equal(
    [boundaries.numShared, boundaries.numDisputed, boundaries.after(0), boundaries.after(4)],
    [1, 1, { byte: 4, mask: 2, number: 1 }, null],
  );
  equal(docs.map((doc) => boundaries.disputed.get(doc.chunks[0])), [[0, 0, 0], [0, 1]]);
  // in a gap the next token
  equal([tokenAtByte(docs[1], 2).k, tokenAtByte(docs[1], 3).k, tokenAtByte(docs[1], 7)], [0, 1, null]);
}

export async function overlapping_finds_the_tokens_of_a_byte_range() {
  const { text, below, choice, times } = random('overlap');
  for (const name of FOUR.slice(0, 3)) {
    const whole = wellFormed(text(1500)), doc = new Document(), [spans] = await spansOf(name, [whole]);
    doc.edit(whole);
    const lengths = await python('lengths', name, doc.chunks.map((chunk) => chunk.text));
    doc.chunks.forEach((chunk, i) => chunk.setTokens(adjacentTokens(lengths[i]), null));
    doc.renumber();
    for (const from of times(60, () => below(bytesIn(whole)))) {
      const to = from + choice([1, 2, 7, 3000]);
      equal(
        overlapping(doc, from, to).flatMap((span) =>
          upTo(span.to - span.from).map((i) => span.chunk.base + span.from + i),
        ),
        upTo(spans.length).filter((k) => spans[k][0] < to && from < spans[k][1]),
      );
    }
  }
}

export async function heat_is_tokens_per_grapheme_and_sums_to_the_tokens() {
  const { times, text } = random('heat');
  const texts = ['', 'four', 'ที่', SCRIPTS, ...times(300, () => wellFormed(text(20)))];
  const isNear = (a, b) => Math.abs(a - b) < 1e-6;
  for (const name of FOUR.slice(0, 3)) {
    const all = await spansOf(name, texts);
    for (const [i, one] of texts.entries()) {
      const chunk = new Chunk(one, true), graphemes = [], wanted = [];
      chunk.setTokens(adjacentTokens(all[i].map(([start, end]) => end - start)), new Uint8Array(all[i].length));
      for (const { segment } of new Intl.Segmenter('und').segment(one))
        graphemes.push([graphemes.at(-1)?.[1] ?? 0, (graphemes.at(-1)?.[1] ?? 0) + bytesIn(segment)]);
      for (const [start, end] of all[i]) { // spreads each token evenly over its graphemes
        const touched = upTo(graphemes.length).filter((g) => graphemes[g][0] < end && start < graphemes[g][1]);
        for (const g of touched) wanted[g] = (wanted[g] ?? 0) + 1 / touched.length;
      }
      const heats = partsOf(chunk, 3).flatMap(({ pieces, from }) =>
        heatOf(pieces, from).flatMap((heat, j) => Array(pieces[j].graphemes).fill(heat)),
      );
      check(heats.length === wanted.length && heats.every((heat, g) => isNear(heat, wanted[g])), `${name}: ${one}`);
      check(isNear(heats.reduce((sum, heat) => sum + heat, 0), all[i].length));
      equal(heats.map(heatStep), wanted.map((heat) => [0.25, 0.5, 1, 2].filter((most) => heat > most + 1e-9).length));
    }
  }
}

export async function ratios_are_rounded_as_in_the_table() {
  for (const number of [2.125, 1.005, 0.375, 1234, 0.115, 2.675, 1 / 3])
    equal(formatDecimal(number), await python('two_places', number));
}

export function pieces_have_the_direction_of_their_line() {
  for (const [texts, runs] of [
    [['(', 'שלום', ')', ' ', 'abc', '.'], '111101'],
    [['“', 'abc', '”', ' ', 'שלום', '!'], '000010'],
    [['שלום', ' ', '12', ',', ' ', '34', ' - ', 'ב'], '11011011'],
    [['!', 'abc', '\n', '!', 'ב', '.\n', '…'], '0001110'],
    [['...', '\n', '-', '12'], '0000'],
    [['א', ' ', 'ab', ' ', 'cd', ' ', 'ב'], '1100011'],
  ]) equal(directions(texts.map((text) => ({ text }))).map(Number).join(''), runs);
}

export function pinned_token_without_text_has_no_byte_range() {
  const heading = {}, facts = { text: '', bytes: '' };
  describeRange(heading, { from: 3, to: 3 }, facts);
  equal(heading.textContent, 'No part of the text belongs to this token alone.');
  describeRange(heading, { from: 3, to: 4 }, { ...facts, text: 'a' });
  equal(heading.textContent, 'Pinned: “a”, byte 4 of the text');
}
