// Gives the server's desk the encodings that it had before a reload; on a page without an editor also the text of the
// page's link, or the one that this tab keeps, if it has not heard of it.
import { heading, keep, kept, newName } from '../../../components/js/editor/tab-state.js';
import { inDocument } from '../../../components/js/dom/document-state.js';
import { fragmentNow, textFrom } from '../../../components/js/net/text-link.js';
import { note, readJson, TAB, write } from '../../../components/js/dom/storage.js';
import { readingOf } from '../../../components/js/editor/text.js';

const MADE = 'tokenloupe.made';
const MOMENT = 700; // ms after a press: it may turn the page, as one on a button does
const way = heading();
let latest = null, lastPress = -MOMENT;
let told = null; // the last fragment of which the server has heard that its text cannot be read

for (const kind of ['pointerdown', 'click']) addEventListener(kind, () => { lastPress = performance.now(); }, true);

export default function (component) {
  latest = component;
  if (way.to?.split('/').pop() === component.data.page) way.isThere = true;
  bring(component);
  bringMade(component);
}

async function bring(component) {
  const { hasEditor, push } = component.data;
  if (hasEditor || kept().name === push.holds) return;
  const { linked = null, damaged } = push.initial ? await linkedText() : {};
  if (!await maySend(component)) return;
  if (damaged && damaged !== told) component.setTriggerValue('damaged', told = damaged);
  const text = linked ?? keptSince(push);
  if (text === null) return;
  const { text: readable, tooLong } = readingOf(text);
  if (tooLong) return;
  if (readable === push.text && push.holds === push.id) return keep({ text, push: push.id, name: push.id });
  const name = newName();
  keep({ text, push: push.id, name });
  component.setTriggerValue('commit', { text: readable, name, push: push.id });
}

async function linkedText() {
  const fragment = fragmentNow('text');
  try {
    return { linked: fragment.includes('v=') ? await textFrom(fragment) : null };
  } catch {
    return { damaged: fragment };
  }
}

// The desk of one visitor says itself what is on it; that of a reloaded page is another visitor's, and hears what was
// there.
async function bringMade(component) {
  const { made, visitor } = component.data, before = keptMade();
  if (before.visitor === visitor || !before.made.length) return keepMade({ visitor, made });
  if (!await maySend(component)) return;
  keepMade({ ...before, visitor });
  component.setTriggerValue('made', before.made);
}

const keptMade = () => inDocument('made', () => ({ visitor: null, made: [], ...readJson(TAB, MADE) }));

function keepMade(kept) {
  Object.assign(keptMade(), kept);
  note(MADE, write(TAB, MADE, JSON.stringify(kept)) || !kept.made.length ? [] : ['made']);
}

/** Waits until something may be sent; says whether the page is still the same, and has said nothing newer. */
async function maySend(component) {
  while (latest === component && patience()) await new Promise((resolve) => { setTimeout(resolve, patience()); });
  return latest === component;
}

// What the editor would show: its own text, unless the page has given it another.
function keptSince(push) {
  const { text, push: last } = kept();
  return push.initial || last === push.id ? text : null;
}

/** How many ms to wait before one looks again whether something can be sent. */
function patience() {
  if (way.to !== null) return way.isThere ? 0 : MOMENT;
  return Math.max(0, lastPress + MOMENT - performance.now());
}
