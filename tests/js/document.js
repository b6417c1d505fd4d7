// The document and its drawing: chunks, wire format, colours, pieces, and repainting after edits.
import { recolor } from '/web/js/tokens/colors.js';
import { Chunk, Document } from '/web/js/editor/document.js';
import { paintTokens, partsOf } from '/web/js/tokens/paint.js';
import { piecesOf } from '/web/js/tokens/pieces.js';
import { wellFormed } from '/web/js/editor/text.js';
import { countDocument } from '/web/js/tokens/readout.js';
import { TokensView } from '/web/js/tokens/tokens-view.js';
import { encodeTexts, decodeTokens } from '/web/js/net/wire-format.js';
import { bytesIn, check, equal, python, random, SAMPLES, adjacentTokens, upTo } from './check.js';

const PATTERNS = ['gpt2', 'cl100k_base', 'o200k_base']; // one encoding per split pattern

// Returns the well-formed states of a long text during edits.
function statesOf({ text, edit }, edits, size = 4000) {
  const states = [text(size)];
  for (let n = 0; n < edits; n++) states.push(edit(states.at(-1)));
  return states.map(wellFormed);
}

export async function chunks_join_to_the_text_and_their_tokens_to_its_tokens() {
  for (const seed of ['one', 'two']) {
    const doc = new Document(), states = statesOf(random(seed), 25), seen = [];
    for (const state of states) {
      const before = doc.chunks.slice();
      const { removed, added, at } = doc.edit(state);
      const { chunks } = doc;
      const texts = chunks.map(({ text }) => text);
      equal([doc.text, texts.join('')], [state, state]);
      check(texts.every(Boolean));
      check(
        before.slice(at, at + removed.length).every((chunk, i) => chunk === removed[i]) &&
          chunks.slice(at, at + added.length).every((chunk, i) => chunk === added[i]),
      );
      equal(chunks.map(({ offset }) => offset), texts.map((_, i) => texts.slice(0, i).join('').length));
      equal(
        chunks.map(({ startsLine }) => startsLine),
        chunks.map(({ offset }) => !offset || state[offset - 1] === '\n'),
      );
      seen.push(texts);
    }
    const inputs = [...new Set([...states, ...seen.flat()])];
    for (const name of PATTERNS) {
      const ids = new Map((await python('encode', name, inputs)).map((own, i) => [inputs[i], own]));
      states.forEach((state, s) => equal(seen[s].flatMap((text) => ids.get(text)), ids.get(state), name));
    }
  }
}

export function tokens_with_special_tokens_read_the_other_way_are_those_of_all_chunks() {
  const chunk = (numTokens, otherCount) =>
    ({ ids: Array(numTokens), otherCount, bytes: [], numCodePoints: 0, numPartial: 0 });
  const other = (...chunks) => countDocument({ chunks, tally: new Map() }).otherCount;
  equal([other(chunk(7, 0)), other(chunk(7, 3)), other(chunk(7, 3), chunk(5, 0))], [0, 3, 8]);
}

export function tokens_are_not_counted_while_those_of_a_chunk_are_missing() {
  const doc = new Document(), counts = () => countDocument(doc);
  doc.edit('one two\n'.repeat(200));
  const [first, second] = doc.chunks, pending = { tokens: null, distinct: null, partial: null, otherCount: null };
  const setTokens = (chunk) => doc.setTokens(chunk, adjacentTokens([chunk.bytes.length]), new Uint8Array(1));
  setTokens(first);
  equal({ ...counts(), ...pending }, counts());
  setTokens(second);
  equal({ ...counts(), tokens: 2, distinct: 1, partial: 0, otherCount: 0 }, counts());
}

export function small_edits_keep_most_chunks() {
  const { times, text } = random('small');
  const whole = times(2000, () => `${text(12, [...'abc '])}x`).join('\n');
  const place = whole.length >> 1;
  const doc = new Document();
  const [first, ...after] = [
    whole, ...upTo(49).map((n) => whole.slice(0, place) + 'y'.repeat(n + 1) + whole.slice(place)),
  ].map((state) => doc.edit(state).added.length);
  check(first > 10 && Math.max(...after) <= 2, after.join());
}

