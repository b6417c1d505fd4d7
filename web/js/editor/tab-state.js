// The visitor's text, stored in this tab: it survives navigation, lost connections and reloads. Another tab has a text
// of its own.
import { inDocument } from '../dom/document-state.js';
import { isPlainClick } from '../dom/elements.js';
import { History } from './history.js';
import { lossesOf, recordLosses, readJson, remove, TAB, write } from '../dom/storage.js';

const STORAGE_KEY = 'tokenloupe.desk';
/** The key of the tab's record (tab-record.js); it is removed if the texts need its space. */
export const RECORD_KEY = 'tokenloupe.tab';
const TEXTS_BY_PRIORITY = ['own', 'second', 'text']; // the first is dropped first if they do not all fit

/** Returns what this tab stores: { text, push, name, … }. `text` is null at first. `push` is the id of the last text
 *  that the server gave; `name` is the name under which the text was sent to the server, which repeats it with every
 *  push, or null if it was not sent. Pages store more. */
export const tabState = () => inDocument('tabState', load);

function load() {
  addEventListener('pagehide', saveTab);
  // a phone may end a tab in the background without "pagehide"
  addEventListener('visibilitychange', () => { if (document.hidden) saveTab(); });
  addEventListener('pageshow', ({ persisted }) => { if (persisted) reloadIfOutdated(); });
  return { text: null, push: null, name: null, ...readJson(TAB, STORAGE_KEY), document: String(Math.random()) };
}

// The back/forward cache restores a document with its old values. If the tab has had another document since, the newer
// values in the storage must not be overwritten, so this document stores nothing any more and loads again.
function reloadIfOutdated() {
  const stored = readJson(TAB, STORAGE_KEY);
  if (!stored || stored.document === tabState().document) return;
  tabState().isOutdated = true;
  location.reload();
}

/** Returns the undo history of the text on all pages; a reload clears it. */
export const textHistory = () => inDocument('textHistory', () => new History());

const pin = () => inDocument('pin', () => ({}));

/** Stores the byte of the text at which a token was pinned last; the page Why opens there, until Esc unpins it. */
export const storePin = (at) => { Object.assign(pin(), { at, text: tabState().text }); };

export const clearPin = () => { delete pin().at; };

/** Returns the byte of the pinned token, or undefined: none is pinned, or the text has changed since. */
export const pinnedByte = () => (pin().text === tabState().text ? pin().at : undefined);

/** Returns a name for a text that is about to be sent to the server. */
export const newTextName = () => String(Math.random());

export function updateTab(changes) {
  Object.assign(tabState(), changes);
  clearTimeout(updateTab.timer);
  updateTab.timer = setTimeout(saveTab, 300);
}

/** Writes the state at once, with as many of the texts as fit. */
export function saveTab() {
  if (tabState().isOutdated) return;
  const lost = [], texts = TEXTS_BY_PRIORITY.filter((one) => tabState()[one]);
  let isKept = writeWithout(lost);
  if (isKept && !lossesOf(RECORD_KEY).length) return recordLosses(STORAGE_KEY, []);
  if (!isKept) {
    remove(TAB, RECORD_KEY);
    isKept = writeWithout(lost);
  }
  while (!isKept && texts.length) {
    lost.push(texts.shift());
    isKept = writeWithout(lost);
  }
  recordLosses(STORAGE_KEY, !isKept && (tabState().steps || tabState().scores) ? [...lost, 'steps'] : lost);
  dispatchEvent(new Event('tokenloupe-texts-saved')); // the record may use the space that is left
}

// Writes the state without the `lost` texts; returns whether it is stored.
function writeWithout(lost) {
  const emptied = Object.fromEntries(lost.map((name) => [name, null]));
  return write(TAB, STORAGE_KEY, JSON.stringify({ ...tabState(), ...emptied }));
}

/** Sets what `linkContent` returns, until `signal` is aborted. */
export function provideLinkContent(get, signal) {
  linkSource().get = get;
  signal.addEventListener('abort', () => { if (linkSource().get === get) linkSource().get = null; });
}

/** Returns what a link to this page contains besides its address: { query, text, fragment, … }, all optional. */
export const linkContent = () => linkSource().get?.() ?? {};

const linkSource = () => inDocument('linkSource', () => ({ get: null }));

/** Returns the path that a link leads to; Streamlit leaves the `href` of the first page empty. */
export const pathOfLink = (link) => new URL(link.getAttribute('href') || '.', document.baseURI).pathname;

/** Returns the navigation of the last click on a link: { path: where it leads, or null, hasArrived: whether that page
 *  is open }. A message that a component sends before would navigate back, so senders wait for `hasArrived`. */
export const navigation = () => inDocument('navigation', () => trackClicks({ path: null, hasArrived: false }));

const MAX_NAVIGATION_MS = 60_000; // after that, a click that has opened no page no longer delays messages

function trackClicks(current) {
  let timer;
  addEventListener('popstate', () => { current.path = null; });
  addEventListener('pointerdown', () => { if (current.hasArrived) current.path = null; }, true);
  addEventListener('click', (event) => {
    const path = pathOfClick(event);
    if (path === null && !current.hasArrived) return;
    Object.assign(current, { path, hasArrived: false });
    clearTimeout(timer);
    timer = setTimeout(() => { if (!current.hasArrived) current.path = null; }, MAX_NAVIGATION_MS);
  }, true);
  return current;
}

/** Returns the path that a click leads to in this tab, or null. */
export function pathOfClick(event) {
  const link = event.target.closest?.('a[href]:not([target="_blank"], [download])');
  return link && isPlainClick(event) ? pathOfLink(link) : null;
}
