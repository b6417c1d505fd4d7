// Finds tokens whose leading space stays at the end of a line while the rest is on the next one: such a space has no
// color, since it would look like a token. Only the parts in view are examined, once typing pauses: each takes some
// milliseconds, which a key would wait for.

const PAUSE_MS = 150; // without another change, until the line ends are examined

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
    addEventListener('tokenloupe-drawn', later, { signal }); // hidden elements have no layout
  }

  schedule() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.mark(), PAUSE_MS);
  }

  mark() {
    const found = new Set(this.partsInView().flatMap((part) => Array.from(part.children).filter(leavesSpaceBehind)));
    for (const token of this.stubs) if (!found.has(token)) token.classList.remove('stub');
    for (const token of found) token.classList.add('stub');
    this.stubs = found;
  }

  partsInView() {
    const { top, bottom } = this.view.getBoundingClientRect();
    return Array.from(this.view.querySelectorAll('.part')).filter((part) => {
      const box = part.getBoundingClientRect();
      return box.bottom > Math.max(0, top) && box.top < Math.min(bottom, innerHeight);
    });
  }

  close() {
    clearTimeout(this.timer);
    this.resizes.disconnect();
    this.listeners.abort();
  }
}

/** Whether a token's leading space is on one line, and the rest on the next. */
export function leavesSpaceBehind(token) {
  const space = token.firstChild;
  if (space?.nodeType !== Node.ELEMENT_NODE || !space.matches('.w')) return false;
  const [first, second] = token.getClientRects();
  if (!second) return false;
  const own = space.getBoundingClientRect();
  return second.top >= first.bottom - 1 && own.top < second.top && Math.abs(own.width - first.width) < 1;
}
