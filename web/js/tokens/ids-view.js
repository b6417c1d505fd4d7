// The ids beside the tokens: a block per chunk, filled when it comes near the viewport.
import { make } from '../dom/elements.js';
import { commonAffixes } from './common-affixes.js';
import { VirtualList } from '../dom/virtual-list.js';

const FIRST_BLOCKS = 4; // filled when they arrive: the first screen
const SETTLE_DELAY_MS = 200; // without new ids or another size

export class IdsView {
  constructor(element) {
    this.element = element;
    this.blocks = new WeakMap(); // chunk -> block
    this.chunks = new WeakMap(); // block -> chunk
    this.virtualList = new VirtualList(
      element, (block) => (block.firstChild ? [] : [block]), (block) => this.paint(this.chunks.get(block)),
    );
    this.resizeObserver = new ResizeObserver(() => this.onSettled());
    this.resizeObserver.observe(element);
  }

  /** Same as TokensView.replace: the `added` chunks replace the `removed` ones. */
  replace(removed, added, chunks, isEager) {
    if (removed.length === 1 && added.length === 1 && this.patch(removed[0], added[0])) return;
    let next = chunks.indexOf(added[added.length - 1]) + 1;
    while (next < chunks.length && !this.has(chunks[next])) next++;
    const anchor = this.blocks.get(chunks[next]) ?? null;
    for (const chunk of [...removed, ...added]) this.drop(chunk);
    for (const chunk of added) this.virtualList.insert(this.makeBlock(chunk), anchor);
    for (const chunk of isEager ? added.slice(0, FIRST_BLOCKS) : []) this.paint(chunk);
  }

  // The common case: a chunk replaces an older one, and unchanged ids keep their nodes.
  patch(older, chunk) {
    const block = this.blocks.get(older);
    if (!block?.firstChild || this.has(chunk)) return false;
    const was = older.ids.length, now = chunk.ids.length;
    const { front, back } = commonAffixes(
      was, now, (i, j) => older.ids[i] === chunk.ids[j] && older.colors[i] === chunk.colors[j],
    );
    const others = Array.from(block.children).slice(front, was - back), next = block.children[was - back] ?? null;
    block.insertBefore(spans(chunk, front, now - back), next);
    for (const span of others) {
      span.nextSibling.remove();
      span.remove();
    }
    if (was !== now) for (let k = now - back; k < now; k++) block.children[k].dataset.k = k;
    this.blocks.delete(older);
    this.register(chunk, block);
    return true;
  }

  makeBlock(chunk) {
    const block = make('div');
    block.style.minHeight = `${Math.ceil(chunk.ids.length / 9) * 1.5}rem`; // estimated height
    this.register(chunk, block);
    return block;
  }

  register(chunk, block) {
    this.blocks.set(chunk, block);
    this.chunks.set(block, chunk);
  }

  has(chunk) {
    return this.blocks.has(chunk);
  }

  drop(chunk) {
    if (this.has(chunk)) this.virtualList.remove(this.blocks.get(chunk));
    this.blocks.delete(chunk);
  }

  paint(chunk) {
    const block = this.blocks.get(chunk);
    if (!block || block.firstChild) return;
    block.style.minHeight = '';
    block.append(spans(chunk, 0, chunk.ids.length));
    this.virtualList.unobserve(block);
  }

  /** Once neither ids nor sizes change, lets the keyboard scroll them if they do not fit. */
  onSettled() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const { element } = this;
      if (element.scrollHeight > element.clientHeight) element.tabIndex = 0; else element.removeAttribute('tabindex');
    }, SETTLE_DELAY_MS);
  }

  elementsOf(chunk, k) {
    if (!this.has(chunk)) return [];
    this.paint(chunk);
    return [this.blocks.get(chunk).children[k]];
  }

  at(event) {
    const span = event.target.closest?.('[data-k]'), chunk = this.chunks.get(span?.parentElement);
    return chunk ? { chunk, k: Number(span.dataset.k) } : null;
  }

  close() {
    clearTimeout(this.timer);
    this.resizeObserver.disconnect();
    this.virtualList.close();
  }
}

// Returns the ids from..to of a chunk, each followed by a space.
function spans(chunk, from, to) {
  const fragment = document.createDocumentFragment();
  for (let k = from; k < to; k++) {
    const span = make('span', `c${chunk.colors[k]}`, String(chunk.ids[k]));
    span.dataset.k = k;
    fragment.append(span, ' ');
  }
  return fragment;
}
