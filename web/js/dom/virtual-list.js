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
    this.observer = new IntersectionObserver((entries) => entries.forEach((entry) => this.onIntersection(entry)), {
      root: element, rootMargin: '600px',
    });
  }

  /** Inserts a block before the block `next`, or at the end. */
  insert(block, next) {
    let page = next ? next.parentElement : this.element.lastElementChild;
    if (!page || (!next && page.childElementCount >= BLOCKS_PER_PAGE)) page = this.addPage(null);
    page.insertBefore(block, next);
    if (page.childElementCount > 2 * BLOCKS_PER_PAGE) this.splitPage(page);
    this.observe(block);
  }

  remove(block) {
    const page = block.parentElement;
    for (const target of this.targetsOf(block)) this.observer.unobserve(target);
    block.remove();
    if (page && !page.childElementCount) {
      this.observer.unobserve(page);
      page.remove();
    }
  }

  observe(block) {
    if (block.parentElement?.isNear) for (const target of this.targetsOf(block)) this.observer.observe(target);
  }

  unobserve(target) {
    this.observer.unobserve(target);
  }

  addPage(next) {
    const page = make('div', 'page');
    this.element.insertBefore(page, next);
    this.observer.observe(page);
    return page;
  }

  splitPage(page) {
    const half = this.addPage(page.nextElementSibling);
    half.append(...Array.from(page.children).slice(BLOCKS_PER_PAGE));
    half.isNear = page.isNear;
  }

  onIntersection({ target, isIntersecting }) {
    if (!target.isConnected) return; // it was removed after the browser had seen it
    if (target.parentElement !== this.element) {
      if (isIntersecting) this.onNear(target);
      return;
    }
    if (target.isNear === isIntersecting) return;
    target.isNear = isIntersecting;
    for (const block of target.children) {
      for (const inner of this.targetsOf(block))
        if (isIntersecting) this.observer.observe(inner);
        else this.observer.unobserve(inner);
    }
  }

  close() {
    this.observer.disconnect();
  }
}
