// Points at one token at a time: under the pointer, at the keyboard's cursor, or pinned in the loupe. Subclasses may
// override `light`, `refresh`, `headOf`, `notesOf` and `whyOf`.
import { isSelecting } from '../dom/elements.js';
import { STRIDES } from '../dom/key-bindings.js';
import { partName } from './utf8-characters.js';
import { Highlight } from './highlight.js';
import { Loupe } from '../loupe/loupe.js';
import { decoded, describe, notesOf, setText, summary, titleOf, whichOf } from './readout.js';
import { fromOf } from './tokenized-text.js';
import { concat, parseJson } from '../net/wire-format.js';
import { byteRange, tokenAtByte } from './byte-ranges.js';
import { tr } from '../dom/i18n.js';

const EMPTY = { problem: tr('This token holds no text.'), walls: [], merges: null };

export class TokenPointer {
  constructor($) {
    Object.assign(this, { $, highlight: new Highlight(), hovered: null });
    this.pinned = null; // { reader, hit } with hit { chunk, k }
    this.loupe = new Loupe($('.desk'), (isBack) => this.closed(isBack));
    this.leave();
  }

  /** Listens to the pointer and the keys in a view of a reader. */
  watch(reader, view) {
    const { element } = view;
    element.addEventListener('pointermove', (event) => this.hover(reader, view.at(event)));
    element.addEventListener('pointerleave', () => this.hover(reader, null));
    element.addEventListener('click', (event) => {
      if (view.at(event) && !isSelecting(element)) this.pin(reader, view.at(event), element);
    });
    element.addEventListener('keydown', (event) => this.key(reader, event));
  }

  light(mark, reader, hit) {
    this.highlight.setToken(mark, hit, ({ chunk, k }) => reader.tokens.elementsOf(chunk, k));
  }

  hover(reader, hit) {
    if (hit?.chunk === this.hovered?.chunk && hit?.k === this.hovered?.k) return;
    this.hovered = hit;
    this.light('lit', reader, hit);
  }

  /** Opens a token in the loupe; closing it returns the focus to `view`. */
  pin(reader, hit, view = reader.tokens.element) {
    if (this.pinned) this.pinned.reader.held = null;
    Object.assign(this, { pinned: { reader, hit }, from: view });
    reader.held = hit;
    this.go(reader, hit);
    this.highlight.set('now', []);
    this.refresh();
    reader.tokens.elementsOf(hit.chunk, hit.k)[0]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.loupe.open(this.subject(reader, hit));
  }

  unpin() {
    if (!this.pinned) return;
    this.pinned.reader.held = null;
    this.pinned = null;
    this.loupe.close();
    this.refresh();
  }

  /** Shows the pinned token. */
  refresh() {
    this.light('pinned', this.pinned?.reader, this.pinned?.hit);
  }

  /** Updates the pinned token after an edit moved or removed it. */
  moved(reader, hit) {
    if (hit) this.pinned = { reader, hit }; else { this.unpin(); this.leave(); }
  }

  /** Updates the pinned token once all tokens have arrived. */
  settled() {
    if (this.reader && !this.reader.doc.numTokens) this.leave();
    this.refresh();
    if (this.pinned) this.loupe.renew(this.subject(this.pinned.reader, this.pinned.hit));
  }

  // ---- the loupe ----

  subject(reader, hit) {
    const facts = describe(reader, hit);
    return {
      head: facts.partial ? partName(hit.chunk.bytes, hit.chunk.starts[hit.k], hit.chunk.ends[hit.k]) : titleOf(facts),
      id: facts.id, which: this.headOf(reader, whichOf(facts)),
      notes: [...notesOf(facts), ...this.notesOf(reader, hit)], bytes: hit.chunk.tokenBytes(hit.k),
      elements: () => reader.tokens.elementsOf(hit.chunk, hit.k), ask: () => this.ask(reader, hit),
      go: (by) => this.turn(reader, hit, by), why: this.whyOf(reader, hit),
    };
  }

