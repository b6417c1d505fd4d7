// Tokens that move from one cut of a text to another.
import { recolorCut } from '/web/js/tokens/colors.js';
import { Document } from '/web/js/editor/document.js';
import { compareCuts, movesOf, TokenMotion } from '/web/js/tokens/token-motion.js';
import { TokensView } from '/web/js/tokens/tokens-view.js';
import { adjacentTokens, bytesIn, check, equal, random } from './check.js';

const STYLE = `.frame { position: relative; border: 5px solid; width: 400px; height: 200px; font: 16px/2 monospace }
  .tokens { height: 100%; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere }
  .moves { position: absolute; inset: 0; overflow: hidden } .moves div, .moves i { position: absolute }
  .moves div { overflow: hidden } .moves i { inset: 0 }`;

const { matchMedia } = window;

/** Returns the tokens of a cut with these lengths. */
function cutOf(lengths) {
  let end = 0;
  return lengths.map((length) => ({ start: end, end: (end += length) }));
}

/** Returns the lengths of a random cut of a text into at least one token. */
function randomCut(size, { below }) {
  const lengths = [];
  for (let left = size; left > 0; left -= lengths.at(-1)) lengths.push(1 + below(Math.min(4, left)));
  return lengths;
}

export function groups_lie_between_the_common_starts() {
  const dice = random('groups');
  for (let n = 0; n < 500; n++) {
    const size = 1 + dice.below(20), [before, after] = [0, 1].map(() => cutOf(randomCut(size, dice)));
    const common = before.map(({ start }) => start).filter((start) => after.some((other) => other.start === start));
    const groups = compareCuts(before, after);
    equal(groups.map((group) => before[group.before[0]].start), common);
    equal(groups.map((group) => after[group.after[0]].start), common);
    for (const { before: [from, to], after: [first, end], kind } of groups) {
      const kinds = { '1 1': 'stayed', [`${to - from} 1`]: 'fused', [`1 ${end - first}`]: 'split' };
      equal(kind, to - from === 1 && end - first === 1 ? 'stayed' : kinds[`${to - from} ${end - first}`] ?? 'recut');
    }
  }
}

export function no_group_begins_inside_a_grapheme_nor_stays_while_it_moves() {
  const [before, after] = [cutOf([1, 2, 3]), cutOf([1, 2, 3])];
  for (const cut of [before, after]) cut[1].isInside = true;
  before[2].isMoving = true;
  equal(compareCuts(before, after), [
    { before: [0, 2], after: [0, 2], kind: 'stayed' }, { before: [2, 3], after: [2, 3], kind: 'fused' },
  ]);
}

export function only_what_both_cuts_show_is_compared() {
  equal(compareCuts(cutOf([2, 2, 2, 2]).slice(1), cutOf([4, 4])), [{ before: [1, 3], after: [1, 2], kind: 'fused' }]);
  equal(compareCuts(cutOf([4, 4, 4]), cutOf([4, 2, 2, 2])), [
    { before: [0, 1], after: [0, 1], kind: 'stayed' }, { before: [1, 2], after: [1, 3], kind: 'split' },
  ]);
  equal(compareCuts([], cutOf([1])), []);
}

export function boxes_stay_in_order_and_end_where_the_new_tokens_begin() {
  const dice = random('moves');
  for (let n = 0; n < 500; n++) {
    const size = 1 + dice.below(16), isLeftward = dice.below(2) === 1, at = (byte) => (isLeftward ? -10 : 10) * byte;
    const [before, after] = [0, 1].map(() => cutOf(randomCut(size, dice)).map(({ start, end }, color) => ({
      start, end, color, left: Math.min(at(start), at(end)), right: Math.max(at(start), at(end)),
    })));
    const moves = movesOf(before, after, isLeftward), ordered = (edges) => edges.map(Math.abs).every(
      (edge, i, all) => !i || edge >= all[i - 1],
    );
    check(ordered(moves.map(({ from }) => from)) && ordered(moves.map(({ to }) => to)), JSON.stringify(moves));
    const visible = (edge) => moves.map((move) => move[edge]).filter((x, i, all) => x !== all[i + 1] && x !== at(size));
    equal(visible('from'), before.map(({ start }) => at(start)));
    equal(visible('to'), after.map(({ start }) => at(start)));
  }
}

