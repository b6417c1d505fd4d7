// One token at a time: hover, pin, keyboard. What is lit in the tokens is lit in the ids.
import { isSelecting, placeTip } from '../../kit/js/dom.js';
import { STRIDES } from '../../kit/js/keys.js';
import { Lights } from '../../kit/js/lights.js';
import { describe, factRows, fillRows, grouped, setText, summary } from '../../kit/js/readout.js';

const NUMBERED = 100_000; // UTF-16 units up to which pre-tokens are numbered over the whole text

export class Focus {
  constructor(editor) {
    this.editor = editor;
    this.pinned = null;  // { chunk, k }
    this.hovered = null; // { chunk, k }
    this.current = -1;   // where the keyboard is, a token's index
    this.lights = new Lights();
    for (const view of [editor.tokens, editor.ids]) {
      view.element.addEventListener('pointermove', (event) => this.hover(view.at(event), event));
      view.element.addEventListener('pointerleave', () => this.hover(null));
      view.element.addEventListener('click', (event) => this.click(view.at(event)));
    }
    editor.view.addEventListener('keydown', (event) => this.key(event));
  }

  click(hit) {
    if (hit && !isSelecting(this.editor.view)) this.pin(hit);
  }

  hover(hit, event) {
    if (!hit) { this.light('lit', null); this.editor.$('.tip').hidden = true; this.hovered = null; return; }
    if (this.hovered?.chunk !== hit.chunk || this.hovered?.k !== hit.k) {
      this.hovered = hit;
      this.light('lit', hit);
      this.tell(hit, (facts, rows) => {
        setText(this.editor.$('.tip .head'), summary(facts));
        fillRows(this.editor.$('.tip dl'), rows);
        this.editor.$('.tip').hidden = false;
      }, () => this.hovered === hit);
    }
    placeTip(this.editor.$('.tip'), this.editor.$('.desk'), event.clientX + 14, event.clientY);
  }

  /** Gives the facts of a token to `to`, again once its pre-token is known, while `still` holds. */
  tell(hit, to, still) {
    const { chunk } = hit, say = () => {
      const facts = describe(this.editor.reader, hit);
      to(facts, factRows(facts, this.sharedGrapheme(hit), this.preTokenPlace(chunk, facts)));
    };
    say();
    if (this.editor.encoding.split && !chunk.preTokens) this.askPreTokens(chunk).then(() => { if (still() && chunk.preTokens) say(); }).catch(() => {});
  }

  sharedGrapheme({ chunk, k }) {
    const element = this.editor.tokens.elementsOf(chunk, k).find((one) => one.dataset.n);
    return element ? { text: element.textContent, count: Number(element.dataset.n), band: k - Number(element.dataset.k) + 1 } : null;
  }

  // For a text of some length the pre-tokens of all chunks, so that they can be numbered; for a long one this chunk's alone.
  askPreTokens(chunk) {
    const { doc } = this.editor, all = doc.text.length < NUMBERED ? doc.chunks : [chunk];
    this.asking ??= this.editor.reader.askPreTokens(all.filter((one) => one.ids && !one.preTokens)).finally(() => { this.asking = null; });
    return this.asking;
  }

  preTokenPlace(chunk, facts) {
    if (facts.preToken?.index === undefined || this.editor.doc.chunks.some((one) => !one.preTokens)) return null;
    let number = facts.preToken.index + 1, of = 0;
    for (const one of this.editor.doc.chunks) {
      if (one.offset < chunk.offset) number += one.preTokens.ends.length;
      of += one.preTokens.ends.length;
    }
    return { number, of };
  }

  /** Gives the elements of one token, in both views, the class `mark`: lit (hovered), now (keyboard) or pinned. */
  light(mark, hit) {
    this.lights.set(mark, hit ? [{ elements: this.elementsOf(hit), from: hit.k, to: hit.k + 1 }] : []);
  }

  elementsOf({ chunk, k }) {
    return [...this.editor.tokens.elementsOf(chunk, k), ...this.editor.ids.elementsOf(chunk, k)];
  }

  pin(hit, scroll = false) {
    this.pinned = this.editor.reader.held = hit;
    this.current = hit.chunk.base + hit.k;
    this.light('pinned', hit);
    if (scroll) this.editor.tokens.elementsOf(hit.chunk, hit.k)[0]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    scrollInto(this.editor.ids.element, this.editor.ids.elementsOf(hit.chunk, hit.k)[0]);
    this.tell(hit, (facts, rows) => {
      this.editor.$('.pin').hidden = false;
      this.editor.$('.pin-hint').hidden = true;
      setText(this.editor.$('.card .head'), `Token ${grouped(facts.number)} of ${grouped(facts.numTokens)}`);
      fillRows(this.editor.$('.pin dl'), rows);
      setText(this.editor.$('.live'), `${summary(facts)}, bytes ${facts.bytes}`);
    }, () => this.pinned === hit);
  }

  unpin() {
    this.pinned = this.editor.reader.held = null;
    this.light('pinned', null);
    this.editor.$('.pin').hidden = true;
    this.editor.$('.pin-hint').hidden = false;
    setText(this.editor.$('.card .head'), 'Pinned token');
  }

  key(event) {
    if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation(); // Streamlit has hotkeys of its own: r, c
    if (event.key === 'Escape') { this.unpin(); this.hover(null); this.current = -1; this.light('now', null); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || !this.editor.doc.numTokens) return;
    if (event.key in STRIDES) this.move(Math.max(0, Math.min(this.editor.doc.numTokens - 1, this.current < 0 && STRIDES[event.key] === 1 ? 0 : this.current + STRIDES[event.key])));
    else if (event.key === 'Enter' || event.key === ' ') { const hit = this.editor.doc.find(Math.max(0, this.current)); if (hit) this.pin(hit, true); }
    else return;
    event.preventDefault();
  }

  move(index) {
    const hit = this.editor.doc.find(index);
    if (!hit) return;
    this.current = index;
    this.light('now', hit);
    this.editor.tokens.elementsOf(hit.chunk, hit.k)[0]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    const facts = describe(this.editor.reader, hit);
    setText(this.editor.$('.live'), `${summary(facts)}, bytes ${facts.bytes}`);
  }
}

// Scrolls inside `box` alone: scrollIntoView would move the page too.
function scrollInto(box, element) {
  if (!element) return;
  const outer = box.getBoundingClientRect(), inner = element.getBoundingClientRect();
  if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 3;
}
