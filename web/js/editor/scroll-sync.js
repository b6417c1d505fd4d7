// Scrolls the text and its tokens together, and keeps the tokens at the caret in view.
import { scrollIntoBox } from '../dom/elements.js';
import { firstWhere } from '../dom/binary-search.js';
import { tokenAtByte } from '../tokens/byte-ranges.js';
import { rawOffset } from './text.js';

const MAX_CORRECTION_FRAMES = 2; // until the tokens at the caret have their true height
const FOLLOW_FRAMES = 4; // during which a pane follows the other
const OWN_SCROLL = ['wheel', 'touchmove', 'pointerdown']; // events by which a visitor starts to scroll
const utf8 = new TextEncoder();

export class ScrollSync {
  constructor(editor) {
    const { textEditor: { area }, view } = editor;
    Object.assign(this, { editor, area, view });
    this.follower = null; // the pane that follows the other
    area.addEventListener('scroll', () => this.follow(area, view), { passive: true });
    view.addEventListener('scroll', () => this.follow(view, area), { passive: true });
    area.addEventListener('input', () => { this.isTyping = true; });
    for (const pane of [area, view])
      for (const kind of OWN_SCROLL) pane.addEventListener(kind, () => this.onScrollStart(pane), { passive: true });
  }

  // Stops to follow the caret: the visitor scrolls.
  stopFollowing() {
    cancelAnimationFrame(this.showFrame);
    this.isTyping = false;
  }

  // Ends that the scrolled pane follows the other.
  onScrollStart(pane) {
    this.stopFollowing();
    if (this.follower !== pane) return;
    cancelAnimationFrame(this.followFrame);
    this.follower = null;
  }

  follow(own, other) {
    if (!this.isTyping && own !== this.follower) this.lead(own, other, FOLLOW_FRAMES);
  }

  // Content that comes near gets its true height frames later, so the pane follows until then.
  lead(own, other, frames) {
    cancelAnimationFrame(this.followFrame);
    this.follower = frames ? other : null;
    if (!frames) return;
    const room = (pane) => pane.scrollHeight - pane.clientHeight;
    other.scrollTop = room(own) > 0 ? (own.scrollTop / room(own)) * room(other) : 0;
    this.followFrame = requestAnimationFrame(() => this.lead(own, other, frames - 1));
  }

  /** Scrolls the tokens at the caret into view after an edit. */
  onSettled() {
    if (!this.isTyping) return;
    this.show(this.atCaret(), MAX_CORRECTION_FRAMES);
  }

  // Content that comes near gets its true height a frame later, so repeat; until then neither pane leads.
  show(element, frames) {
    cancelAnimationFrame(this.showFrame);
    this.showFrame = requestAnimationFrame(() => {
      if (!frames) return this.stopFollowing();
      scrollIntoBox(this.view, element);
      this.show(element, frames - 1);
    });
  }

  atCaret() {
    const { doc, tokens, textEditor } = this.editor, caret = rawOffset(textEditor.raw, this.area.selectionEnd);
    const chunk = doc.chunks[firstWhere(doc.chunks.length, (i) => doc.chunks[i].offset >= caret) - 1];
    if (!chunk) return null;
    const before = utf8.encode(doc.text.slice(chunk.offset, caret)).length;
    const hit = tokenAtByte(doc, chunk.byteOffset + before - 1);
    return hit && tokens.elementsOf(hit.chunk, hit.k)[0];
  }
}
