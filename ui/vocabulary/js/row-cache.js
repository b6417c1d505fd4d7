// A cache of the rows of a table on the server: pages are fetched on demand, the latest are kept.
const ROWS_PER_PAGE = 100;
const MAX_PAGES = 60; // in the cache
const MAX_REQUESTS = 2; // at the same time

export class RowCache {
  /** `fetch(query, from, count)` resolves to { total, rows, … }; `onRows()` is called when rows have arrived. */
  constructor(fetch, onRows) {
    Object.assign(this, {
      fetch, onRows, query: null, total: 0, pages: new Map(), epoch: 0, visibleRange: [0, 0], numRequests: 0,
      numOpened: 0,
    });
  }

  /** Starts another query; resolves to the answer with its first rows, or to null if a later query has started. */
  async open(query) {
    const number = ++this.numOpened, answer = await this.fetch(query, 0, ROWS_PER_PAGE);
    if (number !== this.numOpened) return null;
    this.epoch++; // until here the rows of the last query are shown and loaded, also if this one fails
    Object.assign(this, {
      query, total: answer.total, pages: new Map([[0, answer.rows]]), visibleRange: [0, 0], numRequests: 0,
    });
    return answer;
  }

  row(i) {
    return this.pages.get(Math.floor(i / ROWS_PER_PAGE))?.[i % ROWS_PER_PAGE] ?? null;
  }

  /** Loads the rows from..to, which are in view, and then those around them. */
  requestRows(from, to) {
    this.visibleRange = [from, to];
    this.requestMissing();
  }

  // Pages that are no longer in view are not requested: the nearest page comes first, whatever was scrolled over.
  async requestMissing() {
    const { epoch, query } = this, number = this.missing();
    if (number === null || this.numRequests >= MAX_REQUESTS || !query) return;
    this.pages.set(number, []);
    this.numRequests++;
    try {
      const { rows } = await this.fetch(query, number * ROWS_PER_PAGE, ROWS_PER_PAGE);
      if (epoch === this.epoch) this.storePage(number, rows);
    } catch {
      if (epoch === this.epoch) this.pages.delete(number); // requested again on the next scroll
      return;
    } finally {
      if (epoch === this.epoch) this.numRequests--;
    }
    if (epoch === this.epoch) this.requestMissing();
  }

  storePage(number, rows) {
    this.pages.delete(number);
    this.pages.set(number, rows);
    for (const old of this.pages.keys())
      if (this.pages.size > MAX_PAGES && this.pages.get(old).length) this.pages.delete(old);
    this.onRows();
  }

  missing() {
    const [from, to] = this.visibleRange;
    const first = Math.floor(from / ROWS_PER_PAGE);
    const last = Math.floor(Math.max(from, to - 1) / ROWS_PER_PAGE);
    const near = [...range(first, last), last + 1, first - 1], end = Math.ceil(this.total / ROWS_PER_PAGE);
    return near.find((number) => number >= 0 && number < end && !this.pages.has(number)) ?? null;
  }
}

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
