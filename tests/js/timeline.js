// The timeline's modules, against the trainer and a naive model that applies merges one by one.
import { nameOfBytes, runsOf } from '/web/js/tokens/token-chip.js';
import { actionOf } from '/web/js/dom/key-bindings.js';
import { wellFormed } from '/web/js/editor/text.js';
import { stableColors } from '/web/js/recut/stable-colors.js';
import { choices, judge, Score } from '/web/timeline/js/quiz.js';
import { NEVER } from '/web/js/recut/closings.js';
import { tabState, updateTab } from '/web/js/editor/tab-state.js';
import { Recut } from '/web/js/recut/recut.js';
import { pathOf, samples, scaleOf, stepAt } from '/web/timeline/js/scrubber.js';
import { Timeline } from '/web/timeline/js/timeline.js';
import { Tools } from '/web/timeline/js/tools.js';
import { TrainingHistory } from '/web/timeline/js/training-history.js';
import { comparison, scoreInWords, seenAndSaved, stepInWords, tieSentence } from '/web/timeline/js/sentences.js';
import { check, equal, NO_CONTROL, python, random, upTo } from './check.js';

const TRAININGS = ['thai', 'english', 'no pattern', 'characters', 'smallest ids', 'lifted'];
const { THAI, ENGLISH } = await python('training_texts');

const known = new Map(); // name -> { history, core }: from the server, and from the trainer
async function trained(name) {
  if (!known.has(name)) {
    const { rows, ...core } = await python('training_facts', name);
    known.set(name, { core, history: new TrainingHistory(rows.map((row) => Uint32Array.from(row))) });
  }
  return known.get(name);
}

const recutOf = async (name, text) =>
  new Recut(
    wellFormed(text), ...(await python('closings', name, wellFormed(text))).map((row) => Uint32Array.from(row)),
  );

function otherTexts(name) {
  const { text } = random(name);
  return ['', 'x', THAI, ENGLISH, ...upTo(2).map(() => text(150, NO_CONTROL))].map(wellFormed);
}

// ---- training-history.js ----

export async function symbols_have_their_bytes_and_lengths() {
  for (const name of TRAININGS) {
    const { history, core } = await trained(name), all = upTo(history.lengths.length);
    equal(all.map((symbol) => history.bytesOf(symbol)), core.tokens);
    equal(all.map((symbol) => history.bytesOf(symbol, 3)), core.tokens.map((token) => token.slice(0, 3)));
    equal(
      [history.lengths, history.tokens, history.alphabet],
      [core.tokens.map((token) => token.length), core.numTokens, core.alphabet],
    );
    for (const step of [0, 5])
      check(Math.abs(history.bytesPerToken(step) - core.numBytes / core.numTokens[step]) < 1e-9);
  }
}

export async function candidates_are_the_winner_and_its_runners_up() {
  for (const name of TRAININGS) {
    const { history, core } = await trained(name);
    let ties = 0;
    core.merges.forEach((merge, i) => {
      const all = [merge, ...core.rivals[i]], same = all.filter(([, , count]) => count === merge[2]).length;
      equal(history.candidates(i).map((one) => [core.tokens[one.left], core.tokens[one.right], one.count]), all);
      equal(history.candidates(i).map((one) => one.won), all.map((_, k) => k === 0));
      equal(history.tied(i), { pairs: same, more: same === 6 });
      equal(history.isForced(i), all.some(([, , count]) => count > merge[2]));
      ties += same > 1;
    });
    check(ties);
  }
  equal(upTo(3).map((i) => known.get('english').history.isForced(i)), [false, false, false]);
  const { history } = await trained('fork');
  equal(upTo(3).map((i) => history.isForced(i)), [true, false, false]); // forced, detected by its count
}

export function deepest_chain_of_merges_has_its_bytes() {
  const n = 30_000, right = Array(n).fill(1);
  const history = new TrainingHistory(
    [[0, 5, n + 1, n + 1, 2], [97, 98], [0, ...upTo(n - 1).map((i) => 2 + i)], right, right, right, [], []].map((row) =>
      Uint32Array.from(row),
    ),
  );
  const all = history.bytesOf(n + 1);
  equal([all.length, all[0], new Set(all.subarray(1)), history.bytesOf(n + 1, 2).length], [n + 1, 97, [98], 2]);
}

