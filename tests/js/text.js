// web/js/editor/text.js: safe cuts against tiktoken, line ends against a model.
import { cutEnds, isSafeCut, rawAfterEdit, rawOffset, shown, wellFormed } from '/web/js/editor/text.js';
import { check, equal, python, random, upTo } from './check.js';

const cutsOf = (text) => upTo(text.length + 1).filter((i) => isSafeCut(text, i));

export async function tokens_of_both_sides_of_a_safe_cut_equal_those_of_the_whole() {
  const { times, text } = random('cuts');
  const texts = times(1500, () => text(12)).filter((one) => cutsOf(one).length);
  const cuts = texts.map(cutsOf);
  check(cuts.flat().length > 500);
  const inputs = texts.flatMap((one, i) => [one, ...cuts[i].flatMap((at) => [one.slice(0, at), one.slice(at)])]);
  for (const special of ['text', 'special'])
    for (const name of ['gpt2', 'cl100k_base', 'o200k_base', 'o200k_harmony']) {
      const ids = (await python('encode', name, inputs, special)).values();
      for (const [i, one] of texts.entries()) {
        const whole = ids.next().value;
        for (const at of cuts[i])
          equal([...ids.next().value, ...ids.next().value], whole, `${name}: ${one.slice(0, at)} | ${one.slice(at)}`);
      }
    }
}

export function every_kind_of_safe_cut_is_found() {
  const texts = ['line\nnext', 'two words', '文字。次', 'a\n/b', 'a \nb', 'a\n\nb', 'a  b', '。。', 'a\u0085b'];
  equal(texts.map(cutsOf), [[5], [3], [2], [], [], [], [], [], []]);
}

export function cut_ends_are_safe_cuts_in_order() {
  const { times, text } = random('cut ends');
  for (const pieces of [
    undefined, [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'], [...'ab .', '\n', '。', '文'],
  ]) {
    for (const one of times(8, () => text(6000, pieces)).filter(Boolean)) {
      const ends = cutEnds(one, 0, one.length),
        safe = new Set(cutsOf(one));
      check(ends.every((end, i) => !i || ends[i - 1] < end) && ends.at(-1) === one.length);
      equal(
        ends.slice(0, -1).filter((end) => !safe.has(end)), [],
      );
    }
  }
}

// ---- line ends: the model tries every place ----

const rawOffsetOf = (raw, at) =>
  upTo(raw.length + 1).find(
    (i) => raw.slice(Math.max(0, i - 1), i + 1) !== '\r\n' && shown(raw.slice(0, i)).length === at,
  );

// Joins parts; a lone CR before an LF becomes LF, or else two line ends would become one.
function joined(...parts) {
  let raw = '';
  for (const part of parts) {
    const ends = part.startsWith('\n') ? raw.length - raw.replace(/\r+$/, '').length : 0;
    raw = raw.slice(0, raw.length - ends) + '\n'.repeat(ends) + part;
  }
  return raw;
}

// Returns all possible raw texts after `inserted` replaced shown(raw)[start:end], which may match at several places.
function afterPaste(raw, start, end, inserted) {
  const before = shown(raw), size = end - start, value = before.slice(0, start) + shown(inserted) + before.slice(end);
  return upTo(before.length - size + 1)
    .filter((at) => before.slice(0, at) + shown(inserted) + before.slice(at + size) === value)
    .map((at) => joined(raw.slice(0, rawOffsetOf(raw, at)), inserted, raw.slice(rawOffsetOf(raw, at + size))));
}

// Returns all possible raw texts after an edit with a known result that keeps as much of the raw text as possible.
function afterTyping(raw, start, end, inserted) {
  const before = shown(raw);
  const value = before.slice(0, start) + inserted + before.slice(end);
  const least = Math.min(before.length, value.length);
  const same = (a, b) => { let n = 0; while (n < least && a[n] === b[n]) n++; return n; };
  const front = same(before, value), back = same([...before].reverse().join(''), [...value].reverse().join(''));
  const kept = Math.min(front + back, least), removed = before.length - kept, added = value.length - kept;
  return upTo(kept + 1)
    .filter((at) => at <= front && kept - at <= back)
    .map((at) =>
      joined(
        raw.slice(0, rawOffsetOf(raw, at)), value.slice(at, at + added), raw.slice(rawOffsetOf(raw, at + removed)),
      ),
    );
}

export function line_ends_outside_an_edit_stay_and_a_paste_keeps_its_own() {
  const { below, choice, times, text } = random('line ends');
  for (const ends of [['\r\n'], ['\r\n', '\n'], ['\r\n', '\n', '\r']])
    for (const isPaste of [false, true])
      for (let n = 0; n < 1500; n++) {
        const raw = text(8, [...'abc', 'ท', 'ี่', '中', ...ends]),
          before = shown(raw),
          start = below(before.length + 1);
        const end = Math.min(before.length, start + choice([0, 0, 1, 2]));
        const inserted = text(4, [...'abX', ...(isPaste ? ends : ['\n'])]);
        const value = before.slice(0, start) + shown(inserted) + before.slice(end);
        const after = rawAfterEdit(raw, value, isPaste ? inserted : null);
        equal(shown(after), value, JSON.stringify([raw, start, end, inserted]));
        if (value !== before)
          check(
            (isPaste ? afterPaste : afterTyping)(raw, start, end, inserted).includes(after),
            JSON.stringify([raw, start, end, inserted, after]),
          );
      }
  equal(times(1, () => rawAfterEdit('👍\r\n', '👍\nx')), ['👍\r\nx']);
}

export function offsets_of_the_textarea_are_found_in_the_raw_text() {
  const { times, text } = random('offsets');
  for (const raw of times(300, () => text(6, [...'ab', '\r\n', '\n', '\r']))) {
    for (const at of upTo(shown(raw).length + 1)) equal(rawOffset(raw, at), rawOffsetOf(raw, at), JSON.stringify(raw));
  }
}

export async function lone_surrogates_are_replaced_as_the_encoders_do() {
  const { times, text } = random('surrogates');
  const texts = times(500, () => text(10, ['a', '\ud83d', '\udc4d', '👍', '\ufffd']));
  equal(texts.map(wellFormed), await python('well_formed', texts));
}
