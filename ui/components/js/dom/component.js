// Mounts components: Streamlit calls the exported function on every change of data or theme.
import { inDocument } from './document-state.js';
import { onceGone } from './elements.js';

/** Returns the function that a component exports. It creates one `Kind` per place and keeps it while its DOM
 *  exists. A language switch loads another bundle into the same place without unmounting the old component, so
 *  the old one is ended here. */
export function mount(Kind) {
  const parts = inDocument('parts', () => new WeakMap());
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

/** Base class of components. Subclasses implement `update(component)`, `leave()`, `pressed(button)` and
 *  optionally `key(event)`. */
export class Part {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.desk = this.$('.desk');
    this.window = new AbortController(); // aborts the window's listeners when the component goes
    this.stage();
    addEventListener('tokenloupe-stage', () => this.stage(), { signal: this.window.signal });
    this.desk.addEventListener('click', ({ target }) => {
      if (target.closest?.('[data-do]')) this.pressed(target.closest('[data-do]'));
    });
    this.desk.addEventListener('keydown', (event) => {
      // Streamlit has hotkeys for single letters (r, c)
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation();
      this.key?.(event);
    });
  }

  /** Adopts the stage mode of the page. */
  stage() {
    this.desk.classList.toggle('staged', 'stage' in document.documentElement.dataset);
  }
}