  // A piece may extend to the neighbouring chunks, so they are sent along; tokens of the same piece share one request.
  async ask(reader, { chunk, k }) {
    const { chunks } = reader.doc;
    const i = chunks.indexOf(chunk);
    const near = chunks.slice(Math.max(0, i - 1), i + 2);
    const at = chunk.starts[k] + (i > 0 ? near[0].bytes.length : 0);
    if (chunk.starts[k] === chunk.ends[k]) return EMPTY;
    const isKnown = ({ of, epoch, facts }) =>
      of.length === near.length &&
      of.every((one, j) => one === near[j]) &&
      epoch === reader.epoch &&
      facts.start <= at &&
      at < facts.end;
    if (!this.known || !isKnown(this.known)) {
      const { epoch } = reader;
      const facts = parseJson(await reader.ask('loupe', near, { at: String(at), from: fromOf(near) }));
      this.known = { of: near, epoch, facts };
    }
    const { facts } = this.known, bytes = concat(near.map((one) => one.bytes), Uint8Array);
    // offsets in the text as the encoding's library changes it before reading
    const [, from, to] = facts.places?.find(([start]) => start === at - facts.start) ?? [];
    return {
      ...facts,
      at: from ?? at - facts.start,
      size: to - from || undefined,
      piece: decoded(bytes.subarray(facts.start, facts.end)),
    };
  }

  turn(reader, hit, by) {
    const next = reader.doc.find(hit.chunk.base + hit.k + by);
    if (!next) return;
    this.pin(reader, next, this.from);
  }

  closed(isBack) {
    const { pinned } = this;
    if (this.unpinsOnClose) this.unpin();
    if (!isBack || !pinned) return;
    this.from.focus({ preventScroll: true });
    this.light('now', pinned.reader, pinned.hit);
  }

  /** Whether a token stays pinned only while the loupe is open. */
  get unpinsOnClose() {
    return true;
  }

  // ---- the keyboard ----

  key(reader, event) {
    const { key } = event, { doc } = reader, now = this.indexIn(reader);
    if (key === 'Escape') { this.unpin(); this.hover(reader, null); this.leave(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || !(key in STRIDES || key === 'Enter' || key === ' ')) return;
    const hit = doc.find(Math.max(0, Math.min(doc.numTokens - 1, now + (STRIDES[key] ?? 0))));
    if (!hit) return;
    event.preventDefault();
    reader.tokens.elementsOf(hit.chunk, hit.k)[0]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (!(key in STRIDES)) return void this.pin(reader, hit);
    this.go(reader, hit);
    this.light('now', reader, hit);
  }

  // Returns the number of the token at the keyboard's cursor, or -1; between readers the cursor stays at its byte.
  indexIn(reader) {
    if (reader === this.reader) return this.index;
    const hit = this.byte < 0 ? null : tokenAtByte(reader.doc, this.byte);
    return hit ? hit.chunk.base + hit.k : -1;
  }

  go(reader, hit) {
    const facts = describe(reader, hit);
    Object.assign(this, { reader, index: facts.number - 1, byte: byteRange(hit).from });
    setText(
      this.$('.live'),
      tr('{token}, bytes {bytes}', { token: this.headOf(reader, summary(facts)), bytes: facts.bytes }),
    );
  }

  leave() {
    Object.assign(this, { reader: null, index: -1, byte: -1 });
    this.highlight.set('now', []);
  }

  // ---- descriptions ----

  /** Describes a token in one line. */
  headOf(reader, words) {
    return words;
  }

  notesOf(reader, { chunk, k }) {
    const shared = reader.tokens.elementsOf(chunk, k).find((one) => one.dataset.n);
    if (!shared) return [];
    return [
      tr('Number {k} of the {n} tokens that share “{text}”.', {
        k: k - Number(shared.dataset.k) + 1, n: Number(shared.dataset.n), text: shared.textContent,
      }),
    ];
  }

  whyOf() {
    return null;
  }
}
