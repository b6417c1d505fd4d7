// The ids beside the tokens: a block a chunk, written out when it comes near.

export class IdsView {
  constructor(element) {
    this.element = element;
    this.chunks = new WeakMap(); // block -> chunk
    this.near = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) this.paint(this.chunks.get(target));
    }, { root: element, rootMargin: '400px' });
  }

  /** As TokensView.replace: `arrived` chunks in the place of the `gone` ones. */
  replace(gone, arrived, chunks) {
    let next = chunks.indexOf(arrived[arrived.length - 1]) + 1;
    while (next < chunks.length && !chunks[next].idsBlock) next++;
    const anchor = chunks[next]?.idsBlock ?? null;
    for (const chunk of gone) this.drop(chunk);
    for (const chunk of arrived) {
      this.drop(chunk);
      this.element.insertBefore(this.block(chunk), anchor);
    }
  }

  block(chunk) {
    const block = document.createElement('div');
    block.style.containIntrinsicSize = `auto ${Math.ceil(chunk.ids.length / 8) * 24}px`;
    chunk.idsBlock = block;
    this.chunks.set(block, chunk);
    this.near.observe(block);
    return block;
  }

  drop(chunk) {
    if (chunk.idsBlock) { this.near.unobserve(chunk.idsBlock); chunk.idsBlock.remove(); }
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
    chunk.idsBlock.append(fragment);
    this.near.unobserve(chunk.idsBlock);
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