export function tokens_that_stay_keep_their_color_and_neighbours_differ() {
  const dice = random('colors of a cut');
  for (let n = 0; n < 1000; n++) {
    const size = 1 + dice.below(20), [old, now] = [0, 1].map(() => adjacentTokens(randomCut(size, dice)));
    const row = [dice.below(7)];
    while (row.length < old.ids.length + 2) row.push((row.at(-1) + 1 + dice.below(6)) % 7);
    const [left, right] = [row[0], row.at(-1)], colors = Uint8Array.from(row.slice(1, -1));
    const found = recolorCut(now, { ...old, colors }, left, right);
    check([left, ...found, right].every((color, i, all) => color < 7 && (!i || color !== all[i - 1])), String(found));
    now.starts.forEach((start, k) => {
      const i = old.starts.indexOf(start);
      if (i >= 0 && old.ends[i] === now.ends[k]) equal(found[k], colors[i]);
    });
  }
}

/** A text in a frame, whose cut changes with `cut(lengths)`, on a page without reduced motion. */
function shown(text, lengths, look = '', isReduced = false) {
  const { matchMedia } = window;
  window.matchMedia = () => ({ matches: isReduced });
  const html = '<div class="tokens"></div>';
  document.body.innerHTML = `<style>${STYLE}</style><div class="frame" style="${look}">${html}</div>`;
  const element = document.querySelector('.tokens');
  const doc = new Document(), view = new TokensView(element, () => ({ names: new Map(), withBytes: false }));
  const motion = new TokenMotion(view), [chunk] = doc.edit(text).added;
  const put = (row) => {
    const answer = adjacentTokens(row);
    check(answer.ends.at(-1) === bytesIn(text));
    doc.setTokens(chunk, answer, answer.ids.map((_, k) => k % 7));
    view.replace([], [chunk], doc.chunks, true);
  };
  put(lengths);
  const cut = (row) => { motion.capture(doc); put(row); return motion.play(doc); };
  const close = () => {
    motion.cancel();
    view.close();
    document.body.replaceChildren();
    window.matchMedia = matchMedia;
  };
  return { element, doc, view, motion, put, cut, close };
}

/** Returns the positions of the moving boxes on screen. */
const edges = () => Array.from(document.querySelectorAll('.moves i'), (node) => node.getBoundingClientRect().left);
const pauseAt = (ms) => document.getAnimations().forEach((one) => { one.pause(); one.currentTime = ms; });
const near = (found, wanted) =>
  check(found.length === wanted.length && found.every((x, i) => Math.abs(x - wanted[i]) < 0.6), `${found} / ${wanted}`);
const leftsOf = ({ element }) =>
  Array.from(element.querySelectorAll('[data-k]'), (one) => one.getBoundingClientRect().left);

export function changed_tokens_move() {
  const own = shown('onetwo six', [3, 3, 1, 3]), before = leftsOf(own);
  equal(own.cut([6, 1, 2, 1]), { stayed: 1, fused: 1, split: 1, recut: 0 });
  pauseAt(0);
  near(edges(), [before[0], before[1], before[3], own.element.getBoundingClientRect().left + edgeOf(own, 10)]);
  pauseAt(449.9);
  const after = leftsOf(own);
  near(edges(), [after[0], before[2], after[2], after[3]]);
  equal(own.element.textContent, 'onetwo six');
  equal([...own.element.querySelectorAll('.underway')].map((one) => one.textContent), ['onetwo', 'si', 'x']);
  own.close();
}

const edgeOf = ({ element }, characters) => {
  const part = element.querySelector('.part').getBoundingClientRect();
  return (part.width / element.textContent.length) * characters;
};

