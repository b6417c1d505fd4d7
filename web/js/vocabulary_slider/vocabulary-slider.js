// A text as the first n merges of a vocabulary cut it, with a slider from bytes alone to all merges. It needs an
// encoder of the page, and no server.
import { firstWhere } from '../dom/binary-search.js';
import { make, makeButton } from '../dom/elements.js';
import { tr, trn } from '../dom/i18n.js';
import { wellFormed } from '../editor/text.js';
import { closingsOf, NEVER } from '../recut/closings.js';
import { Lane } from '../recut/lane.js';
import { Recut } from '../recut/recut.js';
import { TokenMotion } from '../tokens/token-motion.js';
import { isolated, setText } from '../tokens/readout.js';
import { nameOfBytes } from '../tokens/token-chip.js';
import { Curve, mergesAt, shareOf } from './curve.js';
import { countScripts } from './script-counts.js';

export const MAX_CHARACTERS = 5000;
export const READ_DELAY_MS = 100; // without input, until an editor shows its text here
const MAX_UNDIVIDED_CHARACTERS = 1500; // of a text with long pre-tokens, which take time by their squared length
const MAX_SQUARED_BYTES = 6_000 ** 2; // of the pre-tokens of a text
const PLAY_MS = 12_000; // from bytes alone to all merges
const PLAY_STEP_MS = 250;
const MOTION_MS = 220; // in which tokens fuse; quicker moves have no motion, which costs several frames
const REST_DELAY_MS = 400;
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }; // sizes per key

/** Returns the part of a text that is shown, and how many characters are not. */
function shownPart(text, encoder) {
  const characters = Array.from(wellFormed(text));
  let shown = characters.slice(0, MAX_CHARACTERS).join(''), squared = 0;
  for (const [from, to] of encoder.preTokens(shown)) squared += (to - from) ** 2;
  if (squared > MAX_SQUARED_BYTES) shown = characters.slice(0, MAX_UNDIVIDED_CHARACTERS).join('');
  return { shown, isWhole: shown.length === text.length };
}

const quoted = (bytes) => `“${isolated(nameOfBytes(bytes))}”`;

export class VocabularySlider {
  /** Draws into `element`. `onRest(n)` is called with the number of merges when the visitor has moved the slider, null
   *  for all merges. */
  constructor(element, onRest = () => {}) {
    Object.assign(this, { element, onRest, wanted: null, playing: false });
    this.title = make('h3');
    this.count = make('p', 'size-count', make('b'), make('span'));
    this.view = make('div', 'tokens at-size');
    this.note = make('p', 'size-note');
    this.merge = make('p', 'size-merge');
    this.curve = new Curve((n) => this.select(n));
    this.button = makeButton('size-play', () => this.toggle());
    this.lane = new Lane(this.view);
    this.motion = Object.assign(new TokenMotion(this.lane), { durationMs: MOTION_MS });
    this.movedAt = 0;
    Object.assign(this.view, { tabIndex: 0, role: 'group', ariaLabel: tr('Tokens at this number of merges') });
    this.body = make('div', 'size-body', make('div', 'size-head', this.title, this.count),
      make('div', 'frame', this.view), this.merge,
      make('div', 'size-way', this.button, this.curve.element));
    this.body.hidden = true; // until there is a text, so that no heading is empty
    element.append(this.note, this.body);
    this.curve.range.addEventListener('keydown', (event) => this.onKey(event));
    this.resizeObserver = new ResizeObserver(() => { if (this.recut) this.lane.paintInView(); });
    this.resizeObserver.observe(this.view);
    this.drawButton();
  }

  /** Shows a text, cut by an encoder of the page, which has the `name` of an encoding. */
  show(text, encoder, name) {
    if (this.text === text && this.encoder === encoder) return;
    Object.assign(this, { text, encoder, name });
    const { shown, isWhole } = shownPart(text, encoder), closings = closingsOf(encoder, shown);
    this.numMerges = encoder.table.mergesBelow.at(-1);
    this.recut = new Recut(shown, Uint32Array.from(closings, (_, i) => i + 1), closings);
    this.sizes = Array.from(new Set(this.recut.sorted), (merge) => merge + 1).filter((n) => n <= NEVER);
    this.body.hidden = !shown;
    const notes = [
      !shown && tr('No text yet. Type something.'),
      !isWhole && tr('Only the first {n} characters are read here.', { n: Array.from(shown).length }),
      encoder.containsSpecialToken(shown) && tr('Names of special tokens are read as text here.'),
    ];
    setText(this.note, notes.filter(Boolean).join(' '));
    this.curve.load(countScripts(shown, closings), this.numMerges);
    this.step = null;
    this.draw();
  }

  /** Shows why there is no slider, instead. */
  showReason(reason) {
    this.stop();
    Object.assign(this, { text: null, encoder: null });
    this.body.hidden = true;
    setText(this.note, reason);
  }