export function numbers_above_32_bits_are_exact() {
  const far = 2 ** 40 + 7, rows = [[0, 1, 5, 6, 2], [97, 98], [0], [1], [9], [9], [0, NEVER, 3], [8]];
  const halves = rows.map((row) => row.map(() => 0));
  [halves[0][2], halves[0][3], halves[4][0], halves[5][0]] = [256, 256, 256, 256];
  const history = new TrainingHistory([...rows, ...halves].map((row) => Uint32Array.from(row)));
  const { count, saved, tokens, numBytes } = history;
  equal([count[0], saved[0], tokens[0], numBytes], [far + 2, far + 2, far - 2, far - 1]);
  equal([tokens[1], history.left[0], history.lengths], [far - 2 - far - 2, 0, [1, 1, 2]]);
}

export function old_tokens_have_their_bytes_and_ids() {
  // ids: "a", "กบ" of six bytes, one that no merge may use, "\n"; then "กบ" + "a"
  const bytes = [...new TextEncoder().encode('aกบ\n')], lengths = [1, 6, 0, 1];
  const words = new Uint32Array(Uint8Array.from([...bytes, ...Array(-bytes.length & 3).fill(0)]).buffer);
  const rows = [[2, 1, 5, 8, 4], lengths, [1], [0], [3], [3], [3, 0, 2], [0, 0, 0, 0, 3], words];
  for (const answer of [rows, [...rows, ...rows.map((row) => Array.from(row, () => 0))]]) {
    const history = new TrainingHistory(answer.map((row) => Uint32Array.from(row)));
    equal([history.alphabet, history.numBase, history.lengths], ['tokens', 4, [1, 6, 0, 1, 7]]);
    equal([0, 1, 3].map((symbol) => history.baseSymbol(history.bytesOf(symbol))), [0, 1, 3]);
    equal(new TextDecoder().decode(history.bytesOf(4)), 'กบa');
    equal(history.baseSymbol(new TextEncoder().encode('ข')), null);
  }
}

// ---- recut.js, stable-colors.js ----

export function blocks_end_where_units_of_several_graphemes_end() {
  const unit = 'abcdefghi', text = unit.repeat(40), ends = upTo(40).map((i) => 9 * (i + 1));
  const recut = new Recut(text, Uint32Array.from(ends), Uint32Array.from(ends.map(() => NEVER)));
  check(recut.blocks.length > 1);
  equal(recut.blocks.map((block) => block.text).join(''), text);
  for (const block of recut.blocks) {
    equal(new TextDecoder().decode(block.bytes), block.text);
    equal(block.text.length % unit.length, 0);
  }
}

export async function every_step_equals_the_naive_model() {
  for (const name of TRAININGS) {
    const { history, core } = await trained(name), n = history.numMerges, base = history.numBase;
    const steps = [...new Set([0, 1, 2, n >> 1, n - 1, n])];
    for (const text of otherTexts(`cuts ${name}`)) {
      const recut = await recutOf(name, text);
      const bytes = new TextEncoder().encode(text);
      const naive = await python('naive_cuts', name, text, steps);
      steps.forEach((step, s) => {
        const wanted = naive[s], found = [], units = [];
        let at = 0;
        for (const block of recut.blocks) {
          const start = at, cut = recut.cut(block, step);
          cut.ends.forEach((end, k) => {
            const own = Array.from(bytes.subarray(at, start + end));
            found.push([own, cut.made[k] >= 0 ? base + cut.made[k] : wanted[found.length]?.[1]]);
            units.push([
              cut.units[k],
              core.alphabet === 'bytes'
                ? at
                : Array.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, at))).length,
            ]);
            at = start + end;
          });
          equal(recut.hasNewest(block, step), step > 0 && cut.made.includes(step - 1));
        }
        equal(found, wanted, `${name}, step ${step}: ${text}`);
        check(units.every(([own, other]) => own === other));
        equal(
          [recut.count(step), recut.countNewest(step)],
          [wanted.length, step ? wanted.filter(([, id]) => id === base + step - 1).length : 0],
        );
      });
    }
  }
}

