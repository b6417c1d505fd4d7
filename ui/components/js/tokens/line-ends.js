// Finds tokens whose leading space stays at the end of a line while the rest is on the next one: such a space has no
// color, since it would look like a token. Only the lines in view are examined.

export class LineEnds {
  constructor(view) {
    this.view = view;
    this.stubs = new Set();
    const later = () => this.schedule();
    this.resizes = new ResizeObserver(later);
    this.resizes.observe(view);
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    view.addEventListener('scroll', later, { passive: true, signal });
    document.fonts.addEventListener('loadingdone', later, { signal });
    addEventListener('tokenloupe-drawn', later, { signal }); // what is hidden is not found at a point
  }

  schedule() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.mark();
    });
  }

  mark() {
    const found = new Set(this.firstOfLines().filter(leavesSpaceBehind));
    for (const token of this.stubs) if (!found.has(token)) token.classList.remove('stub');
    for (const token of found) token.classList.add('stub');
    this.stubs = found;
  }

  // Returns the tokens at the start of the lines in view.
  firstOfLines() {
    const { view } = this, { left, right, top, bottom } = view.getBoundingClientRect();
    const { paddingLeft, paddingRight, lineHeight } = getComputedStyle(view), tokens = new Set();
    const starts = [left + parseFloat(paddingLeft) + 2];
    if (view.closest('.leftward')) starts.push(right - parseFloat(paddingRight) - 2);
    const step = parseFloat(lineHeight) / 2;
    for (let y = Math.max(0, top) + step / 2; y < Math.min(bottom, innerHeight); y += step) {
      for (const x of starts) {
        const token = view.getRootNode().elementFromPoint(x, y)?.closest('.t');
        if (token) tokens.add(token);
      }
    }
    return [...tokens];
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.resizes.disconnect();
    this.listeners.abort();
  }
}

/** Whether a token's leading space is on one line, and the rest on the next. */
export function leavesSpaceBehind(token) {
  const space = token.firstElementChild, [first, second] = token.getClientRects();
  if (!second || space !== token.firstChild || !space?.matches('.w')) return false;
  const own = space.getBoundingClientRect();
  return second.top >= first.bottom - 1 && own.top < second.top && Math.abs(own.width - first.width) < 1;
}
