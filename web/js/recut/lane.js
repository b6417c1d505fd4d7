// The text as it is cut at the current step. Only the visible part is drawn as tokens, the rest is plain text, so that
// a step stays fast.
import { copyVerbatim, make } from '../dom/elements.js';
import { paintTokens, RIGHT_TO_LEFT, tokenUnder } from '../tokens/paint.js';
import { piecesOf } from '../tokens/pieces.js';

const MARGIN_PX = 60; // around the viewport, drawn too
const MAX_PAINT_ROUNDS = 5;
const PAINT_OPTIONS = { names: new Map(), withBytes: false };

export class Lane {
  constructor(element) {
    this.element = element;
    this.recut = null;
    this.step = 0;
    this.stale = new Set();        // blocks that do not show this step's tokens
    this.blocks = new WeakMap();   // node of a block -> block
    element.addEventListener('scroll', () => this.paintInView(), { passive: true });
    copyVerbatim(element);
  }

  show(recut, step) {
    this.recut = recut;
    this.step = step;
    const lines = [make('div', 'line')];
    for (const block of recut.blocks) {
      block.node = make('span', 'part', block.text);
      this.blocks.set(block.node, block);
      lines[lines.length - 1].append(block.node);
      if (block.endsLine) lines.push(make('div', 'line'));
    }
    this.element.replaceChildren(...lines);
    this.stale = new Set(recut.blocks);
    this.paintInView();
  }

  move(step) {
    for (const block of this.recut.blocks) if (this.recut.isTouched(block, this.step, step)) this.stale.add(block);
    this.step = step;
    this.paintInView();
  }

  /** Draws outdated blocks in view. Merged text is narrower and brings more blocks into view, so this repeats a
   *  few times. */
  paintInView() {
    for (let round = 0; round < MAX_PAINT_ROUNDS && this.stale.size && this.paintNear(); round++);
  }

  // Reads positions before drawing, while the layout is still valid. What the visitor looks at keeps its place.
  paintNear() {
    const view = this.element.getBoundingClientRect(), near = [], far = [];
    for (const block of this.stale) {
      const box = block.node.getBoundingClientRect();
      (box.bottom > view.top - MARGIN_PX && box.top < view.bottom + MARGIN_PX ? near : far).push(block);
    }
    const anchor =
      this.element.scrollTop > 0
        ? this.recut.blocks.find((block) => block.node.getBoundingClientRect().bottom > view.top)
        : null;
    const top = anchor?.node.getBoundingClientRect().top;
    for (const block of near) this.paint(block);
    for (const block of far) this.clear(block);
    if (anchor) this.element.scrollTop += anchor.node.getBoundingClientRect().top - top;
    return near.length;
  }

  /** Yields the parts that are drawn as tokens, for TokenMotion. */
  *paintedParts(blocks) {
    for (const block of blocks) if (block.index) yield { chunk: block, pieces: block.pieces, node: block.node };
  }

  paintOptions() {
    return PAINT_OPTIONS;
  }

  clear(block) {
    if (block.index) block.node.textContent = block.text;
    block.index = null;
  }

  paint(block) {
    const cut = this.recut.cut(block, this.step), count = cut.ends.length;
    // the properties of a chunk that pieces.js and paint.js read
    Object.assign(block, cut, { ids: cut.made, starts: [0, ...cut.ends] });
    block.pieces = piecesOf(block);
    const { fragment, index } = paintTokens(block, block.pieces, 0, count, PAINT_OPTIONS);
    block.index = index;
    block.newest = [];
    for (let k = 0; k < count && this.step > 0; k++) {
      if (cut.made[k] === this.step - 1)
        block.newest.push(...index[k].map((element, i, all) => mark(element, k, i === 0, i === all.length - 1)));
    }
    block.node.replaceChildren(fragment);
    this.stale.delete(block);
  }

  /** Returns the visible tokens that the last merge made: { elements, bytes }. */
  newest() {
    const view = this.element.getBoundingClientRect(), found = [];
    for (const block of this.recut.blocks) {
      if (this.stale.has(block) || !block.newest?.length) continue;
      const box = block.node.getBoundingClientRect();
      if (box.bottom < view.top || box.top > view.bottom) continue;
      block.made.forEach((made, k) => {
        if (made === this.step - 1)
          found.push({ elements: block.index[k], bytes: block.bytes.subarray(block.starts[k], block.ends[k]) });
      });
    }
    return found;
  }

  /** Scrolls the newest token into view, unless one is visible. */
  follow() {
    const { recut, step, element } = this, blocks = recut.blocks.filter((block) => recut.hasNewest(block, step));
    if (!blocks.length) return;
    const view = element.getBoundingClientRect(), isSeen = (node) => {
      const box = node.getBoundingClientRect();
      return box.top >= view.top - 4 && box.bottom <= view.bottom + 4;
    };
    if (blocks.some((block) => !this.stale.has(block) && block.newest.some(isSeen))) return;
    const block = blocks.find((one) => one.node.getBoundingClientRect().bottom > view.top) ?? blocks[0];
    if (this.stale.has(block)) this.paint(block);
    const box = block.newest[0].getBoundingClientRect();
    element.scrollTop += box.top - view.top - view.height / 3;
    this.paintInView();
  }

  /** Returns the token under a pointer event, { block, k }, or null. */
  at(event) {
    const { node, k } = tokenUnder(event), block = this.blocks.get(node);
    return block ? { block, k } : null;
  }

  /** Returns the token `by` places after another one, or the first visible one. */
  neighbor(hit, by) {
    const { blocks } = this.recut;
    if (!hit) {
      const top = this.element.getBoundingClientRect().top;
      const block = blocks.find((one) => one.node.getBoundingClientRect().bottom > top);
      return block && !this.stale.has(block) ? { block, k: 0 } : null;
    }
    if ((hit.k + by) in hit.block.ends) return { block: hit.block, k: hit.k + by };
    const block = blocks[blocks.indexOf(hit.block) + by];
    if (!block) return hit;
    if (this.stale.has(block)) this.paint(block);
    return { block, k: by > 0 ? 0 : block.ends.length - 1 };
  }
}

// Marks token k in an element, or only its band if it shares a grapheme.
function mark(element, k, isFirst, isLast) {
  const n = Number(element.dataset.n ?? 1), isRtl = RIGHT_TO_LEFT.test(element.textContent);
  element.classList.add('newest');
  if (n === 1) {
    element.classList.toggle('opens', isRtl ? isLast : isFirst);
    element.classList.toggle('closes', isRtl ? isFirst : isLast);
    return element;
  }
  element.bandsMarked = [...(element.bandsMarked ?? []), k - Number(element.dataset.k)];
  element.style.setProperty('--bar', barOver(n, element.bandsMarked, 'leftward' in element.dataset));
  return element;
}

function barOver(n, bands, isRtl) {
  const stops = Array.from(
    { length: n },
    (_, i) => `${bands.includes(i) ? 'var(--ink)' : 'transparent'} ${(100 * i) / n}% ${(100 * (i + 1)) / n}%`,
  );
  return `linear-gradient(to ${isRtl ? 'left' : 'right'}, ${stops.join(', ')})`;
}