  get n() {
    return Math.min(this.wanted ?? this.numMerges, this.numMerges);
  }

  /** Moves the slider to a number of merges, null for all. */
  moveTo(n) {
    this.stop();
    this.wanted = n;
    if (this.recut) this.draw();
  }

  select(n) {
    this.stop();
    this.set(n);
  }

  set(n) {
    this.wanted = n >= this.numMerges ? null : Math.max(0, n);
    this.draw();
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => this.onRest(this.wanted), REST_DELAY_MS);
  }

  // The arrows go to the next size at which the text gets shorter, or longer.
  onKey(event) {
    const by = STEPS[event.key];
    if (event.key === ' ') this.toggle();
    else if (event.key === 'Home' || event.key === 'End') this.select(event.key === 'Home' ? 0 : this.numMerges);
    else if (by) this.select(this.sizeAfter(by));
    else return;
    event.preventDefault();
  }

  sizeAfter(by) {
    const all = [0, ...this.sizes, this.numMerges], { n } = this;
    const at = by > 0 ? firstWhere(all.length, (i) => all[i] > n) - 1 : firstWhere(all.length, (i) => all[i] >= n);
    return all[Math.max(0, Math.min(all.length - 1, at + by))];
  }

  draw() {
    const { n, recut, numMerges } = this;
    // the last size at which the text got shorter has the same tokens, and the newest ones are marked
    const step = this.sizes[firstWhere(this.sizes.length, (i) => this.sizes[i] > n) - 1] ?? 0;
    if (this.step === null) this.lane.show(recut, step);
    else if (step !== this.step) this.move(step);
    this.step = step;
    const facts = { n, name: this.name }, count = recut.count(step);
    const all = trn('{n} token', '{n} tokens', recut.count(numMerges));
    const tokens = trn('{n} token', '{n} tokens', count), isAll = n >= numMerges, title = !n
      ? tr('No merges: bytes alone')
      : isAll
        ? trn('The only merge of {name}', 'All {n} merges of {name}', n, facts)
        : trn('The first merge of {name}', 'The first {n} merges of {name}', n, facts);
    const words = this.mergeInWords(step);
    setText(this.title, title);
    setText(this.count.firstChild, tokens);
    const ofAll = trn('with the only merge: {tokens}', 'with all {n} merges: {tokens}', numMerges, { tokens: all });
    setText(this.count.lastChild, isAll ? '' : ofAll);
    setText(this.merge, words);
    this.curve.show(n, `${title}: ${tokens}. ${words}`);
  }

  move(step) {
    const { text, blocks } = this.recut, doc = { text, chunks: blocks }, now = performance.now();
    const isMoving = now - this.movedAt > MOTION_MS;
    this.movedAt = now;
    if (isMoving) this.motion.capture(doc); else this.motion.cancel();
    this.lane.move(step);
    if (isMoving) this.motion.play(doc);
  }

  // Returns a sentence on the merge that made the text shorter last.
  mergeInWords(step) {
    if (!step)
      return this.n ? tr('None of these merges applies to this text.') : tr('Every byte of the text is a token.');
    const { closings, bytes } = this.recut, merge = step - 1, at = closings.indexOf(merge);
    let from = at, to = at + 1;
    while (from > 0 && closings[from - 1] <= merge) from--;
    while (closings[to] <= merge) to++;
    const parts = [];
    for (let i = from, start = from; i <= to; i++) {
      if (closings[i] < merge) continue; // an earlier merge
      parts.push(quoted(bytes.subarray(start, i + 1)));
      start = i + 1;
    }
    const facts = { merge: step, parts: parts.join(' + '), token: quoted(bytes.subarray(from, to + 1)) };
    let times = 0, isCounted = false;
    for (const closing of closings) {
      if (closing > merge) isCounted = false; // the end of a token
      else if (closing === merge && !isCounted) [times, isCounted] = [times + 1, true];
    }
    return trn(
      'Merge {merge} joins {parts} into one token, {token}: once in this text.',
      'Merge {merge} joins {parts} into one token, {token}: {n} times in this text.', times, facts,
    );
  }

  toggle() {
    if (this.playing) return this.stop();
    this.playing = true;
    this.drawButton();
    const from = shareOf(this.n >= this.numMerges ? 0 : this.n, this.numMerges), since = performance.now();
    const step = () => {
      const share = Math.min(1, from + (performance.now() - since) / PLAY_MS);
      this.set(share < 1 ? mergesAt(share, this.numMerges) : this.numMerges);
      if (share === 1) this.stop();
    };
    this.timer = setInterval(step, PLAY_STEP_MS);
    step();
  }

  stop() {
    clearInterval(this.timer);
    this.playing = false;
    this.drawButton();
  }

  drawButton() {
    setText(this.button, this.playing ? tr('Pause') : tr('Play'));
  }

  close() {
    this.stop();
    this.motion.cancel();
    clearTimeout(this.restTimer);
    this.resizeObserver.disconnect();
  }
}
