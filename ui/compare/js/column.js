// A column: one encoding of the text, with its name, numbers and marked tokens.
import { make } from '../../components/js/dom/elements.js';
import { bothCounts, whatIsLost } from '../../components/js/editor/notice.js';
import { TokenizedText } from '../../components/js/tokens/tokenized-text.js';
import { countDocument, fixed, grouped, setText } from '../../components/js/tokens/readout.js';
import { markHeat, markOdd } from './marks.js';
import { overlapping } from '../../components/js/tokens/byte-ranges.js';
import { concat } from '../../components/js/net/wire-format.js';
import { tr, trn } from '../../components/js/dom/i18n.js';

const MAX_HIGHLIGHTED_TOKENS = 400;

export class Column {
  constructor(compare) {
    this.compare = compare;
    this.name = make('h2', 'name');
    this.count = make('b', 'count', '–');
    this.ratio = make('small', 'ratio');
    this.length = make('i', 'length');
    this.view = Object.assign(make('div', 'tokens'), {
      tabIndex: 0, role: 'group', ariaRoleDescription: tr('token view'),
    });
    this.view.dataset.empty = tr('Nothing to read yet.');
    this.unit = make('span');
    const number = make('p', 'number', this.count, this.unit, this.ratio);
    this.place = make('section', 'column', make('header', '', this.name, number, this.length), this.view);
    this.reader = new TokenizedText(this.view, this.place, this);
    this.reader.tokens.painted = (part) => this.decorate(part);
  }

  // ---- called by the reader: settings ----

  get writing() { return this.compare.writing; }
  get notice() { return this.compare.notice; }
  get pointing() { return this.compare.pointing; }
  get client() { return this.compare.together; }
  get doc() { return this.reader.doc; }
  get encoding() { return this.reader.encoding; }

  show() {
    return this.compare.show();
  }

  // ---- called by the reader: events ----

  edited() {
    this.compare.edited();
  }

  // Shared boundaries are known once all columns have their tokens; until then unchanged tokens keep their marks.
  arriving(batch, removed, [front, back]) {
    const { odds } = this.compare.boundaries;
    const old = concat(
      removed.filter((chunk) => chunk.ids).map((chunk) => odds.get(chunk) ?? new Uint8Array(chunk.ids.length)),
      Uint8Array,
    );
    const odd = new Uint8Array(batch.reduce((n, chunk) => n + chunk.ids.length, 0));
    odd.set(old.subarray(0, front));
    odd.set(old.subarray(old.length - back), odd.length - back);
    let at = 0;
    for (const chunk of batch) odds.set(chunk, odd.subarray(at, (at += chunk.ids.length)));
  }

  settled() {
    this.counts = countDocument(this.doc);
    setText(this.count, grouped(this.counts.tokens));
    setText(this.unit, ` ${trn('token', 'tokens', this.counts.tokens)} `);
    this.compare.settled();
  }

  // ---- display ----

  /** Sets the encoding; returns whether it changed. */
  use(encoding) {
    if (!this.reader.use(encoding)) return false;
    const { key, name, model, hash, merges } = encoding;
    this.key = this.place.dataset.key = key;
    this.name.replaceChildren(model, ...(model === name ? [] : [' ', make('small', '', name)]));
    this.name.title = merges
      ? tr('{name}, rank table sha256 {hash}', { name, hash })
      : tr('{name}, vocabulary sha256 {hash}', { name, hash });
    this.view.ariaLabel = tr(
      'Tokens of {model}. Arrow keys move from token to token, Enter puts one under the loupe and pins its bytes ' +
        'in all columns; n and Shift+n go to the next and the previous disagreement.',
      { model },
    );
    return true;
  }

  /** Shows the number of tokens relative to the `baseline` column, and a bar; `most` tokens fill it. */
  showRatio(baseline, most) {
    const { tokens } = this.counts, base = baseline.counts.tokens;
    this.length.style.setProperty('--share', tokens / Math.max(1, most));
    setText(
      this.ratio,
      baseline === this ? tr('baseline') : base && tokens ? `${fixed(tokens / base)} × ${baseline.encoding.model}` : '',
    );
  }

  decorate(part) {
    markOdd(part, this.compare.boundaries.odds);
    if (this.compare.isOn('heat')) markHeat(part);
  }

  /** Returns the elements of the bytes from..to, as Highlight takes them. */
  spans({ from, to }) {
    return overlapping(this.doc, from, to, MAX_HIGHLIGHTED_TOKENS).map(({ chunk, from: first, to: end }) => {
      const elements = new Set();
      for (let k = first; k < end; k++) for (const one of this.reader.tokens.elementsOf(chunk, k)) elements.add(one);
      return { elements: [...elements], from: first, to: end };
    });
  }

  get spelled() {
    return this.counts && bothCounts(this.encoding, this.counts);
  }

  /** Describes what a round trip loses; null if it restores the text. */
  get lost() {
    return this.doc.chunks.every((chunk) => chunk.roundTrip)
      ? null
      : tr('round trip does not hold for {name}: {reason}', { name: this.encoding.name, reason: whatIsLost(this.doc) });
  }

  leave() {
    this.reader.leave();
    this.place.remove();
  }
}
