// Blocks in pages: a long view holds few boxes that the browser must look at on every frame, and says when one of them
// comes near.
import { make } from './elements.js';

const FULL = 16; // blocks of a page; one that has grown to twice as many is split

export class Pages {
  /** `targetsOf(block)` are the elements in a block that `onNear` wants to hear of when they come near the view. */
  constructor(element, targetsOf, onNear) {
    this.element = element;
    this.targetsOf = targetsOf;
    this.onNear = onNear;
    this.near = new IntersectionObserver((entries) => entries.forEach((entry) => this.seen(entry)), {
      root: element, rootMargin: '600px',
    });
  }

  /** Puts a block before the block `next`, or at the end. */
  insert(block, next) {
    let page = next ? next.parentElement : this.element.lastElementChild;
    if (!page || (!next && page.childElementCount >= FULL)) page = this.add(null);
    page.insertBefore(block, next);
    if (page.childElementCount > 2 * FULL) this.split(page);
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

  /** Called when a block has got new targets. */
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
    half.append(...Array.from(page.children).slice(FULL));
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