export async function blocks_are_small_and_end_at_graphemes_and_permanent_gaps() {
  for (const name of TRAININGS) for (const text of otherTexts(`blocks ${name}`)) {
    const { blocks, closings } = await recutOf(name, text);
    const ends = new Set(
      Array.from(new Intl.Segmenter('und').segment(text), ({ segment, index }) => index + segment.length),
    );
    equal(blocks.map((block) => block.text).join(''), text);
    let at = 0;
    blocks.forEach((block, i) => {
      equal(block.from, i ? blocks[i - 1].to : 0);
      at += block.text.length;
      if (i < blocks.length - 1)
        check(ends.has(at) && closings[block.to - 1] === NEVER && block.endsLine === block.text.endsWith('\n'));
    });
  }
  const sizes = (await recutOf('thai', THAI.repeat(40))).blocks.map((block) => block.text.length);
  check(Math.max(...sizes) < 130 && sizes.length > 30);
}

export async function untouched_blocks_are_unchanged() {
  for (const name of TRAININGS) {
    const recut = await recutOf(name, (THAI + ENGLISH).repeat(4));
    const { numMerges: n } = (await trained(name)).history;
    const { below } = random(name);
    const counts = [0, 0];
    for (const [a, b] of [
      ...upTo(20).map(() => [below(n + 1), below(n + 1)]), ...upTo(Math.ceil(n / 7)).map((s) => [7 * s, 7 * s + 1]),
    ])
      for (const block of recut.blocks) {
        const isTouched = recut.isTouched(block, a, b);
        counts[Number(isTouched)]++;
        if (isTouched || a === b) continue;
        equal(recut.cut(block, a), recut.cut(block, b), `${a} ${b} ${block.text}`);
        check(!recut.hasNewest(block, a) && !recut.hasNewest(block, b));
      }
    check(counts[0] && counts[1]);
  }
}

export async function neighbouring_tokens_differ_in_colour_at_every_step() {
  const { below, choice, times } = random('hues');
  const colorsOf = (closings, most) => {
    const colors = stableColors(Uint32Array.from(closings));
    for (const step of upTo(most + 2)) {
      let last = -1;
      for (let i = 0; i < closings.length; i++) {
        if (i > 0 && closings[i - 1] < step) continue;
        check(colors[i] !== last && colors[i] < 7, `step ${step}, unit ${i}`);
        last = colors[i];
      }
    }
    return new Set(colors).size;
  };
  for (const size of [1, 2, 5, 40, 300])
    for (const most of [1, 3, 20, 300])
      for (const _ of upTo(6))
        colorsOf(
          times(size, () => choice([below(most), below(most), NEVER])), most,
        );
  for (const name of TRAININGS)
    equal(colorsOf((await recutOf(name, THAI + ENGLISH)).closings, (await trained(name)).history.numMerges), 7);
}

// ---- scrubber.js ----

export async function curve_has_few_points_and_both_ends() {
  for (const n of [0, 1, 7, 499, 1000, 30_000]) for (const limit of [0, Math.floor(n / 3), n]) {
    const found = samples(n, limit);
    check(
      found.every((step, i) => !i || found[i - 1] < step) &&
        found[0] === 0 &&
        found.at(-1) === limit &&
        found.length <= 502,
      `${n} ${limit}`,
    );
  }
  equal([-1, 0, 0.24, 0.5, 0.999, 1, 2].map((share) => stepAt(share, 100)), [0, 0, 24, 50, 100, 100, 100]);
  const { history } = await trained('english');
  const scale = scaleOf([history], history.numMerges);
  const path = pathOf(history, scale, history.numMerges);
  check(scale.low === 1 && scale.high > 1);
  equal([path.match(/^M[^L]*/)[0], path.match(/L[^L]*$/)[0]], ['M0 100', 'L1000 0']);
}

// ---- quiz.js, sentences.js, key-bindings.js, token-chip.js ----

export async function order_of_the_choices_does_not_reveal_the_winner() {
  for (const name of TRAININGS) {
    const { history } = await trained(name), places = new Set();
    for (const i of upTo(history.numMerges)) {
      const order = choices(history, i);
      const keys = order
        .map(({ left, right }) =>
          [...history.bytesOf(left), ...history.bytesOf(right)].map((byte) => String.fromCharCode(byte)).join(''),
        )
        .map((key, k) => key + String.fromCharCode(0) + String.fromCharCode(history.lengths[order[k].left]));
      check(keys.every((key, k) => !k || keys[k - 1] <= key));
      equal(order.filter((one) => one.won).length, 1);
      places.add(order.findIndex((one) => one.won));
    }
    check(places.size > 2);
  }
}

