// Shows a page only once it is drawn, and the previous one until then: Streamlit empties a page before it draws the
// next, element by element, and each element would move those below it. The page of a link is shown once the server has
// the link: until then it may lack a tokenizer that the link contains.
import { delay } from '../../../../web/js/dom/elements.js';
import { pathOfClick } from '../../../../web/js/editor/tab-state.js';
import { MAIN, NOT_DRAWN, componentRoots } from '../../../../web/js/streamlit/streamlit-dom.js';
import { isLinkPending } from './page-snapshot.js';

const MAX_TURN_MS = 3500, MAX_LOAD_MS = 8000; // for a slow page, which is then shown as it is; browsers wait for 4 s
const POLL_MS = 10;
const MIN_DRAWN_POLLS = 2; // Streamlit ends a run a moment before it adds the run's last elements
let transition = null, isPressOnPicture = false; // the turn in progress; whether a press hit the old page's picture
let isKey = false; // whether the last press was one of a key

/** Begins to hide incomplete pages. server/first_paint.py hides the first one until `data-drawn` is set. */
export function hideIncompletePages() {
  drawn(MAX_LOAD_MS).then(() => {
    document.documentElement.dataset.drawn = '';
    dispatchEvent(new Event('tokenloupe-drawn'));
  });
  for (const kind of ['keydown', 'pointerdown']) addEventListener(kind, () => { isKey = kind === 'keydown'; }, true);
  if (!document.startViewTransition) return;
  addEventListener('click', (event) => {
    const path = pathOfClick(event);
    if (path !== null) keepUntilDrawn(path);
  }, true);
  addEventListener('popstate', () => keepUntilDrawn(location.pathname));
  addEventListener('pointerdown', ({ target }) => {
    isPressOnPicture = transition !== null && target === document.documentElement;
    if (isPressOnPicture) transition.skipTransition();
  }, true);
  addEventListener('click', passOn, true);
}

// While the picture is shown, a press hits the picture instead of the page: it is passed on to the page.
function passOn({ target, clientX, clientY }) {
  if (!isPressOnPicture || target !== document.documentElement) return;
  isPressOnPicture = false;
  let place = document, pressed = null;
  for (; place; place = pressed?.shadowRoot) {
    const found = place.elementFromPoint(clientX, clientY);
    if (!found || found === pressed) break;
    pressed = found;
  }
  pressed?.closest('a, button, input, textarea, select, [tabindex]')?.focus();
  pressed?.click();
}

// During the callback of a view transition, the browser shows a picture of the page as it was.
function keepUntilDrawn(path) {
  const own = transition = document.startViewTransition(() => drawn(MAX_TURN_MS, path.split('/').pop()));
  own.ready.catch(() => {}); // another one has begun, a press has ended it, or the tab is hidden
  own.finished.finally(() => { if (transition === own) transition = null; });
}

/** After a turn by key, moves the focus from the bar, or from what is gone, to the heading of the page: the bar is last
 *  in the tab order. */
export async function focusHeading(name) {
  if (!isKey) return;
  await drawn(MAX_TURN_MS, name);
  const { activeElement, body } = document, heading = document.querySelector(`${MAIN} h1`);
  if (!heading || (activeElement !== body && !activeElement.closest('.st-key-bar'))) return;
  heading.tabIndex = -1;
  heading.focus();
}

// Resolves once the page, or the page of this name, is drawn.
async function drawn(maxMs, name = null) {
  const root = document.documentElement, end = performance.now() + maxMs;
  const isDrawn = () =>
    (name === null || root.dataset.page === name) &&
    !document.querySelector(NOT_DRAWN) && !isLinkPending() &&
    !componentRoots().some((one) => one.querySelector('.desk:not([data-ready])'));
  for (let polls = 0; performance.now() < end; await delay(POLL_MS))
    if ((polls = isDrawn() ? polls + 1 : 0) >= MIN_DRAWN_POLLS) return;
}
