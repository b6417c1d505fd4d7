// The token view: paragraphs of parts, painted when they come near the viewport; hit testing; copying.
import { copyVerbatim, make } from '../dom/elements.js';
import { VirtualList } from '../dom/virtual-list.js';
import { LineEnds } from './line-ends.js';
import { paintTokens, partsOf, tokenUnder } from './paint.js';
import { diffParts } from './paint-diff.js';

const MAX_PARAGRAPH_PARTS = 12;
const FIRST_PARTS = 6; // parts painted at once when they arrive: the first screen

export class TokensView {
  /** `paintOptions()` returns { names, withBytes } for the next paint. */
  constructor(element, paintOptions) {
    this.element = element;
    this.paintOptions = paintOptions;
    this.onPaint = null; // called with every painted part
    this.onReplace = null; // called before chunks are replaced
    this.shown = new WeakMap(); // chunk -> { parts, nodes, paragraph }
    this.parts = new WeakMap(); // part element -> part
    this.emptied = new Set(); // paragraphs that may be empty
    this.virtualList = new VirtualList(
      element, (line) => this.unpainted(line), (node) => this.paint(this.parts.get(node)),
    );
    this.lineEnds = new LineEnds(element);
    copyVerbatim(element);
  }

  /** Replaces the `removed` chunks by the `added` ones; `chunks` is the whole document, in order. */
  replace(removed, added, chunks, isEager) {
    this.onReplace?.();
    const isSingle =
      removed.length === 1 &&
      added.length === 1 &&
      this.has(removed[0]) &&
      !this.has(added[0]) &&
      removed[0].startsLine === added[0].startsLine;
    const inserted = added.filter((chunk) => !this.replaceChunk(chunk, isSingle ? removed[0] : chunk));
    if (!isSingle) for (const chunk of removed) this.drop(chunk);
    if (inserted.length) this.insert(inserted, chunks);
    this.removeEmptyLines();
    this.lineEnds.schedule();
    let budget = isEager ? FIRST_PARTS : 0;
    for (const chunk of added) for (const part of this.shown.get(chunk).parts) if (budget-- > 0) this.paint(part);
  }

  has(chunk) {
    return this.shown.has(chunk);
  }

  // The common case: a chunk replaces an older one, or its own older tokens, and nothing else moves.
  replaceChunk(chunk, older) {
    const before = this.shown.get(older);
    if (before && older !== chunk && this.patch(older, before, chunk)) return true;
    if (before) this.shown.delete(older);
    const now = this.build(chunk);
    if (!before) return false;
    before.nodes[0].before(...now.nodes);
    this.remove(before);
    this.updateLine((now.paragraph = before.paragraph));
    return true;
  }

  // Keeps the elements of unchanged tokens.
  patch(older, before, chunk) {
    const parts = this.paintOptions().withBytes ? null : diffParts(older, before.parts, chunk);
    if (!parts) return false;
    this.shown.delete(older);
    this.shown.set(chunk, { ...before, parts });
    for (const part of parts) this.patchPart(part);
    this.updateLine(before.paragraph);
    return true;
  }

  patchPart(part) {
    const { older, front, back, pieces } = part;
    part.older = null;
    part.node = older.node;
    this.parts.set(part.node, part);
    if (!older.index) {
      if (older.text !== part.text) part.node.textContent = part.text;
      return;
    }
    const { children } = part.node;
    const old = Array.from(children).slice(front, children.length - back);
    const end = pieces.length - back;
    const { fragment } = paintTokens(part.chunk, pieces.slice(front, end), part.from, part.to, this.paintOptions());
    part.node.insertBefore(fragment, children[front] ?? null);
    for (const element of old) element.remove();
    part.index = Array.from({ length: part.to - part.from }, () => []);
    // token numbers after the edit have shifted
    const isMoved = back && pieces[end].first !== older.pieces[older.pieces.length - back].first;
    pieces.forEach((piece, i) => {
      for (let k = piece.first; k <= piece.last; k++) part.index[k - part.from].push(children[i]);
      if (isMoved && i >= end && piece.last >= piece.first) children[i].dataset.k = piece.first;
    });
    this.onPaint?.(part);
  }

