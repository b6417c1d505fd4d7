// The ids beside the tokens: a block a chunk, written out when it comes near.
import { Pages } from '../../kit/js/pages.js';

const EAGER = 4; // blocks written out when they come in: the first screen

export class IdsView {
  constructor(element) {
    this.element = element;
    this.chunks = new WeakMap(); // block -> chunk
    this.pages = new Pages(element, (block) => (block.firstChild ? [] : [block]), (block) => this.paint(this.chunks.get(block)));
  }

  /** As TokensView.replace: `arrived` chunks in the place of the `gone` ones. */
  replace(gone, arrived, chunks, eager) {
    let next = chunks.indexOf(arrived[arrived.length - 1]) + 1;
    while (next < chunks.length && !chunks[next].idsBlock) next++;
    const anchor = chunks[next]?.idsBlock ?? null;
    for (const chunk of gone) this.drop(chunk);
    for (const chunk of arrived) {
      this.drop(chunk);
      this.pages.insert(this.block(chunk), anchor);
    }
    for (const chunk of eager ? arrived.slice(0, EAGER) : []) this.paint(chunk);
  }

  block(chunk) {
    const block = document.createElement('div');
    block.style.minHeight = `${Math.ceil(chunk.ids.length / 9) * 1.5}rem`; // about what its ids will take
    chunk.idsBlock = block;
    this.chunks.set(block, chunk);
    return block;
  }

  drop(chunk) {
    if (chunk.idsBlock) this.pages.remove(chunk.idsBlock);
    chunk.idsBlock = null;
  }

  paint(chunk) {
    if (!chunk?.idsBlock || chunk.idsBlock.firstChild) return;
    const fragment = document.createDocumentFragment();
    chunk.ids.forEach((id, k) => {
      const span = document.createElement('span');
      span.dataset.k = k;
      span.className = `c${chunk.colors[k]}`;
      span.textContent = id;
      fragment.append(span, ' ');
    });
    chunk.idsBlock.style.minHeight = '';
    chunk.idsBlock.append(fragment);
    this.pages.forget(chunk.idsBlock);
  }

  elementsOf(chunk, k) {
    if (!chunk.idsBlock) return [];
    this.paint(chunk);
    return [chunk.idsBlock.children[k]];
  }

  at(event) {
    const span = event.target.closest?.('[data-k]'), chunk = this.chunks.get(span?.parentElement);
    return chunk ? { chunk, k: Number(span.dataset.k) } : null;
  }
}
