// The reader's own text, kept in this tab: over page changes, dropped connections and reloads. A second tab is a second desk.

import { History } from './history.js';

const KEY = 'tokenloupe.desk', LESS = ['tokenloupe.recipes', 'tokenloupe.carried']; // what makes room for the text

/** What this tab holds: { text, push, name }. `push` is the last text from the server that was taken over, and `name` the one under
 *  which the server's desk was told of this text, or null; what it holds, it names with every push. Text is null at first. Pages may keep more. */
export function kept() {
  return (window.tokenloupeDesk ??= begin()); // one for all components: each is a bundle, with a scope of its own
}

function begin() {
  addEventListener('pagehide', save);
  return { text: null, push: null, name: null, ...stored() };
}

/** What was done to the text in this tab, on whatever page; a reload ends it. */
export function past() {
  return (window.tokenloupePast ??= new History());
}

/** A name for a text that the server's desk is about to be told of. */
export const newName = () => String(Math.random());

export function keep(changes) {
  Object.assign(kept(), changes);
  clearTimeout(keep.timer);
  keep.timer = setTimeout(save, 300);
}

/** Writes at once what is kept: the page is about to go. */
export function save() {
  const put = () => sessionStorage.setItem(KEY, JSON.stringify(kept()));
  try {
    put();
  } catch {
    for (const other of LESS) sessionStorage.removeItem(other);
    try {
      put();
    } catch {
      // a text too large for the tab's storage lives as long as the page does
    }
  }
}

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

/** Says what a link to this page holds besides its address, as long as `signal` is not ended: { query, text, fragment }, none of them needed. */
export function share(give, signal) {
  window.tokenloupeShare = give;
  signal.addEventListener('abort', () => { if (window.tokenloupeShare === give) window.tokenloupeShare = null; });
}

/** What it holds now. */
export const shared = () => window.tokenloupeShare?.() ?? {};

/** The path that a link leads to; Streamlit leaves that of the first page empty. */
export const placeOf = (link) => new URL(link.getAttribute('href') || '.', document.baseURI).pathname;

/** Where the last click on a link leads: { to: its path, or null, isThere: whether its page has come }; one for all components.
 *  What one of them sends between such a click and the page's turn turns the page back, however long the server takes: whoever
 *  sends waits until the other page has come. */
export function heading() {
  return (window.tokenloupeHeading ??= followed({ to: null, isThere: false }));
}

function followed(way) {
  addEventListener('popstate', () => { way.to = null; });
  addEventListener('pointerdown', () => { if (way.isThere) way.to = null; }, true);
  addEventListener('click', (event) => {
    const to = pathOf(event);
    if (to !== null || way.isThere) Object.assign(way, { to, isThere: false });
  }, true);
  return way;
}

/** The path that a click leads to in this tab, or null. */
function pathOf({ target, button, ctrlKey, metaKey, shiftKey, altKey }) {
  const link = target.closest?.('a[href]:not([target="_blank"], [download])');
  return link && !button && !ctrlKey && !metaKey && !shiftKey && !altKey ? placeOf(link) : null;
}
