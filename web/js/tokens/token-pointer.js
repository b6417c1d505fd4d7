// Points at one token at a time: under the pointer, at the keyboard's cursor, or pinned in the loupe. Subclasses have
// `whyOf` and may override `highlightToken`, `refresh`, `headOf` and `notesOf`.
import { isSelecting } from '../dom/elements.js';
import { STRIDES } from '../dom/key-bindings.js';
import { partName } from './utf8-characters.js';
import { Highlight } from './highlight.js';
import { HoverChip } from './hover-chip.js';
import { Loupe } from '../loupe/loupe.js';
import { clearPin, storePin } from '../editor/tab-state.js';
import { decodeUtf8, describe, notesOf, setText, summary, titleOf, positionOf } from './readout.js';
import { startParameter } from './tokenized-text.js';
import { concat, parseJson } from '../net/wire-format.js';
import { byteRange, tokenAtByte } from './byte-ranges.js';
import { tr } from '../dom/i18n.js';

const EMPTY_TOKEN_FACTS = { problem: tr('No part of the text belongs to this token alone.'), walls: [], merges: null };

export class TokenPointer {
  constructor($) {
    Object.assign(this, { $, highlight: new Highlight(), hovered: null });
    this.pinned = null; // { tokenized, hit } with hit { chunk, k }
    this.chip = new HoverChip($('.desk'));
    this.loupe = new Loupe($('.desk'), (isBack) => this.onLoupeClose(isBack));
    this.clearCursor();
  }

  /** Listens to the pointer and the keys in a view of a tokenized text. */
  watch(tokenized, view) {
    const { element } = view;
    element.addEventListener('pointermove', (event) => this.hover(tokenized, view.at(event)));
    for (const kind of ['pointerleave', 'wheel'])
      element.addEventListener(kind, () => this.hover(tokenized, null), { passive: true });
    element.addEventListener('click', (event) => {
      if (view.at(event) && !isSelecting(element)) this.pin(tokenized, view.at(event), element);
    });
    element.addEventListener('keydown', (event) => this.onKey(tokenized, event));
  }

  highlightToken(mark, tokenized, hit) {
    this.highlight.setToken(mark, hit, ({ chunk, k }) => tokenized.tokens.elementsOf(chunk, k));
  }

  hover(tokenized, hit) {
    if (hit?.chunk === this.hovered?.chunk && hit?.k === this.hovered?.k) return;
    this.hovered = hit;
    this.highlightToken('lit', tokenized, hit);
    this.chip.show(hit && tokenized.tokens.elementsOf(hit.chunk, hit.k), hit && describe(tokenized, hit));
  }

  /** Opens a token in the loupe; closing it returns the focus to `view`. */
  pin(tokenized, hit, view = tokenized.tokens.element) {
    if (this.pinned) this.pinned.tokenized.tracked = null;
    Object.assign(this, { pinned: { tokenized, hit }, returnTo: view });
    tokenized.tracked = hit;
    this.moveCursor(tokenized, hit);
    this.highlight.set('now', []);
    this.chip.show(null); // the loupe has these facts, and may cover a part of the chip
    this.refresh();
    tokenized.tokens.elementsOf(hit.chunk, hit.k)[0]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    const subject = this.subject(tokenized, hit);
    if (subject.why) storePin(byteRange(hit).from);
    this.loupe.open(subject);
  }

  unpin() {
    if (!this.pinned) return;
    this.pinned.tokenized.tracked = null;
    this.pinned = null;
    this.loupe.close();
    this.refresh();
  }

  refresh() {
    this.highlightToken('pinned', this.pinned?.tokenized, this.pinned?.hit);
  }

  /** Updates the pinned token after an edit moved or removed it. */
  onTokenMoved(tokenized, hit) {
    if (hit) this.pinned = { tokenized, hit }; else { this.unpin(); this.clearCursor(); }
  }

  /** Updates the pinned token once all tokens have arrived. */
  onSettled() {
    this.hover(null, null); // another token may be under the pointer
    if (this.tokenized && !this.tokenized.doc.numTokens) this.clearCursor();
    this.refresh();
    if (this.pinned) this.loupe.update(this.subject(this.pinned.tokenized, this.pinned.hit));
  }

