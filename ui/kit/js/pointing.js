// One token at a time: under the pointer, pinned, or under the keyboard. Who extends this has `light(mark, reader, hit)`, `rowsOf(reader, hit, facts)`
// for the card beside the pointer, and `refresh()`, which shows what is pinned.
import { isSelecting, placeTip } from './dom.js';
import { STRIDES } from './keys.js';
import { Lights } from './lights.js';
import { describe, fillRows, setText, summary } from './readout.js';
import { bytesOf, tokenAtByte } from './stretch.js';

export class Pointing {
  constructor($) {
    Object.assign(this, { $, lights: new Lights(), hovered: null });
    this.pinned = null; // { reader, hit }, where a hit is { chunk, k }
    this.leave();
  }

  /** Hears of the pointer and of keys in a view of what a reader read. */
  watch(reader, view) {
    const { element } = view;
    element.addEventListener('pointermove', (event) => this.hover(reader, view.at(event), event));
    element.addEventListener('pointerleave', () => this.hover(reader, null));
    element.addEventListener('click', (event) => { if (view.at(event) && !isSelecting(element)) this.pin(reader, view.at(event)); });
    element.addEventListener('keydown', (event) => this.key(reader, event));
  }

  hover(reader, hit, event) {
    const tip = this.$('.tip');
    tip.hidden = !hit;
    if (hit?.chunk !== this.hovered?.chunk || hit?.k !== this.hovered?.k) {
      this.hovered = hit;
      this.light('lit', reader, hit);
      if (hit) this.tell(reader, hit);
    }
    if (hit) placeTip(tip, this.$('.desk'), event.clientX + 14, event.clientY);
  }

  tell(reader, hit) {
    const facts = describe(reader, hit);
    setText(this.$('.tip .head'), this.headOf(reader, facts));
    fillRows(this.$('.tip dl'), this.rowsOf(reader, hit, facts));
  }

  pin(reader, hit) {
    this.unpin();
    this.pinned = { reader, hit };
    reader.held = hit;
    this.go(reader, hit);
    this.refresh();
  }

  unpin() {
    if (!this.pinned) return;
    this.pinned.reader.held = null;
    this.pinned = null;
    this.refresh();
  }

  /** An edit moved the token that is pinned, or took it. */
  moved(reader, hit) {
    if (hit) this.pinned = { reader, hit }; else this.unpin();
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

  // Which token of a reader the keyboard is at; -1 where it is at none. From one reader to another it stays at its byte.
  indexIn(reader) {
    if (reader === this.reader) return this.index;
    const hit = this.byte < 0 ? null : tokenAtByte(reader.doc, this.byte);
    return hit ? hit.chunk.base + hit.k : -1;
  }

  go(reader, hit) {
    const facts = describe(reader, hit);
    Object.assign(this, { reader, index: facts.number - 1, byte: bytesOf(hit).from });
    setText(this.$('.live'), `${this.headOf(reader, facts)}, bytes ${facts.bytes}`);
  }

  leave() {
    Object.assign(this, { reader: null, index: -1, byte: -1 });
    this.lights.set('now', []);
  }

  /** What a token is, in a line. */
  headOf(reader, facts) {
    return summary(facts);
  }
}
