// A text in one encoding: edits update its document, the server returns the tokens, the views show them.
import { recolor, recolorCut } from './colors.js';
import { Document } from '../editor/document.js';
import { TokensView } from './tokens-view.js';
import { LONG_CHUNK_UNITS } from '../editor/text.js';
import { concat, decodeRows, encodeTexts, fromBase64, splitRow, decodeTokens } from '../net/wire-format.js';
import { countCorrections, loadPageEncoder } from '../page_encoder/page-encoder.js';
import { delay } from '../dom/elements.js';
import { tr } from '../dom/i18n.js';

export const FIRST_BATCH_UNITS = 20_000; // UTF-16 units: small, so that the first screen has its colors soon
const BATCH_UNITS = 150_000;

const FADE_DELAY_MS = 1500; // until the tokens of an older text fade
const TYPING_PAUSE_MS = 150;
const VERIFY_DELAY_MS = 1000; // from tokens that the page encoded until the server is asked for the same ones
const RETRY_MS = 10_000; // after an answer that did not come, or a refusal

export class TokenizedText {
  /** Draws into `view`, and fades `place` while its content is outdated. The `host` has `textEditor`, `notice`,
   *  `client` and `paintOptions()`, the callbacks `onEdit`, `onTokens`, `onSettled` and `onVerified`, `onUnits` if it
   *  counts them, and a `pointer`, which is updated when the tracked token moves. */
  constructor(view, place, host, others = []) {
    Object.assign(this, { view, place, host });
    this.doc = new Document();
    this.encoding = null; // the page's facts about the encoding
    this.epoch = 0;       // grows when the encoding changes: answers for an older one are dropped
    this.removed = [];    // chunks that are still on screen until the new tokens arrive
    this.given = null;    // { key, special, text, answer } that came with the page, or null
    this.tracked = null;  // { chunk, k } of a token that is followed through edits
    this.isStale = false; // whether the view shows an older text or encoding
    this.tokens = new TokensView(view, () => ({ names: this.specials, ...host.paintOptions() }));
    this.failure = '';   // the last error, which is shown until all tokens are there
    this.motion = null; // a TokenMotion, if tokens move when the same text gets other ones
    this.retryMs = RETRY_MS; // until what could not be counted is counted again; doubles each time
    this.tables = new Set(); // addresses of rank tables that were loaded before
    this.views = [this.tokens, ...others];
  }

  setEncoding(encoding) {
    if (JSON.stringify(encoding) === JSON.stringify(this.encoding)) return false;
    this.encoding = encoding;
    this.specials = new Map(Object.entries(encoding.specials).map(([name, id]) => [id, name]));
    this.pageEncoder = null; // until the server's tokens are drawn; undefined while loading, false if there is none
    this.reload = this.tables.has(encoding.pageEncoder?.ranks) ? this.loadPageEncoder() : null;
    return this.restart(encoding.cuts);
  }

  restart(hasSafeCuts) {
    this.epoch++;
    this.removed.push(...this.doc.restart(hasSafeCuts).removed);
    this.tracked = null;
    this.markStale();
    return true;
  }

  // An encoding that adds a space before a text also adds one after each special token, so no chunk can be tokenized
  // separately where such a token is near.
  mustReadWhole() {
    return (
      this.encoding.front &&
      this.doc.hasSafeCuts &&
      this.doc.chunks.length > 1 &&
      this.doc.chunks.some((chunk) => chunk.otherCount)
    );
  }

  /** Updates the tokens: at once those that the page can encode, then by the server, one request at a time; edits made
   *  meanwhile are sent after the answer. */
  async requestMissing() {
    // a table that the page still has is there before a timeout of 0 ms
    if (this.reload) await Promise.race([this.reload, delay(0)]);
    this.reload = null;
    if (this.encodeInPage() || this.busy) return;
    this.busy = true;
    try {
      for (let answer; (answer = this.requestNext()); ) await answer;
    } catch (error) {
      const failed = tr('The tokens could not be loaded ({reason}). Your text is safe; keep typing to try again.', {
        reason: error.message,
      });
      this.failure = error.isRefusal ? error.message : failed;
      this.host.notice.showProblem(this.failure);
    } finally {
      this.busy = false;
    }
  }

