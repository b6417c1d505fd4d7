// Columns of models whose tokens can only be counted: a number and facts, no tokens.
import { tabState } from '../../components/js/editor/tab-state.js';
import { make } from '../../components/js/dom/elements.js';
import { fixed, grouped, setText } from '../../components/js/tokens/readout.js';

export class Counted {
  constructor(place) {
    this.place = place;
    this.columns = [];
  }

  /** Shows the page's counts of the text named `of`; an error replaces a number. */
  take(counted, of) {
    this.of = of;
    for (const { section } of this.columns) section.remove();
    this.columns = counted.map(({ key, name, tokens, unit, note }) => {
      const ratio = make('small', 'ratio'), length = make('i', 'length');
      const number =
        tokens === null
          ? []
          : [make('p', 'number', make('b', 'count', grouped(tokens)), make('span', '', ` ${unit} `), ratio), length];
      const section = make(
        'section', 'column counted', make('header', '', make('h2', 'name', name), ...number), make('p', 'why', note),
      );
      section.dataset.key = key;
      return { key, section, tokens: tokens ?? 0, ratio, length };
    });
    this.place.append(...this.columns.map(({ section }) => section));
    this.fade();
  }

  /** Fades the numbers of an older text until the page has counted again. */
  fade() {
    for (const { section } of this.columns) section.classList.toggle('stale', tabState().name !== this.of);
  }

  get most() {
    return Math.max(0, ...this.columns.map(({ tokens }) => tokens));
  }

  /** Shows each number of tokens relative to the `baseline` column, and a bar; `most` tokens fill it. */
  showRatios(baseline, most) {
    this.fade();
    for (const { tokens, ratio, length } of this.columns) {
      length.style.setProperty('--share', tokens / Math.max(1, most));
      setText(
        ratio,
        baseline.counts.tokens ? `${fixed(tokens / baseline.counts.tokens)} × ${baseline.encoding.model}` : '',
      );
    }
  }
}
