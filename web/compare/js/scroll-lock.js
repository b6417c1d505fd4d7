// Scrolls all columns together, so that the same text is at the top of each.
import { firstWhere } from '../../js/dom/binary-search.js';
import { byteRange, tokenAtByte } from '../../js/tokens/byte-ranges.js';

const SCROLL_STARTS = ['wheel', 'touchstart', 'pointerdown', 'keydown', 'focus'];
const MAX_CORRECTION_FRAMES = 8;

export class ScrollLock {
  constructor(columns) {
    this.columns = columns;
    this.leader = null; // the column that the visitor scrolls; the others follow
  }

  watch(column) {
    const lead = () => { this.leader = column; };
    for (const kind of SCROLL_STARTS) column.view.addEventListener(kind, lead, { passive: true });
    column.view.addEventListener('scroll', () => {
      if (column === this.leader) this.wanted ||= requestAnimationFrame(() => this.follow());
    }, { passive: true });
  }

  follow() {
    this.wanted = 0;
    const top = this.leader && this.columns().includes(this.leader) ? topOf(this.leader) : null;
    if (!top) return;
    for (const column of this.columns()) if (column !== this.leader) this.place(column, top.byte, top.offsetPx);
  }

  /** Scrolls a byte into view in all columns where it is not visible. */
  reveal(byte) {
    this.leader = null;
    if (this.columns().every((column) => isInView(column, byte))) return;
    for (const column of this.columns()) this.place(column, byte, column.view.clientHeight / 3);
  }

  /** Scrolls a byte into view where it is not, at the same height as in `column`. */
  align(column, byte) {
    const { view } = column, top = boxOf(column, byte)?.top ?? 0;
    const offsetPx = top - view.getBoundingClientRect().top - view.clientTop;
    const others = this.columns().filter((other) => other !== column && !isInView(other, byte));
    this.leader = null;
    for (const other of others) this.place(other, byte, offsetPx);
  }

  /** Scrolls the token of a byte to `offsetPx` below the top. */
  place(column, byte, offsetPx) {
    column.target = { byte, offsetPx, tries: MAX_CORRECTION_FRAMES };
    this.correct(column, column.target);
  }

  // Content that comes near gets its true height only then and moves what follows, so check again in the next frame.
  correct(column, target) {
    const box = target === column.target && column !== this.leader && boxOf(column, target.byte);
    if (!box) return;
    const { view } = column, error = box.top - view.getBoundingClientRect().top - view.clientTop - target.offsetPx;
    if (Math.abs(error) >= 1) view.scrollTop += error;
    if (--target.tries > 0) requestAnimationFrame(() => this.correct(column, target));
  }
}

/** Returns the byte at the top of a column's view, and how far below the top its token begins: { byte, offsetPx }; null
 *  if the view is empty. */
export function topOf(column) {
  const { view } = column, edge = view.getBoundingClientRect().top + view.clientTop + 1;
  const page = firstBelow(view.children, edge);
  const line = page && firstBelow(page.children, edge);
  const node = line && firstBelow(line.children, edge);
  const part = node && column.tokenized.tokens.parts.get(node);
  if (!part) return null;
  column.tokenized.tokens.paint(part);
  const one = firstBelow(node.children, edge) ?? node.lastElementChild;
  if (!one) return null;
  const k = Number(one.dataset.k ?? part.pieces[Array.prototype.indexOf.call(node.children, one)].first);
  const { chunk } = part, isEnd = k === chunk.ids.length;
  const byte = isEnd ? chunk.byteOffset + chunk.bytes.length : byteRange({ chunk, k }).from;
  return { byte, offsetPx: one.getBoundingClientRect().top - edge + 1 };
}

// Returns the first element, in order, that reaches below an edge.
const firstBelow = (elements, edge) =>
  elements[firstWhere(elements.length, (i) => elements[i].getBoundingClientRect().bottom > edge)];

function boxOf(column, byte) {
  const hit = tokenAtByte(column.doc, byte);
  return hit && column.tokenized.tokens.elementsOf(hit.chunk, hit.k)[0]?.getBoundingClientRect();
}

function isInView(column, byte) {
  const box = boxOf(column, byte), frame = column.view.getBoundingClientRect();
  return !box || (box.top >= frame.top && box.bottom <= frame.bottom);
}