  subject(tokenized, hit) {
    const facts = describe(tokenized, hit);
    return {
      head: facts.partial ? partName(hit.chunk.bytes, hit.chunk.starts[hit.k], hit.chunk.ends[hit.k]) : titleOf(facts),
      id: facts.id, which: this.headOf(tokenized, positionOf(facts)),
      notes: [...notesOf(facts), ...this.notesOf(tokenized, hit)], bytes: hit.chunk.tokenBytes(hit.k),
      elements: () => tokenized.tokens.elementsOf(hit.chunk, hit.k), ask: () => this.ask(tokenized, hit),
      go: (by) => this.step(tokenized, hit, by), why: this.whyOf(tokenized, hit),
    };
  }

  // A piece may extend to the neighbouring chunks, so they are sent along; tokens of the same piece share one request.
  async ask(tokenized, { chunk, k }) {
    const { chunks } = tokenized.doc;
    const i = chunks.indexOf(chunk);
    const near = chunks.slice(Math.max(0, i - 1), i + 2);
    const at = chunk.starts[k] + (i > 0 ? near[0].bytes.length : 0);
    if (chunk.starts[k] === chunk.ends[k]) return EMPTY_TOKEN_FACTS;
    const isKnown = ({ of, epoch, facts }) =>
      of.length === near.length &&
      of.every((one, j) => one === near[j]) &&
      epoch === tokenized.epoch &&
      facts.start <= at &&
      at < facts.end;
    if (!this.cachedPiece || !isKnown(this.cachedPiece)) {
      const { epoch } = tokenized;
      const facts = parseJson(await tokenized.ask('loupe', near, { at: String(at), from: startParameter(near) }));
      this.cachedPiece = { of: near, epoch, facts };
    }
    const { facts } = this.cachedPiece, bytes = concat(near.map((one) => one.bytes), Uint8Array);
    // offsets in the text as the encoding's library changes it before reading
    const [, from, to] = facts.places?.find(([start]) => start === at - facts.start) ?? [];
    return {
      ...facts,
      at: from ?? at - facts.start,
      size: to - from || undefined,
      piece: decodeUtf8(bytes.subarray(facts.start, facts.end)),
    };
  }

  step(tokenized, hit, by) {
    const next = tokenized.doc.find(hit.chunk.base + hit.k + by);
    if (!next) return;
    this.pin(tokenized, next, this.returnTo);
  }

  onLoupeClose(isBack) {
    const { pinned } = this;
    if (this.unpinsOnClose) this.unpin();
    if (!isBack || !pinned) return;
    clearPin();
    this.returnTo.focus({ preventScroll: true });
    this.highlightToken('now', pinned.tokenized, pinned.hit);
  }

  /** Whether a token stays pinned only while the loupe is open. */
  get unpinsOnClose() {
    return true;
  }

  onKey(tokenized, event) {
    const { key } = event, { doc } = tokenized, now = this.indexIn(tokenized);
    if (key === 'Escape') { clearPin(); this.unpin(); this.clearCursor(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || !(key in STRIDES || key === 'Enter' || key === ' ')) return;
    const hit = doc.find(Math.max(0, Math.min(doc.numTokens - 1, now + (STRIDES[key] ?? 0))));
    if (!hit) return;
    event.preventDefault();
    tokenized.tokens.elementsOf(hit.chunk, hit.k)[0]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (!(key in STRIDES)) return void this.pin(tokenized, hit);
    this.moveCursor(tokenized, hit);
    this.highlightToken('now', tokenized, hit);
  }

  // Returns the number of the token at the keyboard's cursor, or -1; in another tokenized text, that at the same byte.
  indexIn(tokenized) {
    if (tokenized === this.tokenized) return this.index;
    const hit = this.byte < 0 ? null : tokenAtByte(tokenized.doc, this.byte);
    return hit ? hit.chunk.base + hit.k : -1;
  }

  moveCursor(tokenized, hit) {
    const facts = describe(tokenized, hit);
    Object.assign(this, { tokenized, index: facts.number - 1, byte: byteRange(hit).from });
    setText(
      this.$('.live'),
      tr('{token}, bytes {bytes}', { token: this.headOf(tokenized, summary(facts)), bytes: facts.bytes }),
    );
  }

  clearCursor() {
    Object.assign(this, { tokenized: null, index: -1, byte: -1 });
    this.hover(null, null);
    this.highlight.set('now', []);
  }

  headOf(tokenized, words) {
    return words;
  }

  notesOf(tokenized, { chunk, k }) {
    const shared = tokenized.tokens.elementsOf(chunk, k).find((one) => one.dataset.n);
    if (!shared) return [];
    return [
      tr('Token {k} of the {n} tokens that together make “{text}”.', {
        k: k - Number(shared.dataset.k) + 1, n: Number(shared.dataset.n), text: shared.textContent,
      }),
    ];
  }
}
