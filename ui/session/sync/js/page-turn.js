// Shows a page only once it is drawn, and the previous one until then: Streamlit empties a page before it draws the
// next, element by element, and each element would move those below it.
import { delay } from '../../../components/js/dom/elements.js';
import { pathOfClick } from '../../../components/js/editor/tab-state.js';
import { NOT_DRAWN, componentRoots } from '../../../components/js/streamlit/streamlit-dom.js';

const MAX_TURN_MS = 2500, MAX_LOAD_MS = 8000; // for a slow page; then what is there is shown
const POLL_MS = 10;

/** Begins to hide incomplete pages. server/first_paint.py hides the first one until `data-drawn` is set. */
export function hideIncompletePages() {
  drawn(MAX_LOAD_MS).then(() => {
    document.documentElement.dataset.drawn = '';
    dispatchEvent(new Event('tokenloupe-drawn'));
  });
  if (!document.startViewTransition) return;
  addEventListener('click', (event) => {
    const path = pathOfClick(event);
    if (path !== null) keepUntilDrawn(path);
  }, true);
  addEventListener('popstate', () => keepUntilDrawn(location.pathname));
}

// During the callback of a view transition, the browser shows a picture of the page as it was.
function keepUntilDrawn(path) {
  const transition = document.startViewTransition(() => drawn(MAX_TURN_MS, path.split('/').pop()));
  transition.ready.catch(() => {}); // another one has begun, or the tab is hidden
}

// Resolves once the page, or the page of this name, is drawn.
async function drawn(maxMs, name = null) {
  const root = document.documentElement, end = performance.now() + maxMs;
  const isDrawn = () =>
    (name === null || root.dataset.page === name) &&
    !document.querySelector(NOT_DRAWN) &&
    !componentRoots().some((one) => one.querySelector('.desk:not([data-ready])'));
  while (!isDrawn() && performance.now() < end) await delay(POLL_MS);
}
