// A slider over the compression curve: bytes per token against merges.
import { formatDecimal, setText } from '../../js/tokens/readout.js';
import { tr } from '../../js/dom/i18n.js';

const CURVE_WIDTH = 1000, CURVE_HEIGHT = 100; // size of the curve's coordinate system
const MAX_CURVE_POINTS = 500;
// From this share of the width on, a label has room on the left of its line. A fork is seen at the step after it, where
// the line of the slider is on the right.
const LABEL_SHARES = { '.fork': 0.15, '.lift': 0.5 };

/** Returns the steps at which the curve is sampled, up to `limit`. */
export function samples(numMerges, limit = numMerges) {
  const every = Math.max(1, numMerges / MAX_CURVE_POINTS), out = [];
  for (let k = 0; Math.round(k * every) < limit; k++) out.push(Math.round(k * every));
  return [...out, limit];
}

/** Returns the scales for these histories, so that they can be compared. */
export function scaleOf(histories, numMerges) {
  const low = Math.min(...histories.map((history) => history.bytesPerToken(0)));
  const high = Math.max(...histories.map((history) => history.bytesPerToken(Math.min(numMerges, history.numMerges))));
  const x = (step) => (CURVE_WIDTH * step) / Math.max(1, numMerges);
  const y = (value) => CURVE_HEIGHT * (1 - (value - low) / Math.max(1e-9, high - low));
  return { x, y, low, high };
}

export function pathOf(history, { x, y }, limit) {
  const last = Math.min(limit, history.numMerges);
  return samples(history.numMerges, last)
    .map((step, i) => `${i ? 'L' : 'M'}${tenth(x(step))} ${tenth(y(history.bytesPerToken(step)))}`)
    .join('');
}

const tenth = (number) => Math.round(number * 10) / 10;

export function stepAt(share, numMerges) {
  return Math.round(Math.max(0, Math.min(1, share)) * numMerges);
}

export class Scrubber {
  /** `moved(step)` is called for every step that the visitor selects. */
  constructor(element, moved) {
    this.element = element;
    this.$ = (selector) => element.querySelector(selector);
    this.range = this.$('input');
    this.range.addEventListener('input', () => moved(Number(this.range.value)));
    this.range.addEventListener('pointermove', (event) => this.showHint(event));
    this.range.addEventListener('pointerleave', () => { this.$('.hint').hidden = true; });
  }

  load(history, parent, limit) {
    Object.assign(this, { history, parent, limit });
    const { numMerges } = history;
    const isWhole = limit >= numMerges;
    const scale = scaleOf(parent ? [history, parent] : [history], numMerges);
    this.scale = scale;
    this.range.max = numMerges;
    const curve = pathOf(history, scale, limit), end = scale.x(Math.min(limit, numMerges));
    this.$('.curve').setAttribute('d', curve);
    this.$('.past').setAttribute('d', `${curve}L${end} ${CURVE_HEIGHT}L0 ${CURVE_HEIGHT}Z`);
    this.$('.other').setAttribute('d', parent ? pathOf(parent, scale, Math.min(limit, numMerges)) : '');
    this.$('.veil').hidden = isWhole;
    this.$('.veil').style.insetInlineStart = this.positionOf(end / CURVE_WIDTH);
    const ratioAt = (step) => formatDecimal(history.bytesPerToken(step));
    setText(this.$('.low'), tr('bytes per token: {ratio} at merge 0', { ratio: ratioAt(0) }));
    const last = { ratio: isWhole ? ratioAt(numMerges) : tr('hidden'), step: numMerges };
    setText(this.$('.high'), tr('{ratio} at merge {step}', last));
  }

  /** Shows where the fork begins (`.fork`) or the split pattern is lifted (`.lift`); null hides it. */
  place(what, step, numMerges) {
    const share = step / Math.max(1, numMerges);
    this.$(what).hidden = step === null;
    this.$(what).classList.toggle('late', share > LABEL_SHARES[what]);
    if (step !== null) this.$(what).style.insetInlineStart = this.positionOf(share);
  }

  // Returns the x position of a step: the middle of the thumb moves from half a thumb to the width less half a thumb.
  positionOf(share) {
    return `calc(var(--thumb) / 2 + (100% - var(--thumb)) * ${share})`;
  }

  show(step, words) {
    const share = this.scale.x(step) / CURVE_WIDTH, value = this.history.bytesPerToken(step);
    if (Number(this.range.value) !== step) this.range.value = step;
    this.range.setAttribute('aria-valuetext', words);
    this.$('.before').style.clipPath = `inset(0 ${100 * (1 - share)}% 0 0)`;
    const dot = this.$('.dot');
    dot.style.left = this.positionOf(share);
    dot.style.top = `${(100 * this.scale.y(value)) / CURVE_HEIGHT}%`;
  }

  showHint(event) {
    const box = this.range.getBoundingClientRect();
    const thumb = parseFloat(getComputedStyle(this.element).getPropertyValue('--thumb-px')) || 16;
    const step = stepAt((event.clientX - box.left - thumb / 2) / (box.width - thumb), this.history.numMerges);
    const hint = this.$('.hint');
    hint.hidden = false;
    const facts = { step, ratio: formatDecimal(this.history.bytesPerToken(step)) };
    setText(
      hint,
      step > this.limit
        ? tr('merge {step}: hidden while you guess', facts)
        : tr('merge {step}: {ratio} bytes per token', facts),
    );
    const left = event.clientX - box.left - hint.offsetWidth / 2;
    hint.style.left = `${Math.max(0, Math.min(box.width - hint.offsetWidth, left))}px`;
  }
}
