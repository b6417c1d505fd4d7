// A chip with the id, bytes and characters of the token under the pointer, above its line.
import { make } from '../dom/elements.js';
import { numbersOf, setText } from './readout.js';

const GAP_PX = 4; // between the token and the chip

export class HoverChip {
  constructor(frame) {
    this.element = Object.assign(make('div', 'hover-chip'), { popover: 'manual', ariaHidden: 'true' });
    frame.append(this.element);
  }

  /** Shows the facts about a token at its first element; hides the chip without one. */
  show(elements, facts) {
    const { element } = this, box = elements?.[0]?.getBoundingClientRect();
    const isShown = !!box && element.isConnected && matchMedia('(hover: hover)').matches;
    if (isShown) setText(element, numbersOf(facts));
    if (isShown !== element.matches(':popover-open')) element.togglePopover(isShown);
    if (!isShown) return;
    const { offsetWidth, offsetHeight } = element, width = document.documentElement.clientWidth;
    const top = box.top - offsetHeight - GAP_PX;
    element.style.left = `${Math.max(0, Math.min(box.left, width - offsetWidth))}px`;
    element.style.top = `${top > 0 ? top : box.bottom + GAP_PX}px`;
  }
}