export function judge_counts_a_tie_as_right() {
  const options = [{ count: 4, won: false }, { count: 9, won: true }, { count: 9, won: false }];
  const score = new Score();
  const scores = [];
  equal(scoreInWords(score), 'Score: no guess yet.');
  const verdicts = [1, 2, 0, 1].map((k) => judge(options, k));
  for (const verdict of verdicts) { score.add(verdict); scores.push([score.right, score.asked, score.streak]); }
  equal(
    [verdicts, scores, scoreInWords(score)],
    [
      ['right', 'tie', 'wrong', 'right'],
      [
        [1, 1, 1], [2, 2, 2], [2, 3, 0], [3, 4, 1],
      ],
      'Score: 3 of 4',
    ],
  );
}

export function sentences_have_the_expected_words() {
  const ties = { name: 'first-seen', words: 'the pair that comes first in the text' };
  const rule = `Of pairs that occur equally often, the rule ${ties.name} chooses ${ties.words}.`;
  for (const [found, wanted] of [
    [seenAndSaved(1234, 1234, false), 'The pair occurred 1,234 times; the merge saved 1,234 tokens.'],
    [seenAndSaved(1, 1, true), 'The pair occurs once; the merge saves 1 token.'],
    [seenAndSaved(7, 4, false).slice(0, 68), 'The pair occurred 7 times; the merge saved 4 tokens. The merge saves'],
    [tieSentence({ pairs: 2, more: false }, 41, ties), `2 pairs occurred 41 times each. ${rule}`],
    [tieSentence({ pairs: 6, more: true }, 41, ties), `6 or more pairs occurred 41 times each. ${rule}`],
    [stepInWords(37, 256, 'th + e'), 'merge 37 of 256: th + e'],
    [stepInWords(0, 256, ''), 'before the first of 256 merges'],
    [stepInWords(0, 0, ''), 'No merges'],
    [comparison(120, 14310, 14202), 'After 120 merges: 14,202 tokens without the fork, 14,310 with it (+0.8 %).'],
    [comparison(1, 990, 1000), 'After 1 merge: 1,000 tokens without the fork, 990 with it (−1.0 %).'],
    [comparison(2, 10, 10), 'After 2 merges: 10 tokens without the fork, 10 with it (the same).'],
  ]) equal(found, wanted);
}

export function keys_have_the_expected_meaning() {
  for (const [key, focus, wanted, hasToken = false] of [
    [{ key: 'ArrowRight' }, '', { move: 1 }], [{ key: 'ArrowLeft', shiftKey: true }, 'button', { move: -10 }],
    [{ key: 'ArrowRight' }, 'field', null], [{ key: 'ArrowRight' }, 'select', null],
    [{ key: 'ArrowDown' }, 'lane', { token: 1 }], [{ key: 'ArrowUp' }, 'range', { move: 1 }],
    [{ key: 'ArrowDown' }, '', null], [{ key: ' ' }, '', 'play'], [{ key: ' ' }, 'button', null],
    [{ key: '+' }, '', { speed: 1 }], [{ key: '-' }, 'lane', { speed: -1 }], [{ key: '3' }, 'button', { pick: 2 }],
    [{ key: '7' }, '', null], [{ key: '1', ctrlKey: true }, '', null], [{ key: 'r' }, '', null],
    [{ key: 'Enter' }, 'range', 'next'], [{ key: 'Enter' }, 'lane', 'pin', true],
    [{ key: 'Enter' }, 'range', 'next', true], [{ key: 'Enter' }, 'button', null, true],
    [{ key: 'g' }, 'button', 'predict'], [{ key: 'g' }, 'field', null], [{ key: 'ก', keyCode: 71 }, '', 'predict'],
    [{ key: 'Home' }, 'range', { move: -Infinity }], [{ key: 'End' }, 'range', { move: Infinity }],
  ])
    equal(actionOf(key, focus, hasToken), wanted, `${key.key} on ${focus}`);
  for (const [key, code, asked, wanted = asked, shiftKey = false] of [
    ['-', 'Digit3', { pick: 2 }, { speed: -1 }], ['ๅ', 'Digit1', { pick: 0 }, null], // Thai
    ['-', 'Digit6', { pick: 5 }, { speed: -1 }], ['&', 'Digit1', { pick: 0 }, null], // French
    ['3', 'Digit3', { pick: 2 }, { pick: 2 }, true], ['+', 'Digit1', { pick: 0 }, { speed: 1 }], // French, Czech
    ['+', 'Digit1', { speed: 1 }, { speed: 1 }, true], ['3', 'Digit4', { pick: 2 }], // Swiss; another order of digits
    ['٢', 'Numpad2', { pick: 1 }, null], ['End', 'Numpad1', { move: Infinity }], ['-', 'Minus', { speed: -1 }],
    ['+', 'NumpadAdd', { speed: 1 }], ['ู', 'Digit7', null],
  ]) {
    const event = { key, code, shiftKey };
    equal([actionOf(event, '', false, true), actionOf(event, '')], [asked, wanted], `${key} of ${code}`);
  }
}

