// Gives the server's desk the encodings that it had before a reload; on a page without an editor also the text of the page's
// link, or the one that this tab keeps, if it has not heard of it.
import { keep, kept, pathOf } from '../../../kit/js/desk.js';
import { textFrom } from '../../../kit/js/link.js';
import { readingOf } from '../../../kit/js/text.js';

const MADE = 'tokenloupe.made';
const MOMENT = 700; // ms after a press: it may turn the page, as one on a button does
let latest = null, lastPress = -MOMENT, awaited = null; // the page that the last click on a link leads to, if no press came since it is there

for (const kind of ['pointerdown', 'click']) addEventListener(kind, note, true);
addEventListener('popstate', () => { awaited = null; });

export default function (component) {
  latest = component;
  bring(component);
  bringMade(component);
}

async function bring(component) {
  const { hasEditor, push } = component.data;
  if (hasEditor || kept().heard === push.id) return;
  const linked = push.initial && location.hash.includes('v=') ? await textFrom(location.hash).catch(() => null) : null;
  if (!await maySend(component)) return;
  const text = linked ?? keptSince(push);
  if (text === null) return;
  const { text: readable, tooLong } = readingOf(text);
  if (tooLong) return;
  keep({ text, push: push.id, heard: push.id });
  if (readable !== push.text) component.setTriggerValue('commit', { text: readable, push: push.id });
}

// The desk of one visitor says itself what is on it; that of a reloaded page is another visitor's, and hears what was there.
async function bringMade(component) {
  const { made, visitor } = component.data, before = keptMade();
  if (before.visitor === visitor || !before.made.length) return keepMade({ visitor, made });
  if (!await maySend(component)) return;
  keepMade({ ...before, visitor });
  component.setTriggerValue('made', before.made);
}

function keptMade() {
  try {
    return { visitor: null, made: [], ...JSON.parse(sessionStorage.getItem(MADE)) };
  } catch {
    return { visitor: null, made: [] };
  }
}

function keepMade(kept) {
  try {
    sessionStorage.setItem(MADE, JSON.stringify(kept));
  } catch {
    // a tab that may keep nothing has what is on the desk until it is reloaded
  }
}

/** Waits until something may be sent; says whether the page is still the same, and has said nothing newer. */
async function maySend(component) {
  const { page } = component.data;
  while (latest === component && patience(page)) await new Promise((resolve) => { setTimeout(resolve, patience(page)); });
  return latest === component;
}

// What the editor would show: its own text, unless the page has given it another.
function keptSince(push) {
  const { text, push: last } = kept();
  return push.initial || last === push.id ? text : null;
}

function note(event) {
  lastPress = performance.now();
  const path = event.type === 'click' ? pathOf(event) : null;
  if (path !== null) awaited = path.split('/').pop();
  else if (awaited === latest?.data.page) awaited = null;
}

/** How many ms to wait before one looks again whether something can be sent from `page`, as its address names it. */
function patience(page) {
  if (awaited !== null) return awaited === page ? 0 : MOMENT;
  return Math.max(0, lastPress + MOMENT - performance.now());
}
