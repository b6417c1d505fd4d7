// Columns of models whose tokens can only be counted: a number and facts, no tokens.
import { tabState } from '../../js/editor/tab-state.js';
import { ratioInWords } from './column.js';
import { make } from '../../js/dom/elements.js';
import { formatInteger, setText } from '../../js/tokens/readout.js';

export class CountedColumns {
  constructor(place) {
    this.place = place;
    this.columns = [];
  }

  /** Shows the page's counts of the text with this name; an error replaces a number. */
  setCounts(counted, textName) {
    this.textName = textName;
    for (const { section } of this.columns) section.remove();
    this.columns = counted.map(({ key, name, tokens, unit, note }) => {
      const ratio = make('small', 'ratio'), bar = make('i', 'length');
      const number =
        tokens === null
          ? []
          : [make('p', 'number', make('b', 'count', formatInteger(tokens)), make('span', '', ` ${unit} `), ratio), bar];
      const section = make(
        'section', 'column counted', make('header', '', make('h2', 'name', name), ...number), make('p', 'why', note),
      );
      section.dataset.key = key;
      return { key, section, tokens: tokens ?? 0, ratio, bar };
    });
    this.place.append(...this.columns.map(({ section }) => section));
    this.fade();
  }

  /** Fades the numbers of an older text until the page has counted again. */
  fade() {
    for (const { section } of this.columns) section.classList.toggle('stale', tabState().name !== this.textName);
  }

  get maxTokens() {
    return Math.max(0, ...this.columns.map(({ tokens }) => tokens));
  }

  /** Shows each number of tokens relative to the `baseline` column, and a bar that `maxTokens` tokens fill. */
  showRatios(baseline, maxTokens) {
    this.fade();
    for (const { tokens, ratio, bar } of this.columns) {
      bar.style.setProperty('--share', tokens / Math.max(1, maxTokens));
      setText(ratio, ratioInWords(tokens, baseline));
    }
  }
}
