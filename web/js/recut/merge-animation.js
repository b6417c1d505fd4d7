// Animates a merge: the halves of each newest token slide together.
import { make } from '../dom/elements.js';
import { textOf } from '../tokens/readout.js';

const SLIDE_MS = 190;
const START_DISTANCE_EM = 0.5; // of each half from its place
const MAX_ANIMATED_TOKENS = 60;

export class MergeAnimation {
  constructor(lane) {
    this.lane = lane;
    this.overlay = make('div', 'moving');
    this.overlay.ariaHidden = 'true';
    lane.element.after(this.overlay);
  }

  /** Animates the newest tokens; the left half of each has `left` bytes. */
  show(left) {
    const frame = this.overlay.getBoundingClientRect();
    this.stop();
    for (const { elements, bytes } of this.lane.newest().slice(0, MAX_ANIMATED_TOKENS)) {
      if (elements.length === 1) this.slide(elements[0], bytes, left, frame);
    }
  }

  // Clones the token twice, each clipped to one half. A token that wraps or shares a grapheme is not animated.
  slide(element, bytes, left, frame) {
    const [box, ...more] = element.getClientRects();
    if (!box || more.length || element.dataset.n) return;
    const seam = seamOf(element, bytes.subarray(0, left), box), { isRtl } = seam;
    const em = parseFloat(getComputedStyle(element).fontSize);
    for (const side of [-1, 1]) {
      const half = element.cloneNode(true), rest = side < 0 ? box.right - seam.x : seam.x - box.left;
      Object.assign(half.style, {
        left: `${box.left - frame.left}px`, top: `${box.top - frame.top}px`, lineHeight: `${box.height}px`,
        clipPath: side < 0 ? `inset(-0.3em ${rest}px -0.4em 0)` : `inset(-0.3em 0 -0.4em ${rest}px)`,
      });
      half.classList.toggle('other-half', (side < 0) === isRtl);
      this.overlay.append(half);
      const far = `translateX(${side * START_DISTANCE_EM * em}px)`;
      half
        .animate([{ transform: far }, { transform: 'none' }], { duration: SLIDE_MS, easing: 'ease-out' })
        .finished.finally(() => half.remove()).catch(() => {});
    }
    element.animate([{ opacity: 0 }, { opacity: 0 }], { duration: SLIDE_MS });
  }

  stop() {
    for (const half of [...this.overlay.children]) half.remove();
  }
}

// Returns the x position where the left half ends, and whether the text runs from right to left.
function seamOf(element, bytes, box) {
  const text = textOf(bytes);
  const range = document.createRange();
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let units = text === null ? 0 : text.length;
  for (let node; text && (node = walker.nextNode()); units -= node.length) {
    if (units > node.length) continue;
    range.setStart(element, 0);
    range.setEnd(node, units);
    const half = range.getBoundingClientRect();
    const isRtl = Math.abs(half.right - box.right) < 1 && half.left > box.left + 1;
    return { x: isRtl ? half.left : half.right, isRtl };
  }
  return { x: (box.left + box.right) / 2, isRtl: false };
}