export function second_change_starts_from_where_the_boxes_are() {
  const own = shown('onetwo', [3, 3]), left = own.element.getBoundingClientRect().left, wide = edgeOf(own, 6);
  own.cut([6]);
  pauseAt(200);
  const before = edges();
  check(before[1] > left + wide / 2 + 1 && before[1] < left + wide - 1, String(before));
  own.cut([3, 3]);
  pauseAt(0);
  near(edges(), before);
  pauseAt(449.9);
  near(edges(), [left, left + wide / 2]);
  own.cut([3, 3]); // the same cut does not end the way there
  check(own.motion.isPlaying);
  own.close();
}

export function keys_scrolling_and_edits_end_the_motion() {
  const press = (target, key) => target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  const ends = {
    key: () => press(document.body, 'a'),
    scroll: (own) => own.element.dispatchEvent(new Event('scroll')),
    edit: ({ doc, view }) => {
      const { removed, added } = doc.edit('other');
      doc.setTokens(added[0], adjacentTokens([5]), Uint8Array.of(0));
      view.replace(removed, added, doc.chunks, true);
    },
    cancel: (own) => own.motion.cancel(),
  };
  for (const [name, end] of Object.entries(ends)) {
    const own = shown('onetwo', [3, 3]);
    own.cut([6]);
    check(own.motion.isPlaying && own.element.querySelector('.underway'), name);
    end(own);
    check(!own.motion.isPlaying && !document.querySelector('.moves, .underway'), name);
    own.close();
  }
  const own = shown('onetwo', [3, 3]), slider = document.body.appendChild(document.createElement('input'));
  slider.type = 'range';
  own.cut([6]);
  press(slider, 'ArrowRight');
  check(own.motion.isPlaying, 'a key of the slider');
  own.close();
}

export function right_to_left_text_opens_to_the_left() {
  const own = shown('שלום', [8], 'direction: rtl');
  own.cut([4, 4]);
  pauseAt(449.9);
  const moving = [...document.querySelectorAll('.moves i')].map((one) => one.getBoundingClientRect().right);
  near(moving, [...own.element.querySelectorAll('[data-k]')].map((one) => one.getBoundingClientRect().right));
  check(moving[0] > moving[1]);
  own.close();
}

export function tokens_of_one_grapheme_move_within_it() {
  const own = shown('กำ', [1, 2, 3]), { width } = own.element.querySelector('[data-k]').getBoundingClientRect();
  own.cut([6]);
  pauseAt(0);
  const left = own.element.getBoundingClientRect().left;
  near(edges(), [left, left + width / 3, left + (2 * width) / 3]);
  own.motion.cancel();
  own.cut([1, 2, 3]);
  own.motion.cancel();
  equal(own.cut([1, 5]).recut, 1); // the first token has a wider band, so it moves too
  pauseAt(449.9);
  near(edges(), [left, left + width / 2, left + width]);
  own.close();
}

export function nothing_moves_where_the_text_goes_to_another_line() {
  const own = shown('one two', [3, 4]);
  own.motion.capture(own.doc);
  own.element.parentElement.style.width = '50px';
  own.put([7]);
  equal(own.motion.play(own.doc), { stayed: 0, fused: 1, split: 0, recut: 0 });
  check(!own.motion.isPlaying);
  own.motion.capture(own.doc);
  own.element.style.paddingTop = '40px';
  own.put([3, 4]);
  own.motion.play(own.doc);
  check(!own.motion.isPlaying);
  own.close();
}

export function nothing_moves_with_reduced_motion() {
  const own = shown('onetwo', [3, 3], '', true);
  equal(own.cut([6]), null);
  check(!own.motion.isPlaying);
  own.close();
}

export function too_many_tokens_do_not_move() {
  const text = 'ab'.repeat(1100), look = 'width: 900px; height: 700px; font-size: 9px';
  const own = shown(text, Array.from(text, () => 1), look);
  equal(own.cut(Array.from({ length: 1100 }, () => 2)), null);
  equal(own.cut([2200]).fused, 1); // 1,100 can move
  own.close();
}
