// What Streamlit calls, on every change of data or theme, and what it calls it with.
import { onceGone } from './elements.js';

/** The function that a component exports: it makes one `Kind` of part a place, kept for as long as what it is
 *  made of is there. Another language has a bundle and a page of its own, but mostly the same place, and nobody
 *  says that the part before goes. */
export function mount(Kind) {
  const parts = (window.tokenloupeParts ??= new WeakMap());
  const end = (place, part) => {
    part.leave();
    part.window.abort();
    if (parts.get(place) === part) parts.delete(place);
  };
  return (component) => {
    const place = component.parentElement;
    const before = parts.get(place);
    const isThere = before instanceof Kind && before.desk.isConnected;
    if (before && !isThere) end(place, before);
    const part = isThere ? before : new Kind(place);
    parts.set(place, part);
    part.update(component);
    return onceGone(place, () => end(place, part));
  };
}

/** A component in its place; who extends this has `update` and `leave`, `pressed(button)` for its buttons, and maybe
 *  `key(event)`. */
export class Part {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.desk = this.$('.desk');
    this.window = new AbortController(); // ends what listens to the window when the component goes
    this.stage();
    addEventListener('tokenloupe-stage', () => this.stage(), { signal: this.window.signal });
    this.desk.addEventListener('click', ({ target }) => {
      if (target.closest?.('[data-do]')) this.pressed(target.closest('[data-do]'));
    });
    this.desk.addEventListener('keydown', (event) => {
      // Streamlit has hotkeys of its own: r, c
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation();
      this.key?.(event);
    });
  }

  /** The page has gone on the stage, or left it. */
  stage() {
    this.desk.classList.toggle('staged', 'stage' in document.documentElement.dataset);
  }
}
