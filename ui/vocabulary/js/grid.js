// A table of very many rows with native scrolling; only the rows in view are elements.
import { make } from '../../components/js/dom/elements.js';

// every browser can scroll this height; with more rows, one pixel of scrolling is more than one of the table
const MAX_HEIGHT_PX = 12_000_000;
const MARGIN_ROWS = 8; // drawn above and below those in view
const MOVES = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

export class Grid {
  /** In `element`, which scrolls and has a `.body` under a head: `fill(row, i)` draws row i into its element,
   *  `want(from, to)` reports the rows in view, `choose(i)` and `open(i)` report the visitor's choice. */
  constructor(element, { fill, want, choose, open }) {
    Object.assign(this, {
      element, fill, want, choose, open, body: element.querySelector('.body'), rows: new Map(), numRows: 0,
      chosen: -1,
    });
    element.addEventListener('scroll', () => this.later());
    element.addEventListener('keydown', (event) => this.key(event));
    this.body.addEventListener('click', ({ target }) => this.clicked(target));
    this.body.addEventListener('dblclick', () => this.chosen >= 0 && this.open(this.chosen));
    this.sizes = new ResizeObserver(() => this.later());
    this.sizes.observe(element);
  }

  close() {
    this.sizes.disconnect();
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

  /** Redraws the rows that may have changed. */
  renew() {
    for (const [i, row] of this.rows) this.fill(row, i);
  }

  // ---- positions ----

  measure() {
    this.size = parseFloat(getComputedStyle(this.body).lineHeight); // of a row
    this.room = this.element.clientHeight - this.body.offsetTop;
    this.height = Math.min(MAX_HEIGHT_PX, this.numRows * this.size);
    this.body.style.height = `${this.height}px`;
  }

  /** Number of rows in view. */
  get numSeen() {
    return Math.max(1, Math.floor(this.room / this.size));
  }

  // Table pixels per scroll pixel.
  get pace() {
    return Math.max(1, (this.numRows * this.size - this.room) / Math.max(1, this.height - this.room));
  }

  /** Returns the first row in view, and how much of it is above the edge. */
  get first() {
    return (this.element.scrollTop * this.pace) / this.size;
  }

  /** Scrolls row i into view, by the least distance. */
  reveal(i) {
    const top = this.first;
    const last = top + this.room / this.size - 1;
    const isFar = i < top - this.numSeen || i > last + this.numSeen;
    const wanted = isFar ? i - this.room / this.size / 3 : i < top ? i : i > last ? i - (last - top) : null;
    if (wanted !== null) this.element.scrollTop = Math.max(0, (wanted * this.size) / this.pace);
  }

  // ---- drawing ----

  later() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.measure();
      this.draw();
    });
  }

  draw() {
    const { first, size } = this;
    const from = Math.max(0, Math.floor(first) - MARGIN_ROWS);
    const to = Math.min(this.numRows, Math.ceil(first + this.room / size) + MARGIN_ROWS);
    for (const [i, row] of this.rows) if (i < from || i >= to) { row.remove(); this.rows.delete(i); }
    const offset = this.element.scrollTop - first * size;
    for (let i = to - 1; i >= from; i--) this.place(i, offset + i * size);
    this.mark();
    if (this.numRows)
      this.want(Math.max(0, Math.floor(first)), Math.min(this.numRows, Math.ceil(first + this.room / size)));
  }

  place(i, top) {
    if (!this.rows.has(i)) {
      const row = Object.assign(make('div', 'row'), { role: 'row', id: `row-${i}`, ariaRowIndex: String(i + 2) });
      row.dataset.i = i;
      this.fill(row, i);
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

  // ---- selection ----

  go(i) {
    this.chosen = Math.max(0, Math.min(this.numRows - 1, i));
    this.reveal(this.chosen);
    this.draw();
    this.choose(this.chosen);
  }

  chooseNone() {
    this.chosen = -1;
    this.mark();
  }

  clicked(target) {
    const row = target.closest('.row');
    if (row) this.go(Number(row.dataset.i));
  }

  key(event) {
    const { key } = event, by = { ...MOVES, PageDown: this.numSeen - 1, PageUp: 1 - this.numSeen }[key];
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.element || !this.numRows) return;
    if (key === 'Enter' && this.chosen >= 0) this.open(this.chosen);
    else if (by !== undefined) this.go(this.chosen < 0 && by === 1 ? 0 : Math.max(0, this.chosen) + by);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
