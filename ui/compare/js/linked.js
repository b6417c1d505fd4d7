// One stretch of bytes in all columns: what is hovered, pinned, or under the keyboard in one is lit in every one.
import { isSelecting, placeTip } from '../../kit/js/dom.js';
import { STRIDES } from '../../kit/js/keys.js';
import { Lights } from '../../kit/js/lights.js';
import { describe, fillRows, setText, summary } from '../../kit/js/readout.js';
import { fillTable, inShort, nameStretch, tokensThere } from './stretch-table.js';
import { bytesOf, tokenAtByte } from './stretch.js';

const MOST_TOLD = 6; // tokens of one encoding in the tooltip

export class Linked {
  constructor(compare) {
    this.compare = compare;
    this.lights = new Lights();
    this.pinned = null;  // { column, hit }
    this.hovered = null; // { column, hit }
    this.byte = -1;      // where the keyboard is, or the last disagreement that was gone to
  }

  watch(column) {
    const { view, reader } = column;
    view.addEventListener('pointermove', (event) => this.hover(column, reader.tokens.at(event), event));
    view.addEventListener('pointerleave', () => this.hover(column, null));
    view.addEventListener('click', (event) => this.click(column, reader.tokens.at(event)));
    view.addEventListener('keydown', (event) => this.key(column, event));
  }

  /** Gives all that shows some bytes the class `mark`, in the columns that have the same text as `column`. */
  light(mark, range, column = null) {
    const same = this.compare.columns.filter(({ doc }) => !column || doc.text === column.doc.text);
    this.lights.set(mark, range ? same.flatMap((one) => one.spans(range)) : []);
  }

  // ---- the pointer ----

  hover(column, hit, event) {
    const tip = this.compare.$('.tip');
    if (!hit) {
      this.light('lit', null);
      this.hovered = null;
      tip.hidden = true;
      return;
    }
    if (this.hovered?.hit.chunk !== hit.chunk || this.hovered.hit.k !== hit.k) {
      this.hovered = { column, hit };
      this.light('lit', bytesOf(hit), column);
      this.tell(column, hit);
      tip.hidden = false;
    }
    placeTip(tip, this.compare.desk, event.clientX + 14, event.clientY);
  }

  tell(column, hit) {
    setText(this.compare.$('.tip .head'), `${column.encoding.name}, ${summary(factsOf(column, hit))}`);
    fillRows(this.compare.$('.tip dl'), tokensThere(this.compare.columns, bytesOf(hit), MOST_TOLD).map(({ column: { encoding }, facts, more }) => (
      [encoding.name, `${facts.length + more}: ${facts.map(inShort).join(' | ')}${more ? ' | …' : ''}`])));
  }

  click(column, hit) {
    if (hit && !isSelecting(column.view)) this.pin(column, hit);
  }

  // ---- what is pinned ----

  pin(column, hit) {
    if (this.pinned) this.pinned.column.reader.held = null;
    this.pinned = { column, hit };
    column.reader.held = hit;
    this.byte = bytesOf(hit).from;
    this.refresh();
    this.compare.lock.align(column, this.byte);
    this.say(column, hit);
  }

  unpin() {
    if (!this.pinned) return;
    this.pinned.column.reader.held = null;
    this.pinned = null;
    this.refresh();
  }

  /** An edit moved the token that is pinned, or took it. */
  moved(column, hit) {
    if (hit) this.pinned = { column, hit }; else this.unpin();
  }

  /** Shows what is pinned as the columns now have it. */
  refresh() {
    if (this.pinned && !this.compare.columns.includes(this.pinned.column)) this.pinned = null;
    const there = this.compare.$('.stretch'), range = this.pinned && bytesOf(this.pinned.hit);
    this.light('pinned', range, this.pinned?.column);
    there.querySelector('.pin-hint').hidden = Boolean(range);
    for (const one of there.querySelectorAll('table, button')) one.hidden = !range;
    if (!range) return void setText(there.querySelector('h3'), 'Pinned stretch');
    nameStretch(there.querySelector('h3'), range, factsOf(this.pinned.column, this.pinned.hit));
    fillTable(there.querySelector('table'), this.compare.columns, range, (column, at) => this.compare.askWhy(column.encoding.key, at));
  }

  // ---- the keyboard ----

  key(column, event) {
    if (event.key === 'Escape') { this.unpin(); this.hover(column, null); this.byte = -1; this.light('now', null); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || column.reader.isStale || !column.doc.numTokens) return;
    if (event.key in STRIDES) this.move(column, STRIDES[event.key]);
    else if (event.key === 'Enter' || event.key === ' ') { const hit = tokenAtByte(column.doc, Math.max(0, this.byte)); if (hit) this.pin(column, hit); }
    else return;
    event.preventDefault();
  }

  move(column, by) {
    const { doc } = column, now = this.byte < 0 ? null : tokenAtByte(doc, this.byte), from = now ? now.chunk.base + now.k : by === 1 ? -1 : 0;
    const hit = doc.find(Math.max(0, Math.min(doc.numTokens - 1, from + by)));
    if (!hit) return;
    this.byte = bytesOf(hit).from;
    this.light('now', bytesOf(hit), column);
    column.reader.tokens.elementsOf(hit.chunk, hit.k)[0]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.say(column, hit);
  }

  say(column, hit) {
    const facts = factsOf(column, hit);
    setText(this.compare.$('.live'), `${column.encoding.name}, ${summary(facts)}, bytes ${facts.bytes}`);
  }

  /** Rings the tokens on both sides of a boundary: two where it is cut, one where it is not. */
  show(boundary) {
    this.byte = boundary;
    this.light('now', { from: boundary - 1, to: boundary + 1 });
  }

  /** Where the reader is: at the keyboard's place, or at the top of what is in view. */
  place(top) {
    return this.byte >= 0 ? this.byte : top;
  }
}

const factsOf = (column, hit) => describe(column.reader, hit);
