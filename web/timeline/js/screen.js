// Draws everything at a step: the lane, the slider, the panel, the numbers.
import { formatDecimal, formatInteger, setText } from '../../js/tokens/readout.js';
import { prefersReducedMotion } from '../../js/dom/elements.js';
import { pairInWords } from '../../js/tokens/token-chip.js';
import { tr, trn } from '../../js/dom/i18n.js';
import { MergeAnimation } from '../../js/recut/merge-animation.js';
import { MergePanel } from './panel.js';
import { MAX_TEXT_CHARACTERS } from './training-history.js';
import { comparison, percent, stepInWords } from './sentences.js';

const FOLLOW_DELAY_MS = 160; // without a step, until the lane scrolls to the newest token
const MIN_FLICKER_SPEED = 20; // merges per second: from here on, scrolling to each newest token would flicker
const MAX_ANIMATED_SPEED = 2; // merges per second

export class Screen {
  constructor(timeline) {
    this.timeline = timeline;
    this.$ = timeline.$;
    this.animation = new MergeAnimation(timeline.lane);
    this.mergePanel = new MergePanel((at, pair) => timeline.fork(at, pair), () => timeline.go(timeline.frontier));
    this.resizeObserver = new ResizeObserver(() => {
      if (timeline.recut) timeline.lane.paintInView();
      this.followSoon();
    });
    this.resizeObserver.observe(timeline.lane.element);
  }

  /** Draws the current step; `isStep` if it is one merge away from the drawn one. */
  draw(isStep) {
    const { timeline } = this, { step, history, recut, lane, player } = timeline;
    const isAnimated = isStep && step === lane.step + 1 && (!player.playing || player.speed <= MAX_ANIMATED_SPEED);
    timeline.pointer.clear();
    this.animation.stop();
    lane.move(step);
    lane.element.dataset.step = step;
    lane.element.dataset.tokens = recut.count(step);
    timeline.scrubber.show(step, this.words());
    timeline.tools.showStep();
    player.show(this.words(), timeline.frontier !== null);
    this.drawPanel();
    this.drawCounts();
    setText(this.$('.newest-text'), this.newestInWords(recut.countNewest(step)));
    setText(this.$('.unsplit'), this.unsplitInWords());
    this.$('.sample').hidden = !step;
    clearTimeout(this.followTimer);
    if (isStep && !(player.playing && player.speed >= MIN_FLICKER_SPEED)) lane.follow();
    else this.followSoon();
    if (isAnimated && !prefersReducedMotion()) this.animation.show(history.lengths[history.left[step - 1]]);
  }

  followSoon() {
    clearTimeout(this.followTimer);
    this.followTimer = setTimeout(() => { if (this.timeline.recut) this.timeline.lane.follow(); }, FOLLOW_DELAY_MS);
  }

  words() {
    const { history, step } = this.timeline;
    return stepInWords(step, history.numMerges, step ? pairInWords(history, history.candidates(step - 1)[0]) : '');
  }

  newestInWords(n) {
    const { step, recut } = this.timeline;
    const facts = { shown: MAX_TEXT_CHARACTERS, all: MAX_TEXT_CHARACTERS + recut.numOmitted };
    const left = recut.numOmitted ? tr('The first {shown} of {all} characters are shown.', facts) : '';
    const newest = n
      ? trn('Newest token: once in this text.', 'Newest token: {n} times in this text.', n)
      : tr('The newest token does not occur in this text.');
    return [step ? newest : tr('No merge yet.'), left].filter(Boolean).join(' ');
  }

  /** Returns a sentence where the split pattern is not lifted yet: the encoding, and so the text, has none. */
  unsplitInWords() {
    const { history: { lift }, step } = this.timeline;
    if (lift === null || step > lift) return '';
    return tr(
      'The merges before merge {merge} were learned while the split pattern split the corpus. The text shown here is ' +
        'not split.',
      { merge: lift + 1 },
    );
  }

  drawPanel() {
    const { timeline } = this, { history, step, quiz, data } = timeline, panel = this.$('.panel');
    const active = () => timeline.root.getRootNode().activeElement ?? null;
    const hasFocus = () => panel.contains(active()) && !active().closest('[hidden]'), hadFocus = hasFocus();
    if (timeline.isAsking) {
      quiz.ask(history, step);
      panel.replaceChildren(...quiz.draw((k) => timeline.pick(k)));
    } else {
      this.mergePanel.show({
        history, step, ties: data.ties, canFork: !timeline.isAlone, isBehind: timeline.frontier !== null,
      });
      if (!this.mergePanel.facts.isConnected) panel.replaceChildren(...this.mergePanel.elements);
    }
    // the focused element was removed or hidden; keys must still work. A hidden one loses the focus some frames later
    if (hadFocus && !hasFocus()) (panel.querySelector('.next:not([hidden])') ?? panel).focus({ preventScroll: true });
  }

  drawCounts() {
    const { history, step, other, recut } = this.timeline, tokens = history.tokens[step];
    const texts = {
      corpus: formatInteger(tokens),
      ratio: formatDecimal(history.bytesPerToken(step)),
      share: percent(tokens / Math.max(1, history.tokens[0])),
      text: formatInteger(recut.count(step)),
      compare: other && step <= other.numMerges ? comparison(step, tokens, other.tokens[step]) : '',
    };
    for (const [name, text] of Object.entries(texts)) setText(this.$(`[data-count="${name}"]`), text);
    setText(this.$('[data-unit="corpus"]'), tokens === 1 ? tr('token of the corpus') : tr('tokens of the corpus'));
  }

  close() {
    clearTimeout(this.followTimer);
    this.animation.stop();
    this.resizeObserver.disconnect();
  }
}