export function a_text_without_cuts_is_one_chunk() {
  const doc = Object.assign(new Document(), { hasSafeCuts: false });
  for (const state of statesOf(random('whole'), 5).filter(Boolean)) {
    doc.edit(state);
    equal(
      doc.chunks.map(({ text }) => text), [state],
    );
  }
}

export function tally_of_distinct_tokens_follows_the_edits() {
  const doc = new Document();
  for (const state of statesOf(random('tally'), 20)) {
    const { removed, added } = doc.edit(state);
    doc.untally(removed);
    // one token per character
    for (const chunk of added)
      doc.setTokens(
        chunk,
        adjacentTokens(
          Array.from(chunk.text, bytesIn), Array.from(chunk.text, (letter) => letter.codePointAt(0)),
        ),
        [],
      );
    doc.renumber();
    const last = doc.find(doc.numTokens - 1), letters = Array.from(state);
    equal(
      [doc.tally.size, doc.numTokens, doc.find(doc.numTokens), last && last.chunk.base + last.k],
      [new Set(letters).size, letters.length, null, letters.length ? letters.length - 1 : null],
    );
  }
}

// ---- wire-format.js, against the route ----

export async function questions_and_answers_round_trip_through_the_wire_format() {
  const { times, text } = random('wire');
  for (const texts of [[], [''], ['a', '', 'ที่👍\0'], times(50, () => wellFormed(text(30)))]) {
    const body = encodeTexts(texts.map((one) => new Chunk(one, true)));
    equal(await python('read_texts', Array.from(body)), texts);
    for (const name of ['o200k_base', 'gapped']) {
      const reply = await fetch(`/api/tokens?encoding=${name}&special=special`, { method: 'POST', body });
      const answers = decodeTokens(await reply.arrayBuffer());
      const wanted = await python('tokens', name, texts, 'special');
      equal(answers.map(({ ids: own, starts, ends, kinds }) => [own, starts, ends, kinds ?? own.map(() => 0)]), wanted);
    }
  }
}

// ---- colors.js ----

export function neighbours_differ_and_unchanged_tokens_keep_their_colour() {
  const { below, choice, times } = random('colors');
  for (let n = 0; n < 3000; n++) {
    const old = times(below(10), () => below(5)), row = [below(7)];
    while (row.length < old.length + 2) row.push(choice(upTo(7).filter((color) => color !== row.at(-1))));
    const left = choice([row[0], -1]);
    const right = choice([row.at(-1), -1]);
    const start = below(old.length + 1);
    const end = Math.min(old.length, start + below(4));
    const ids = [...old.slice(0, start), ...times(below(4), () => below(5)), ...old.slice(end)];
    const before = row.slice(1, -1);
    const isSame = String(ids) === String(old);
    const {
      colors, kept: [front, back],
    } = recolor(Uint32Array.from(ids), { ids: Uint32Array.from(old), colors: Uint8Array.from(before) }, left, right);
    const case_ = JSON.stringify({ ids, old, before, left, right });
    check(colors.length === ids.length && colors.every((color) => color < 7), case_);
    if (ids.length) check([left, ...colors, right].every((color, i, all) => !i || color !== all[i - 1]), case_);
    equal(
      [ids.slice(0, front), ids.slice(ids.length - back)], [old.slice(0, front), old.slice(old.length - back)],
      case_,
    );
    check(front + back <= Math.min(ids.length, old.length), case_);
    // After a deletion one of the two new neighbours may need another colour.
    const first = isSame ? ids.length : ids.length > front + back ? front : Math.max(0, front - 1);
    const last = ids.length > back || isSame ? back : Math.max(0, back - 1);
    equal(colors.slice(0, first), before.slice(0, first), case_);
    equal(colors.slice(ids.length - last), before.slice(old.length - last), case_);
  }
}

// ---- pieces.js, against the core's ----

