// What the server knows of single tokens: fetched for the ids in view, and kept.
const MAX_ROWS_PER_QUESTION = 400;
const MAX_WANTED_ROWS = 2000;
const MAX_KEPT_ROWS = 8000;

export class TokenRows {
  /** `fetch(ids)` resolves to a row for each id; `onRows()` is called when rows have arrived. */
  constructor(fetch, onRows) {
    Object.assign(this, { fetch, onRows });
    this.clear();
  }

  clear() {
    Object.assign(this, { rows: new Map(), wanted: [], isAsking: false, epoch: (this.epoch ?? 0) + 1 });
  }

  /** Returns the row of an id, or null. */
  get(id) {
    return this.rows.get(id) ?? null;
  }

  /** Fetches the rows of some ids, before those that were wanted earlier; too old ones are left out. */
  async want(ids) {
    this.wanted = [...ids, ...this.wanted].slice(0, MAX_WANTED_ROWS);
    if (this.isAsking) return;
    const { epoch } = this;
    this.isAsking = true;
    try {
      for (let missing; (missing = this.missing()).length;) {
        const rows = await this.fetch(missing);
        if (epoch !== this.epoch) return;
        if (this.rows.size + rows.length > MAX_KEPT_ROWS) this.rows.clear();
        for (const row of rows) this.rows.set(row.id, row);
        this.onRows();
      }
    } catch {
      if (epoch === this.epoch) this.wanted = []; // asked again on the next move
    } finally {
      if (epoch === this.epoch) this.isAsking = false;
    }
  }

  missing() {
    return [...new Set(this.wanted)].filter((id) => !this.rows.has(id)).slice(0, MAX_ROWS_PER_QUESTION);
  }
}