  // Draws the tokens of an edit without the server, if the page can encode all that is missing; returns whether it did.
  encodeInPage() {
    if (!this.pageEncoder || !this.isDrawn) return false;
    const [added] = this.takeEdit(), batch = this.doc.nextUntokenized(Infinity, added);
    if (!batch.length || batch.length < this.doc.numUntokenized) return false; // an earlier edit waits for the server
    const answers = this.pageEncoder.encode(batch);
    if (!answers) return false;
    this.setTokens(batch, answers, false);
    this.verifySoon();
    this.finish();
    return true;
  }

  verifySoon(delayMs = VERIFY_DELAY_MS) {
    this.verifyTimer ??= setTimeout(() => this.verify(), delayMs);
  }

  // Asks the server for the tokens that the page encoded; the server's replace them where they differ.
  async verify() {
    const batch = this.doc.nextUnverified(BATCH_UNITS);
    let delayMs = VERIFY_DELAY_MS;
    if (batch.length && !this.isDestroyed) {
      try {
        const isSame = await this.fetch(batch);
        this.host.notice.withdraw(this.refusal);
        if (isSame) this.host.onVerified();
        else if (!this.isStale && !this.isDestroyed) this.finish(); // the counts change
      } catch (error) {
        if (error.isRefusal) this.host.notice.showProblem(this.refusal = error.message);
        delayMs = RETRY_MS;
      }
    }
    this.verifyTimer = null;
    if (!this.doc.isVerified && !this.isDestroyed) this.verifySoon(delayMs);
  }

  // Loads the page's encoder once, when the tokens of the server are drawn.
  async loadPageEncoder() {
    const { encoding } = this;
    this.pageEncoder = undefined;
    const pageEncoder = await loadPageEncoder(encoding);
    if (encoding !== this.encoding || this.isDestroyed) return;
    this.pageEncoder = pageEncoder ?? false;
    if (pageEncoder) this.tables.add(encoding.pageEncoder.ranks);
    this.host.onVerified(); // the badge names the encoder
  }

  // Requests the next missing tokens; returns the promise of their answer. If none are missing it returns null, not a
  // promise: an edit later in the same task would find the text busy, and nothing would answer it.
  requestNext() {
    if (this.isDestroyed) return null;
    const batch = this.nextBatch();
    if (batch.length) return batch[0].text.length > LONG_CHUNK_UNITS ? this.fetchAfterPause() : this.fetch(batch);
    if (this.mustReadWhole()) return this.restart(false);
    this.finish();
    return null;
  }

  nextBatch() {
    const added = this.takeEdit();
    return this.doc.nextUntokenized(this.isDrawn ? BATCH_UNITS : FIRST_BATCH_UNITS, added[0]);
  }

  // A long chunk is sent after a pause in typing, not on every key.
  async fetchAfterPause() {
    const { textEditor } = this.host;
    let before;
    do {
      before = textEditor.raw;
      await delay(TYPING_PAUSE_MS);
    } while (textEditor.raw !== before);
    const batch = this.nextBatch();
    if (batch.length) await this.fetch(batch);
  }

  takeEdit() {
    const { text, tooLong } = this.host.textEditor.reading;
    if (tooLong || text === this.doc.text) return [];
    const { removed, added } = this.doc.edit(text);
    this.removed.push(...removed);
    this.isDrawn = added.length < 50; // a large change is drawn by small batches first
    this.place.classList.toggle('leftward', this.doc.chunks.some((chunk) => chunk.hasRtl));
    this.host.onEdit?.();
    this.markStale();
    return added;
  }

  /** Stores and draws the server's tokens of adjacent chunks, except of those that an edit has replaced meanwhile;
   *  returns whether the page had encoded all of them the same way. */
  async fetch(batch) {
    const epoch = this.epoch, answers = await this.answersFor(batch);
    if (epoch !== this.epoch || this.isDestroyed) return false;
    const isSame = batch.map((chunk, i) => this.confirm(chunk, answers[i]));
    if (isSame.every(Boolean)) return true;
    const corrected = batch.filter((chunk) => !chunk.isVerified);
    this.reportCorrections(corrected.length);
    if (corrected.includes(this.tracked?.chunk)) this.host.pointer.onTokenMoved(this, this.tracked = null);
    for (const [from, to] of this.runsInDocument(batch))
      this.setTokens(batch.slice(from, to), answers.slice(from, to), true);
    return false;
  }