export function bytes_are_split_into_whole_characters_and_the_rest() {
  const { text, below, times } = random('runs'), whole = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (const own of times(60, () => new TextEncoder().encode(wellFormed(text(6, NO_CONTROL))))) {
    const data = own.subarray(below(3), Math.max(0, own.length - below(3))), runs = runsOf(data);
    equal(runs.flatMap((run) => Array.from('text' in run ? new TextEncoder().encode(run.text) : run.bytes)), data);
    check(runs.every((run, i) => !i || ('text' in run) !== ('text' in runs[i - 1])));
    for (const run of runs)
      if ('bytes' in run)
        for (const i of upTo(run.bytes.length))
          for (const size of [1, 2, 3, 4].filter((n) => i + n <= run.bytes.length)) {
            let isText = true;
            try {
              whole.decode(Uint8Array.from(run.bytes.slice(i, i + size)));
            } catch {
              isText = false;
            }
            check(!isText, 'bytes of a whole character are shown as bytes');
          }
  }
  equal(
    [' the', [0xe0, 0xb8], [...new TextEncoder().encode('น'), 0xe0], '\u0e35', 'x'.repeat(90)].map((one) =>
      nameOfBytes(typeof one === 'string' ? new TextEncoder().encode(one) : Uint8Array.from(one)),
    ),
    ['·the', 'E0 B8', 'น E0', '◌\u0e35', `${'x'.repeat(24)} …`],
  );
}

// ---- tools.js ----

function toolsWithOwnText() {
  const place = document.createElement('div'), $ = (selector) => place.querySelector(selector);
  place.innerHTML =
    '<input class="jump"><button data-do="own"></button><p class="own" hidden><textarea></textarea></p>';
  const cut = [], { setOwnText } = Timeline.prototype;
  const timeline = {
    $, setOwnText, ownText: null, data: { text: 'of the training' }, recutText: (text) => cut.push(text),
    windowListeners: new AbortController(),
  };
  updateTab({ own: null, isOwnHidden: false });
  return { $, cut, timeline, tools: new Tools(timeline) };
}

export function own_text_is_in_the_tab_as_soon_as_it_is_typed() {
  const { $, cut, timeline, tools } = toolsWithOwnText();
  $('textarea').value = 'typed';
  $('textarea').dispatchEvent(new Event('input'));
  equal([tabState().own, cut], ['typed', []]); // it is cut after a pause
  tools.reset();
  equal([timeline.ownText, cut, $('.own').hidden], [null, ['of the training'], true]);
  updateTab({ own: null });
}

export function own_text_is_shown_again_after_a_reset() {
  const { $, cut, timeline, tools } = toolsWithOwnText();
  $('textarea').value = 'typed';
  $('textarea').dispatchEvent(new Event('input'));
  tools.reset();
  equal([tabState().own, tabState().isOwnHidden], ['typed', true]); // so after a reload, too
  new Tools(timeline);
  equal([$('textarea').value, $('.own').hidden], ['typed', true]);
  tools.runAction('own');
  equal([timeline.ownText, tabState().isOwnHidden, cut], ['typed', false, ['of the training', 'typed']]);
  tools.runAction('own');
  tools.runAction('own');
  equal([cut.length, $('textarea').value], [2, 'typed']); // it is shown already
  updateTab({ own: null });
}
