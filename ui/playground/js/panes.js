// The text and its tokens scroll together, and where one writes, both are in view.
import { scrollInto } from '../../kit/js/dom.js';
import { firstWhere } from '../../kit/js/search.js';
import { tokenAtByte } from '../../kit/js/stretch.js';
import { rawOffset } from '../../kit/js/text.js';

const FRAMES = 2; // in which the tokens at the caret are brought into view
const OWN_SCROLL = ['wheel', 'touchmove', 'pointerdown']; // how a reader begins to scroll
const utf8 = new TextEncoder();

export class Panes {
  constructor(editor) {
    const { writing: { area }, view } = editor;
    Object.assign(this, { editor, area, view });
    this.led = null; // the pane that moves because the other did
    area.addEventListener('scroll', () => this.follow(area, view), { passive: true });
    view.addEventListener('scroll', () => this.follow(view, area), { passive: true });
    area.addEventListener('input', () => { this.isTyping = true; });
    for (const pane of [area, view]) for (const kind of OWN_SCROLL) pane.addEventListener(kind, () => this.letGo(), { passive: true });
  }

  // From here on the panes go where the reader goes.
  letGo() {
    cancelAnimationFrame(this.wanted);
    this.isTyping = false;
  }

  follow(own, other) {
    if (this.isTyping) return;
    if (this.led === own) return void (this.led = null);
    const room = (pane) => pane.scrollHeight - pane.clientHeight;
    this.move(other, () => { other.scrollTop = room(own) > 0 ? (own.scrollTop / room(own)) * room(other) : 0; });
  }

  move(pane, scroll) {
    const before = pane.scrollTop;
    scroll();
    this.led = pane.scrollTop === before ? null : pane;
  }

  /** The tokens have come: those at the caret come into view, if they are there because somebody typed. */
  settled() {
    if (!this.isTyping) return;
    this.show(this.atCaret(), FRAMES);
  }

  // What comes near takes its true height a frame later: then it may have to go on. Till then no pane leads the other.
  show(element, frames) {
    cancelAnimationFrame(this.wanted);
    this.wanted = requestAnimationFrame(() => {
      if (!frames) return this.letGo();
      scrollInto(this.view, element);
      this.show(element, frames - 1);
    });
  }

  atCaret() {
    const { doc, tokens, writing } = this.editor, caret = rawOffset(writing.raw, this.area.selectionEnd);
    const chunk = doc.chunks[firstWhere(doc.chunks.length, (i) => doc.chunks[i].offset >= caret) - 1];
    if (!chunk) return null;
    const before = utf8.encode(doc.text.slice(chunk.offset, caret)).length, hit = tokenAtByte(doc, chunk.byteOffset + before - 1);
    return hit && tokens.elementsOf(hit.chunk, hit.k)[0];
  }
}
