// The reader's own text, kept in this tab: over page changes, dropped connections and reloads. A second tab is a second
// desk.

import { inDocument } from '../dom/document-state.js';
import { History } from './history.js';
import { lossesOf, note, readJson, remove, TAB, write } from '../dom/storage.js';

const KEY = 'tokenloupe.desk';
/** What the tab keeps beside its texts; where they need its room, it is removed. */
export const RECORD = 'tokenloupe.tab';
const TEXTS = ['own', 'second', 'text']; // where they do not all fit, they are given up in this order

/** What this tab holds: { text, push, name }. Text is null at first. `push` is the id of the last text that was taken
 *  over from the server; `name` is the name under which this text was sent, null if it was not: the server repeats it
 *  with every push. Pages may keep more. */
export const kept = () => inDocument('kept', begin);

function begin() {
  addEventListener('pagehide', save);
  return { text: null, push: null, name: null, ...readJson(TAB, KEY) };
}

/** What was done to the text in this tab, on whatever page; a reload ends it. */
export const past = () => inDocument('past', () => new History());

/** A name for a text that the server's desk is about to be told of. */
export const newName = () => String(Math.random());

export function keep(changes) {
  Object.assign(kept(), changes);
  clearTimeout(keep.timer);
  keep.timer = setTimeout(save, 300);
}

/** Writes at once what is kept, or as many of its texts as the storage has room for: the page is about to go. */
export function save() {
  const lost = [], texts = TEXTS.filter((one) => kept()[one]);
  let isKept = writeWithout(lost);
  if (isKept && !lossesOf(RECORD).length) return note(KEY, []);
  if (!isKept) {
    remove(TAB, RECORD);
    isKept = writeWithout(lost);
  }
  while (!isKept && texts.length) {
    lost.push(texts.shift());
    isKept = writeWithout(lost);
  }
  note(KEY, !isKept && (kept().steps || kept().scores) ? [...lost, 'steps'] : lost);
  dispatchEvent(new Event('tokenloupe-room')); // what is left of it is for the record
}

function writeWithout(lost) {
  const gone = Object.fromEntries(lost.map((name) => [name, null]));
  return write(TAB, KEY, JSON.stringify({ ...kept(), ...gone }));
}

/** Says what a link to this page holds besides its address, as long as `signal` is not ended: { query, text,
 *  fragment }, none of them needed. */
export function share(give, signal) {
  sharing().give = give;
  signal.addEventListener('abort', () => { if (sharing().give === give) sharing().give = null; });
}

/** What it holds now. */
export const shared = () => sharing().give?.() ?? {};

const sharing = () => inDocument('sharing', () => ({ give: null }));

/** The path that a link leads to; Streamlit leaves that of the first page empty. */
export const placeOf = (link) => new URL(link.getAttribute('href') || '.', document.baseURI).pathname;

/** Where the last click on a link leads: { to: its path, or null, isThere: whether its page has come }. A message that
 *  a component sends before that page has come would navigate back, so senders wait for `isThere`. */
export const heading = () => inDocument('heading', () => trackClicks({ to: null, isThere: false }));

const MAX_NAVIGATION_MS = 60_000; // after that a click that has opened no page is forgotten, and the text is sent

function trackClicks(way) {
  let timer;
  addEventListener('popstate', () => { way.to = null; });
  addEventListener('pointerdown', () => { if (way.isThere) way.to = null; }, true);
  addEventListener('click', (event) => {
    const to = pathOf(event);
    if (to === null && !way.isThere) return;
    Object.assign(way, { to, isThere: false });
    clearTimeout(timer);
    timer = setTimeout(() => { if (!way.isThere) way.to = null; }, MAX_NAVIGATION_MS);
  }, true);
  return way;
}

/** The path that a click leads to in this tab, or null. */
function pathOf({ target, button, ctrlKey, metaKey, shiftKey, altKey }) {
  const link = target.closest?.('a[href]:not([target="_blank"], [download])');
  return link && !button && !ctrlKey && !metaKey && !shiftKey && !altKey ? placeOf(link) : null;
}
