// Groups the blocks of a long view into pages, so that the browser lays out few boxes per frame, and reports blocks
// that come near the viewport.
import { make } from './elements.js';

const BLOCKS_PER_PAGE = 16; // a page splits at twice as many

export class VirtualList {
  /** `targetsOf(block)` returns the elements of a block to observe; `onNear` is called when one comes near the
   *  view. */
  constructor(element, targetsOf, onNear) {
    this.element = element;
    this.targetsOf = targetsOf;
    this.onNear = onNear;
    this.near = new IntersectionObserver((entries) => entries.forEach((entry) => this.seen(entry)), {
      root: element, rootMargin: '600px',
    });
  }

  /** Inserts a block before the block `next`, or at the end. */
  insert(block, next) {
    let page = next ? next.parentElement : this.element.lastElementChild;
    if (!page || (!next && page.childElementCount >= BLOCKS_PER_PAGE)) page = this.add(null);
    page.insertBefore(block, next);
    if (page.childElementCount > 2 * BLOCKS_PER_PAGE) this.split(page);
    this.watch(block);
  }

  remove(block) {
    const page = block.parentElement;
    for (const target of this.targetsOf(block)) this.near.unobserve(target);
    block.remove();
    if (page && !page.childElementCount) {
      this.near.unobserve(page);
      page.remove();
    }
  }

  /** Observes the new targets of a block. */
  watch(block) {
    if (block.parentElement?.isNear) for (const target of this.targetsOf(block)) this.near.observe(target);
  }

  forget(target) {
    this.near.unobserve(target);
  }

  add(next) {
    const page = make('div', 'page');
    this.element.insertBefore(page, next);
    this.near.observe(page);
    return page;
  }

  split(page) {
    const half = this.add(page.nextElementSibling);
    half.append(...Array.from(page.children).slice(BLOCKS_PER_PAGE));
    half.isNear = page.isNear;
  }

  seen({ target, isIntersecting }) {
    if (target.parentElement !== this.element) {
      if (isIntersecting) this.onNear(target);
      return;
    }
    if (target.isNear === isIntersecting) return;
    target.isNear = isIntersecting;
    for (const block of target.children) {
      for (const inner of this.targetsOf(block))
        if (isIntersecting) this.near.observe(inner);
        else this.near.unobserve(inner);
    }
  }

  close() {
    this.near.disconnect();
  }
}