export async function pieces_equal_the_core() {
  const { times, text } = random('pieces');
  const texts = [...Object.values(SAMPLES), ...times(150, () => wellFormed(text(12)))];
  for (const name of [...PATTERNS, 'gapped']) {
    const tokens = await python('tokens', name, texts), wanted = await python('pieces', name, texts);
    for (const [i, one] of texts.entries()) {
      const chunk = new Chunk(one, true), [ids, starts, ends] = tokens[i].map((row) => Uint32Array.from(row));
      chunk.setTokens({ ids, starts, ends, kinds: null }, new Uint8Array(ids.length));
      const pieces = piecesOf(chunk), graphemes = new Set([0]), parts = partsOf(chunk, 3);
      for (const { segment, index } of new Intl.Segmenter('und').segment(one))
        graphemes.add(bytesIn(one.slice(0, index)) + bytesIn(segment));
      equal(pieces.map((piece) => [piece.text, piece.first, piece.last]), wanted[i], `${name}: ${one}`);
      equal(
        pieces.map(({ at }) => at),
        pieces.map((_, k) =>
          bytesIn(
            pieces
              .slice(0, k)
              .map((piece) => piece.text)
              .join(''),
          ),
        ),
      );
      check(pieces.every(({ at, to, text: own }) => to - at === bytesIn(own) && graphemes.has(to)));
      equal(parts.flatMap((part) => part.pieces), pieces);
      equal(parts.map((part) => part.text), parts.map((part) => part.pieces.map((piece) => piece.text).join('')));
    }
  }
}

export async function gaps_and_empty_tokens_are_drawn() {
  const chunk = new Chunk('a <b> c', true);
  chunk.setTokens({ ids: [9, 1, 7, 2], starts: [0, 0, 2, 6], ends: [0, 1, 5, 7], kinds: [1, 0, 2, 0] }, [0, 1, 2, 3]);
  const { fragment } = paintTokens(chunk, piecesOf(chunk), 0, 4, { names: new Map([[9, '[CLS]']]), withBytes: true });
  equal(
    Array.from(fragment.children, (one) => [
      one.textContent, one.className, one.dataset.k ?? null, one.dataset.m ?? one.dataset.bytes ?? null,
    ]),
    [
      ['', 't c0 special bare', '0', '[CLS]'], ['a', 't c1', '1', '61'], [' ', 'gap', null, null],
      ['<b>', 't c2 unknown', '2', '3C 62 3E'], [' ', 'gap', null, null], ['c', 't c3', '3', '63'],
    ],
  );
  equal(fragment.textContent, chunk.text);
  equal(chunk.numLost, 2);
}

// ---- tokens-view.js: what an edit leaves of a painted chunk ----

export async function edited_chunk_is_drawn_as_from_scratch() {
  const show = () => ({ names: new Map(), withBytes: false });
  for (const [size, edits] of [[12, 40], [900, 12]]) {
    let kept = 0;
    for (const name of [...PATTERNS, 'gapped']) {
      const states = statesOf(random(`${name} ${size}`), edits, size).filter(Boolean);
      const rows = await python('tokens', name, states);
      const element = document.createElement('div');
      const view = new TokensView(element, show);
      const doc = Object.assign(new Document(), { hasSafeCuts: false });
      document.body.replaceChildren(element);
      let before = { ids: new Uint32Array(0), colors: new Uint8Array(0) };
      states.forEach((state, s) => {
        const { removed, added } = doc.edit(state);
        const [chunk] = added;
        const [ids, starts, ends, kinds] = rows[s].map((row) => Uint32Array.from(row));
        if (!chunk) return;
        doc.setTokens(chunk, { ids, starts, ends, kinds }, recolor(ids, before, -1, -1).colors);
        before = chunk;
        doc.renumber();
        const elements = new Set(element.querySelectorAll('.t'));
        view.replace(removed, added, doc.chunks, true);
        kept += Array.from(element.querySelectorAll('.t')).filter((one) => elements.has(one)).length;
        const { parts } = view.shown.get(chunk);
        const { fragment, index } = paintTokens(chunk, piecesOf(chunk), 0, ids.length, show());
        equal(
          parts.flatMap((part) => Array.from(part.node.children, (one) => one.outerHTML)),
          Array.from(fragment.children, (one) => one.outerHTML),
        );
        const places = [parts.flatMap((part) => [...part.node.children]), [...fragment.children]].map(
          (all) => new Map(all.map((one, i) => [one, i])),
        );
        equal(
          index.map((_, k) => view.elementsOf(chunk, k).map((one) => places[0].get(one))),
          index.map((own) => own.map((one) => places[1].get(one))),
        );
        check(parts.every((part) => part.node.textContent === part.text && view.parts.get(part.node) === part));
      });
    }
    check(kept > edits * size, `${kept}`); // most elements are reused
  }
}
