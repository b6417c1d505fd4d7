// The pieces of the text as tabs in running text; arrow keys move between pieces.
import { COLORS } from '../../../web/js/tokens/colors.js';
import { make, scrollIntoBox } from '../../../web/js/dom/elements.js';
import { bytesInWords, directionOf, fillText } from './sentences.js';

const DETAIL_DELAY_MS = 120; // with a piece selected, until its facts are requested

export class Tabs {
  constructor(element, choose) {
    Object.assign(this, { element, choose });
    element.addEventListener('click', (event) => {
      const tab = event.target.closest?.('[role=tab]');
      if (tab) this.select(Number(tab.dataset.i), 0);
    });
    element.addEventListener('keydown', (event) => this.onKey(event));
  }

  show({ pieces, first, numPieces, chosen, offset }) {
    const hadFocus = this.element.contains(this.element.getRootNode().activeElement ?? null);
    Object.assign(this, { pieces, first, offset });
    this.element.dir = directionOf(pieces.map(([text]) => text).join(''));
    const tabs = pieces.map(([text, start, end], i) =>
      this.tab(text, first + i, bytesInWords(offset + start + 1, offset + end)),
    );
    if (first) tabs.unshift(make('span', 'more', '…'));
    if (first + pieces.length < numPieces) tabs.push(make('span', 'more', '…'));
    this.element.replaceChildren(...tabs);
    this.showSelected(chosen);
    if (hadFocus) this.tabOf(chosen)?.focus({ preventScroll: true });
    scrollIntoBox(this.element, this.tabOf(chosen));
  }

  tab(text, number, title) {
    const tab = fillText(make('button', `piece c${number % COLORS}`), text);
    Object.assign(tab, { type: 'button', title });
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', 'explanation');
    tab.dataset.i = number;
    return tab;
  }

  tabOf(number) {
    return this.element.querySelector(`[data-i="${number}"]`);
  }

  showSelected(number) {
    this.chosen = number;
    for (const tab of this.element.querySelectorAll('[role=tab]')) {
      const isChosen = Number(tab.dataset.i) === number;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
  }

  onKey(event) {
    const forward = this.element.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight', last = this.first + this.pieces.length - 1;
    const { key } = event, isSide = key === 'ArrowLeft' || key === 'ArrowRight';
    const to = isSide
      ? this.chosen + (key === forward ? 1 : -1)
      : { Home: this.first, End: last, ArrowDown: this.chosen + 1, ArrowUp: this.chosen - 1 }[key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.select(Math.max(this.first, Math.min(last, to)), DETAIL_DELAY_MS);
  }

  select(number, after) {
    if (number === this.chosen) return;
    this.showSelected(number);
    this.tabOf(number).focus({ preventScroll: true });
    scrollIntoBox(this.element, this.tabOf(number));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.choose(this.offset + this.pieces[number - this.first][1]);
    }, after);
  }

  close() {
    clearTimeout(this.timer);
  }
}