  build(chunk) {
    const parts = partsOf(chunk), nodes = parts.map((part) => {
      part.node = make('span', 'part', part.text);
      this.parts.set(part.node, part);
      return part.node;
    });
    const now = { parts, nodes, paragraph: null };
    this.shown.set(chunk, now);
    return now;
  }

  // Paragraphs are whole lines. New chunks may join or split them, so their lines are filled again; older parts only
  // move.
  insert(inserted, chunks) {
    let first = chunks.indexOf(inserted[0]), last = chunks.indexOf(inserted[inserted.length - 1]) + 1;
    while (first > 0 && !chunks[first].startsLine) first--;
    while (last < chunks.length && !chunks[last].startsLine) last++;
    let next = last;
    while (next < chunks.length && !this.has(chunks[next])) next++;
    const anchor = this.shown.get(chunks[next])?.paragraph ?? null;
    const filled = new Set();
    let paragraph = null;
    for (const chunk of chunks.slice(first, last)) {
      const now = this.shown.get(chunk);
      if (!now) continue;
      if (now.paragraph) this.emptied.add(now.paragraph);
      if (chunk.startsLine || !paragraph) this.virtualList.insert((paragraph = make('div', 'line')), anchor);
      paragraph.append(...now.nodes);
      now.paragraph = paragraph;
      filled.add(paragraph);
    }
    for (const line of filled) this.updateLine(line);
  }

  removeEmptyLines() {
    for (const line of this.emptied) if (!line.childNodes.length) this.virtualList.remove(line);
    this.emptied.clear();
  }

  // A very long line breaks after each part: as one paragraph its layout would take seconds on every key.
  updateLine(line) {
    line.classList.toggle('long', line.childNodes.length > MAX_PARAGRAPH_PARTS);
    this.virtualList.observe(line);
  }

  drop(chunk) {
    const before = this.shown.get(chunk);
    if (before) this.remove(before);
    this.shown.delete(chunk);
  }

  remove({ nodes, paragraph }) {
    for (const node of nodes) { this.virtualList.unobserve(node); node.remove(); }
    if (paragraph) this.emptied.add(paragraph);
  }

  unpainted(line) {
    return Array.from(line.childNodes).filter((node) => !this.parts.get(node).index);
  }

  paint(part) {
    if (part.index) return;
    const { fragment, index } = paintTokens(part.chunk, part.pieces, part.from, part.to, this.paintOptions());
    part.node.replaceChildren(fragment);
    part.index = index;
    this.onPaint?.(part);
    this.lineEnds.schedule();
    this.virtualList.unobserve(part.node);
  }

  /** Repaints all painted parts after a change of how they are shown. */
  repaint(chunks) {
    for (const part of this.paintedParts(chunks)) { part.index = null; this.paint(part); }
  }

  /** Paints all of a chunk, also what is out of view. */
  paintAll(chunk) {
    for (const part of this.shown.get(chunk).parts) this.paint(part);
  }

  *paintedParts(chunks) {
    for (const chunk of chunks) for (const part of this.shown.get(chunk)?.parts ?? []) if (part.index) yield part;
  }

  elementsOf(chunk, k) {
    const part = this.shown.get(chunk)?.parts.find((part) => k >= part.from && k < part.to);
    if (!part) return [];
    this.paint(part);
    return part.index[k - part.from];
  }

  /** Returns the token under a pointer event, { chunk, k }, or null. */
  at(event) {
    const { node, k } = tokenUnder(event), part = this.parts.get(node);
    return part ? { chunk: part.chunk, k } : null;
  }

  close() {
    this.virtualList.close();
    this.lineEnds.close();
  }
}
