// A column: one encoding of the text, with its name, numbers and marked tokens.
import { make } from '../../js/dom/elements.js';
import { lossReason } from '../../js/editor/notice.js';
import { TokenizedText } from '../../js/tokens/tokenized-text.js';
import { countDocument, formatDecimal, formatInteger, setText } from '../../js/tokens/readout.js';
import { markHeat, markDisputed } from './marks.js';
import { overlapping } from '../../js/tokens/byte-ranges.js';
import { concat } from '../../js/net/wire-format.js';
import { tr, trn } from '../../js/dom/i18n.js';

const MAX_HIGHLIGHTED_TOKENS = 400;

export class Column {
  constructor(compare) {
    this.compare = compare;
    this.name = make('h2', 'name');
    this.count = make('b', 'count', '–');
    this.ratio = make('small', 'ratio');
    this.bar = Object.assign(make('i', 'length'), { title: tr('The longer the bar, the more tokens.') });
    this.view = Object.assign(make('div', 'tokens'), {
      tabIndex: 0, role: 'group', ariaRoleDescription: tr('token view'),
    });
    this.view.dataset.empty = tr('No text yet.');
    this.unit = make('span');
    const number = make('p', 'number', this.count, this.unit, this.ratio);
    this.place = make('section', 'column', make('header', '', this.name, number, this.bar), this.view);
    this.tokenized = new TokenizedText(this.view, this.place, this);
    this.tokenized.tokens.onPaint = (part) => this.decorate(part);
  }

  get textEditor() { return this.compare.textEditor; }
  get notice() { return this.compare.notice; }
  get pointer() { return this.compare.pointer; }
  get client() { return this.compare.batchClient; }
  get doc() { return this.tokenized.doc; }
  get encoding() { return this.tokenized.encoding; }

  paintOptions() {
    return this.compare.paintOptions();
  }

  onEdit() {
    this.compare.onEdit();
  }

  // Shared boundaries are known once all columns have their tokens; until then unchanged tokens keep their marks.
  onTokens(batch, removed, [front, back]) {
    const { disputed } = this.compare.boundaries;
    const old = concat(
      removed.filter((chunk) => chunk.ids).map((chunk) => disputed.get(chunk) ?? new Uint8Array(chunk.ids.length)),
      Uint8Array,
    );
    const odd = new Uint8Array(batch.reduce((n, chunk) => n + chunk.ids.length, 0));
    odd.set(old.subarray(0, front));
    odd.set(old.subarray(old.length - back), odd.length - back);
    let at = 0;
    for (const chunk of batch) disputed.set(chunk, odd.subarray(at, (at += chunk.ids.length)));
  }

  onSettled() {
    this.counts = countDocument(this.doc);
    setText(this.count, formatInteger(this.counts.tokens));
    setText(this.unit, ` ${trn('token', 'tokens', this.counts.tokens)} `);
    this.compare.onSettled();
  }

  onVerified() {
    this.compare.onVerified();
  }

  setEncoding(encoding) {
    if (!this.tokenized.setEncoding(encoding)) return false;
    const { key, name, model, hash } = encoding;
    this.key = this.place.dataset.key = key;
    this.name.replaceChildren(model, ...(model === name ? [] : [' ', make('small', '', name)]));
    this.name.title = tr('{name}, vocabulary sha256 {hash}', { name, hash });
    this.view.ariaLabel = tr(
      'Tokens of {model}. Arrow keys move from token to token, Enter opens the loupe and pins the ' +
        'token’s bytes in all token views; n and Shift+n go to the next and the previous difference.',
      { model },
    );
    return true;
  }

  /** Shows the number of tokens relative to the `baseline` column, and a bar that `maxTokens` tokens fill. */
  showRatio(baseline, maxTokens) {
    const { tokens } = this.counts;
    this.bar.style.setProperty('--share', tokens / Math.max(1, maxTokens));
    setText(this.ratio, baseline === this ? tr('baseline') : ratioInWords(tokens, baseline));
  }

  decorate(part) {
    markDisputed(part, this.compare.boundaries.disputed);
    if (this.compare.isOn('heat')) markHeat(part);
  }

  /** Returns the elements of the bytes from..to, as Highlight takes them. */
  spans({ from, to }) {
    return overlapping(this.doc, from, to, MAX_HIGHLIGHTED_TOKENS).map(({ chunk, from: first, to: end }) => {
      const elements = new Set();
      for (let k = first; k < end; k++) for (const one of this.tokenized.tokens.elementsOf(chunk, k)) elements.add(one);
      return { elements: [...elements], from: first, to: end };
    });
  }

  /** Describes what a round trip loses; null if it restores the text. */
  get roundTripProblem() {
    return this.doc.chunks.every((chunk) => chunk.roundTrip)
      ? null
      : tr('round trip fails for {name}: {reason}', { name: this.encoding.name, reason: lossReason(this.doc) });
  }

  destroy() {
    this.tokenized.destroy();
    this.place.remove();
  }
}

/** Describes a number of tokens relative to that of the `baseline` column; "" where a number is 0. */
export const ratioInWords = (tokens, { counts, encoding }) =>
  counts.tokens && tokens ? `${formatDecimal(tokens / counts.tokens)} × ${encoding.model}` : '';