  /** Returns the tokens of adjacent chunks, an Answer each. */
  async answersFor(batch) {
    return decodeTokens(this.givenAnswer(batch) ?? await this.ask('tokens', batch, { from: startParameter(batch) }));
  }

  // Returns the answer that came with the page, if it is the one for these chunks.
  givenAnswer([first, second]) {
    const { given, encoding: { key, special } } = this;
    const isGiven = !second && first.text === given?.text && this.doc.text === given.text;
    return isGiven && key === given.key && special === given.special ? fromBase64(given.answer).buffer : null;
  }

  // Returns whether the page has encoded a chunk as the server has; the chunk is verified then.
  confirm(chunk, answer) {
    const isSame = !chunk.isVerified && chunk.hasTokens(answer);
    if (isSame) chunk.isVerified = true;
    return isSame;
  }

  // Yields where runs of chunks that are still adjacent in the document begin and end in the batch.
  *runsInDocument(batch) {
    const places = new Map(this.doc.chunks.map((chunk, i) => [chunk, i]));
    for (let from = 0, to; from < batch.length; from = to) {
      const first = places.get(batch[from]);
      for (to = from + 1; first !== undefined && places.get(batch[to]) === first + to - from;) to++;
      if (first !== undefined) yield [from, to];
    }
  }

  /** Counts graphemes and words of uncounted chunks after a delay, and then calls `onUnits` of the host. */
  countUnitsLater(delayMs, retryMs = this.retryMs) {
    clearTimeout(this.unitsTimer);
    this.unitsTimer = setTimeout(() => this.countUnits(retryMs), delayMs);
  }

  async countUnits(retryMs) {
    const without = this.doc.chunks.filter((chunk) => !chunk.units);
    for (let from = 0; from < without.length && !this.busy;) {
      const batch = [];
      for (let size = 0; from < without.length && size < BATCH_UNITS; size += without[from++].text.length)
        batch.push(without[from]);
      try {
        const [graphemes, words] = decodeRows(await this.ask('units', batch));
        batch.forEach((chunk, i) => { chunk.units = { graphemes: graphemes[i], words: words[i] }; });
      } catch (error) {
        console.warn(error.message);
        return this.countUnitsLater(retryMs, 2 * retryMs);
      }
    }
    if (!this.busy) this.host.onUnits();
  }

  reportCorrections(n) {
    if (!n) return;
    countCorrections(n);
    this.ask('tokens', [], { corrected: n }).catch(() => {}); // the server only counts them
  }

  /** Stores and draws the tokens of adjacent chunks; with `isVerified` they are the server's. */
  setTokens(batch, answers, isVerified) {
    const ids = concat(answers.map((one) => one.ids), Uint32Array), isSameText = batch.every((chunk) => chunk.ids);
    const { colors, kept: same } = isSameText
      ? { colors: this.colorsOfCut(batch, answers), kept: [0, 0] }
      : this.colorsFor(batch, ids);
    if (isSameText) this.motion?.capture(this.doc);
    const theirColors = splitRow(colors, answers.map((one) => one.ids.length));
    const place = this.placeOfTracked(same, ids.length), trackedId = this.tracked?.chunk.ids[this.tracked.k];
    this.doc.untally(this.removed);
    batch.forEach((chunk, i) => {
      this.doc.setTokens(chunk, answers[i], theirColors[i]);
      chunk.isVerified = isVerified;
    });
    this.host.onTokens?.(batch, this.removed, same);
    this.draw(batch);
    this.motion?.play(this.doc);
    if (place !== null) this.host.pointer.onTokenMoved(this, this.tracked = tokenAt(batch, place, trackedId));
  }

  ask(name, chunks, more = {}) {
    if (this.isDestroyed) return new Promise(() => {}); // never answered, so that a loop of requests ends with the page
    return this.host.client.ask(
      name, { encoding: this.encoding.key, special: this.encoding.special, ...more }, encodeTexts(chunks),
    );
  }

