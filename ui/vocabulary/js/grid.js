// A table of very many rows with native scrolling; only the rows in view are elements.
import { make } from '../../../web/js/dom/elements.js';

// every browser can scroll this height; with more rows, one pixel of scrolling is more than one of the table
const MAX_HEIGHT_PX = 12_000_000;
const MARGIN_ROWS = 8; // drawn above and below those in view
const MOVES = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

export class Grid {
  /** Draws into `element`, which scrolls and has a `.body` under a head. `drawRow(row, i)` draws row i into its
   *  element, `onVisible(from, to)` reports the rows in view, `choose(i)` and `open(i)` report the visitor's choice. */
  constructor(element, { drawRow, onVisible, choose, open }) {
    Object.assign(this, {
      element, drawRow, onVisible, choose, open, body: element.querySelector('.body'), rows: new Map(), numRows: 0,
      chosen: -1,
    });
    element.addEventListener('scroll', () => this.scheduleDraw());
    element.addEventListener('keydown', (event) => this.onKey(event));
    this.body.addEventListener('click', ({ target }) => this.onClick(target));
    this.body.addEventListener('dblclick', () => this.chosen >= 0 && this.open(this.chosen));
    this.resizeObserver = new ResizeObserver(() => this.scheduleDraw());
    this.resizeObserver.observe(element);
  }

  close() {
    this.resizeObserver.disconnect();
    cancelAnimationFrame(this.frame);
  }

  /** Sets the number of rows, and the `chosen` row, which is scrolled into view if `isShown`. */
  reset(numRows, chosen, isShown) {
    Object.assign(this, { numRows, chosen });
    this.element.ariaRowCount = String(numRows + 1); // the head counts as a row
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.measure();
    this.element.scrollTop = 0;
    if (chosen >= 0 && isShown) this.reveal(chosen);
    this.draw();
  }

  redrawRows() {
    for (const [i, row] of this.rows) this.drawRow(row, i);
  }

  measure() {
    this.rowHeight = parseFloat(getComputedStyle(this.body).lineHeight); // of a row
    this.visibleHeight = this.element.clientHeight - this.body.offsetTop;
    this.height = Math.min(MAX_HEIGHT_PX, this.numRows * this.rowHeight);
    this.body.style.height = `${this.height}px`;
  }

  get numVisible() {
    return Math.max(1, Math.floor(this.visibleHeight / this.rowHeight));
  }

  // Table pixels per scroll pixel.
  get scrollRatio() {
    const { numRows, rowHeight, visibleHeight, height } = this;
    return Math.max(1, (numRows * rowHeight - visibleHeight) / Math.max(1, height - visibleHeight));
  }

  /** Returns the first row in view, and how much of it is above the edge. */
  get first() {
    return (this.element.scrollTop * this.scrollRatio) / this.rowHeight;
  }

  /** Scrolls row i into view, by the least distance. */
  reveal(i) {
    const top = this.first;
    const last = top + this.visibleHeight / this.rowHeight - 1;
    const isFar = i < top - this.numVisible || i > last + this.numVisible;
    const third = this.visibleHeight / this.rowHeight / 3;
    const wanted = isFar ? i - third : i < top ? i : i > last ? i - (last - top) : null;
    if (wanted !== null) this.element.scrollTop = Math.max(0, (wanted * this.rowHeight) / this.scrollRatio);
  }

  scheduleDraw() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.measure();
      this.draw();
    });
  }

  draw() {
    const { first, rowHeight } = this;
    const end = Math.ceil(first + this.visibleHeight / rowHeight);
    const from = Math.max(0, Math.floor(first) - MARGIN_ROWS), to = Math.min(this.numRows, end + MARGIN_ROWS);
    for (const [i, row] of this.rows) if (i < from || i >= to) { row.remove(); this.rows.delete(i); }
    const offset = this.element.scrollTop - first * rowHeight;
    for (let i = to - 1; i >= from; i--) this.place(i, offset + i * rowHeight);
    this.mark();
    if (this.numRows) this.onVisible(Math.max(0, Math.floor(first)), Math.min(this.numRows, end));
  }

  place(i, top) {
    if (!this.rows.has(i)) {
      const row = Object.assign(make('div', 'row'), { role: 'row', id: `row-${i}`, ariaRowIndex: String(i + 2) });
      row.dataset.i = i;
      this.drawRow(row, i);
      this.rows.set(i, row);
      this.body.insertBefore(row, this.rows.get(i + 1) ?? null); // in document order, for screen readers
    }
    this.rows.get(i).style.transform = `translateY(${top}px)`;
  }

  mark() {
    for (const [i, row] of this.rows) row.ariaSelected = String(i === this.chosen);
    if (this.rows.has(this.chosen)) this.element.setAttribute('aria-activedescendant', `row-${this.chosen}`);
    else this.element.removeAttribute('aria-activedescendant');
  }

  select(i) {
    this.chosen = Math.max(0, Math.min(this.numRows - 1, i));
    this.reveal(this.chosen);
    this.draw();
    this.choose(this.chosen);
  }

  chooseNone() {
    this.chosen = -1;
    this.mark();
  }

  onClick(target) {
    const row = target.closest('.row');
    if (row) this.select(Number(row.dataset.i));
  }

  onKey(event) {
    const { key } = event, by = { ...MOVES, PageDown: this.numVisible - 1, PageUp: 1 - this.numVisible }[key];
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.element || !this.numRows) return;
    if (key === 'Enter' && this.chosen >= 0) this.open(this.chosen);
    else if (by !== undefined) this.select(this.chosen < 0 && by === 1 ? 0 : Math.max(0, this.chosen) + by);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
