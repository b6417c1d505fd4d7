// Mounts components: Streamlit calls the exported function on every change of data or theme.
import { inDocument } from './document-state.js';
import { onRemoval } from './elements.js';

/** Returns the function that a component exports. It creates one instance per place and keeps it while its DOM exists.
 *  A language switch loads another bundle into the same place without unmounting the old instance, so the old one is
 *  ended here. */
export function mount(ComponentClass) {
  const components = inDocument('components', () => new WeakMap());
  const end = (place, instance) => {
    instance.destroy?.();
    instance.windowListeners.abort();
    if (components.get(place) === instance) components.delete(place);
  };
  return (component) => {
    const place = component.parentElement;
    const before = components.get(place);
    const isThere = before instanceof ComponentClass && before.desk.isConnected;
    if (before && !isThere) end(place, before);
    const instance = isThere ? before : new ComponentClass(place);
    components.set(place, instance);
    const content = instance.update(component), setReady = () => { instance.desk.dataset.ready = ''; };
    if (content) content.then(setReady); else setReady(); // page-turn.js waits for it
    return onRemoval(place, () => end(place, instance));
  };
}

/** Base class of components. Subclasses implement `update(component)`, which may return a promise for its content, and
 *  optionally `onPress(button)`, `onKey(event)` and `destroy()`. */
export class Component {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.desk = this.$('.desk');
    this.windowListeners = new AbortController(); // its signal ends the window's listeners with the component
    this.updateStageMode();
    addEventListener('tokenloupe-stage', () => this.updateStageMode(), { signal: this.windowListeners.signal });
    this.desk.addEventListener('click', ({ target }) => {
      if (target.closest?.('[data-do]')) this.onPress(target.closest('[data-do]'));
    });
    this.desk.addEventListener('keydown', (event) => {
      // Streamlit has hotkeys for single letters (r, c)
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation();
      this.onKey?.(event);
    });
  }

  updateStageMode() {
    this.desk.classList.toggle('staged', 'stage' in document.documentElement.dataset);
  }
}