  colorsFor(batch, ids) {
    const old = this.removed.filter((chunk) => chunk.ids);
    const oldIds = concat(old.map((chunk) => chunk.ids), Uint32Array);
    const oldColors = concat(old.map((chunk) => chunk.colors), Uint8Array);
    return recolor(ids, { ids: oldIds, colors: oldColors }, ...this.colorsBeside(batch));
  }

  // Returns colors for other tokens of the same chunks.
  colorsOfCut(batch, answers) {
    const cutOf = (rows) => ['starts', 'ends'].map((name) =>
      concat(rows.map((row, i) => row[name].map((at) => at + batch[i].byteOffset)), Uint32Array),
    );
    const [starts, ends] = cutOf(answers), [oldStarts, oldEnds] = cutOf(batch);
    const old = { starts: oldStarts, ends: oldEnds, colors: concat(batch.map((chunk) => chunk.colors), Uint8Array) };
    return recolorCut({ starts, ends }, old, ...this.colorsBeside(batch));
  }

  // Returns the colors of the tokens before and after adjacent chunks, -1 where there are none.
  colorsBeside(batch) {
    const { chunks } = this.doc, first = chunks.indexOf(batch[0]);
    return [chunks[first - 1]?.colors?.at(-1) ?? -1, chunks[first + batch.length]?.colors?.[0] ?? -1];
  }

  // Returns the new number of the tracked token in the batch that replaces its chunk; -1 if the edit removed it, null
  // if its chunk stays.
  placeOfTracked([front, back], total) {
    const i = this.removed.indexOf(this.tracked?.chunk);
    const count = (chunks) => chunks.reduce((n, chunk) => n + (chunk.ids?.length ?? 0), 0);
    if (i < 0) return null;
    const place = count(this.removed.slice(0, i)) + this.tracked.k, old = count(this.removed);
    if (place < front) return place;
    return place >= old - back ? place + total - old : -1;
  }

  draw(batch) {
    const removed = this.removed.filter((chunk) => this.views.some((view) => view.has(chunk)));
    this.removed = [];
    this.doc.renumber();
    const isEager = !this.isDrawn || batch.length < 5;
    for (const view of this.views) view.replace(removed, batch, this.doc.chunks, isEager);
    this.isDrawn = true;
  }

  /** Runs once all tokens have arrived. */
  finish() {
    this.doc.untally(this.removed);
    // no answer has replaced its chunk
    if (this.removed.includes(this.tracked?.chunk)) this.host.pointer.onTokenMoved(this, this.tracked = null);
    for (const chunk of this.removed) for (const view of this.views) view.drop(chunk);
    this.tokens.removeEmptyLines();
    this.removed = [];
    this.doc.renumber();
    if (!this.host.textEditor.reading.tooLong) {
      this.view.dataset.chars = this.doc.text.length;
      this.view.dataset.tokens = this.doc.numTokens;
      this.view.dataset.encoding = this.encoding.name;
      this.view.dataset.special = this.encoding.special;
      this.markStale(false);
      this.host.notice.withdraw(this.failure);
      this.failure = '';
      if (this.pageEncoder === null) this.loadPageEncoder();
    }
    this.host.onSettled();
  }

  // Marks the view as outdated; the style fades it if that lasts.
  markStale(isStale = true) {
    clearTimeout(this.staleTimer);
    this.isStale = isStale;
    if (isStale) this.view.dataset.stale = ''; else delete this.view.dataset.stale;
    if (isStale) this.staleTimer = setTimeout(() => this.place.classList.add('stale'), FADE_DELAY_MS);
    else this.place.classList.remove('stale');
  }

  destroy() {
    this.isDestroyed = true; // a pending answer will be ignored
    for (const view of this.views) view.close();
    clearTimeout(this.staleTimer);
    clearTimeout(this.verifyTimer);
    clearTimeout(this.unitsTimer);
  }
}

/** Returns whether the first of adjacent chunks starts the text, as a parameter: a tokenizer may add a space there. */
export const startParameter = ([first]) => (first.offset ? 'inside' : 'start');

function tokenAt(batch, place, id) {
  for (const chunk of batch) {
    if (place < 0) return null;
    if (place < chunk.ids.length) return chunk.ids[place] === id ? { chunk, k: place } : null;
    place -= chunk.ids.length;
  }
  return null;
}
