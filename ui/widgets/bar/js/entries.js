// Keeps one entry per page in the browser's history. Streamlit adds an entry each time it writes the address. What a
// page writes while it opens replaces its entry: otherwise "back" would pass each page twice, and "forward" would be
// lost after "back".
import { navigation } from '../../../../web/js/editor/tab-state.js';
import { interceptHistory } from '../../../../web/js/streamlit/streamlit-dom.js';

let isOpening = true; // until the visitor presses something on the page

/** Whether a link to another page was pressed, and the address is still this page's. */
const isNavigating = () => ![null, location.pathname].includes(navigation().path);

/** Starts for this document; to be called once. `onNavigate()` is called when another page opens. */
export function keepOneEntryPerPage(onNavigate) {
  for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, () => { isOpening = false; }, true);
  addEventListener('popstate', () => { isOpening = true; }, true);
  interceptHistory((url, { push, replace }) => {
    const isNavigation = new URL(url ?? '', location.href).pathname !== location.pathname;
    if (!isNavigation && isOpening) return replace();
    if (!isNavigation && isNavigating()) return; // the address of the next page will contain it
    isOpening = isNavigation;
    push();
    if (isNavigation) onNavigate();
  });
}
