// The ladder of one pre-token, against the core.
import { Merges } from '/web/js/loupe/merges.js';
import { Scene } from '/ui/why/js/scene.js';
import { bytesInWords, fillText, stateWords } from '/ui/why/js/sentences.js';
import { check, equal, python, random } from './check.js';

export async function rows_and_candidates_equal_the_core() {
  const { choice, times } = random('ladder'), letters = [...'abcdef', 'ก', 'ข', '\u0e35', '\u0e48', ...' the'];
  for (const name of ['gpt2', 'o200k_base'])
    for (const text of ['ที่นี่มีน้ำแข็ง', 'aaaaaaaaaaaaaaaa', times(50, () => choice(letters)).join('')]) {
      const { data, rows } = await python('ladder', name, text),
        merges = new Merges(data),
        { offsets } = merges;
      rows.forEach(([parts, candidates], state) => {
        equal(
          merges.parts(state).map(({ from, to, id }) => [offsets[from], offsets[to], id]), parts,
        );
        equal(
          merges.candidates(state).map(({ at, rank }) => [offsets[at], rank]), candidates,
        );
      });
    }
}

export async function long_ladder_draws_only_the_part_in_view() {
  const { data } = await python('ladder', 'cl100k_base', 'ab'.repeat(2000) + 'ที่นี่มีน้ำ'.repeat(200), false);
  const place = document.createElement('div');
  const merges = new Merges(data);
  const scene = new Scene(place);
  place.style.cssText = 'height: 300px; width: 900px; overflow: auto';
  document.body.replaceChildren(place);
  for (const form of ['ladder', 'tree'])
    for (const state of form === 'tree'
      ? [merges.numSteps]
      : [merges.numSteps, 0, 1, merges.numSteps >> 1, merges.numSteps - 1]) {
      scene.show(merges, ['wall', 'wall'], form);
      scene.move(state, false);
      check(scene.space.children.length < 1500, `${form} ${state}: ${scene.space.children.length}`);
    }
  scene.close();
}

export async function crosses_between_the_final_tokens_are_in_a_line() {
  const merges = new Merges((await python('ladder', 'cl100k_base', ' detokenizering')).data);
  const place = document.createElement('div');
  document.body.replaceChildren(place);
  const scene = new Scene(place);
  scene.show(merges, ['wall', 'wall'], 'ladder');
  scene.move(merges.numSteps, false);
  const crosses = [...place.querySelectorAll('.gap')];
  equal(crosses.map((one) => one.textContent), ['✕', '✕', '✕']);
  equal(new Set(crosses.map((one) => one.style.top)).size, 1);
  scene.close();
}

export async function ladder_outside_the_page_is_drawn_when_it_is_attached() {
  const { data } = await python('ladder', 'gpt2', 'tokenizers');
  const place = document.createElement('div');
  const merges = new Merges(data);
  const scene = new Scene(place);
  merges.parts = (state, from, to) => {
    check(Number.isFinite(from) && Number.isFinite(to), `parts of ${from} to ${to}`);
    return Merges.prototype.parts.call(merges, state, from, to);
  };
  place.style.cssText = 'height: 300px; width: 900px; overflow: auto';
  scene.show(merges, ['wall', 'wall'], 'ladder'); // as when the page changes while the ladder loads
  scene.move(merges.numSteps, false);
  equal(scene.space.children.length, 0);
  document.body.replaceChildren(place);
  await new Promise((resolve) => { new ResizeObserver(resolve).observe(place); });
  check(scene.space.querySelector('.part.now'));
  scene.close();
}

export function bytes_of_a_piece_have_the_expected_words() {
  equal([bytesInWords(3, 3), bytesInWords(3, 1204)], ['byte 3', 'bytes 3 to 1,204']);
}

export function piece_without_merges_is_not_said_to_have_had_some() {
  const none = { positions: [], ranks: [], gaps: [], lefts: [], rights: [], others: [], whole: false };
  const merges = new Merges({ ...none, hex: '61', base: [64], lengths: null, tokens: [[64, 1]] });
  const { head, sentence } = stateWords(merges, 0);
  equal([head, sentence], ['No merges', 'No merge applies: 1 token.']);
}

export async function right_to_left_halves_of_a_merge_stay_in_their_order() {
  const merges = new Merges((await python('ladder', 'o200k_base', ' لغة')).data);
  const { sentence } = stateWords(merges, merges.numSteps);
  check(sentence.startsWith('\u2068·ل\u2069 + \u2068غة\u2069 became \u2068·لغة\u2069'), sentence);
}

export function invisible_characters_among_letters_have_signs_and_joiners_have_none() {
  const signs = (text) =>
    Array.from(fillText(document.createElement('b'), text).querySelectorAll('.sign'), (one) => one.dataset.m);
  equal(['\u200bผม', 'a\u00adb\u200e', '\u200d', '👩\u200d🚀 می\u200cخواهم'].map(signs), [
    ['‹ZWSP›'], ['‹SHY›', '‹LRM›'], ['ZWJ'], ['·'],
  ]);
}
