// The ids beside the tokens: a block a chunk, written out when it comes near.
import { make } from '../../kit/js/dom.js';
import { Pages } from '../../kit/js/pages.js';

const EAGER = 4; // blocks written out when they come in: the first screen

export class IdsView {
  constructor(element) {
    this.element = element;
    this.blocks = new WeakMap(); // chunk -> block
    this.chunks = new WeakMap(); // block -> chunk
    this.pages = new Pages(element, (block) => (block.firstChild ? [] : [block]), (block) => this.paint(this.chunks.get(block)));
  }

  /** As TokensView.replace: `arrived` chunks in the place of the `gone` ones. */
  replace(gone, arrived, chunks, eager) {
    let next = chunks.indexOf(arrived[arrived.length - 1]) + 1;
    while (next < chunks.length && !this.has(chunks[next])) next++;
    const anchor = this.blocks.get(chunks[next]) ?? null;
    for (const chunk of [...gone, ...arrived]) this.drop(chunk);
    for (const chunk of arrived) this.pages.insert(this.block(chunk), anchor);
    for (const chunk of eager ? arrived.slice(0, EAGER) : []) this.paint(chunk);
  }

  block(chunk) {
    const block = make('div');
    block.style.minHeight = `${Math.ceil(chunk.ids.length / 9) * 1.5}rem`; // about what its ids will take
    this.blocks.set(chunk, block);
    this.chunks.set(block, chunk);
    return block;
  }

  has(chunk) {
    return this.blocks.has(chunk);
  }

  drop(chunk) {
    if (this.has(chunk)) this.pages.remove(this.blocks.get(chunk));
    this.blocks.delete(chunk);
  }

  paint(chunk) {
    const block = this.blocks.get(chunk);
    if (!block || block.firstChild) return;
    const fragment = document.createDocumentFragment();
    chunk.ids.forEach((id, k) => {
      const span = make('span', `c${chunk.colors[k]}`, String(id));
      span.dataset.k = k;
      fragment.append(span, ' ');
    });
    block.style.minHeight = '';
    block.append(fragment);
    this.pages.forget(block);
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
}
