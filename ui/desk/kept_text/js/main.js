// On a page without an editor: gives the server's desk the text of the page's link, or the one that this tab keeps, if it has not heard of it.
import { keep, kept } from '../../../kit/js/desk.js';
import { textFrom } from '../../../kit/js/link.js';
import { readingOf } from '../../../kit/js/text.js';

// A press may turn the page, and what a component sends across a page change turns it back: so whoever sends something waits a moment.
const MOMENT = 700; // ms
const lastPress = { at: -MOMENT, to: null };
let latest = null;

for (const kind of ['pointerdown', 'click']) addEventListener(kind, note, true);

export default function (component) {
  latest = component;
  bring(component);
}

async function bring(component) {
  const { hasEditor, page, push } = component.data;
  if (hasEditor || kept().heard === push.id) return;
  const linked = push.initial && location.hash.includes('v=') ? await textFrom(location.hash).catch(() => null) : null;
  while (latest === component && patience(page)) await new Promise((resolve) => { setTimeout(resolve, patience(page)); });
  if (latest !== component) return; // the page has turned, or said something newer
  const text = linked ?? keptSince(push);
  if (text === null) return;
  const { text: readable, tooLong } = readingOf(text);
  if (tooLong) return;
  keep({ text, push: push.id, heard: push.id });
  if (readable !== push.text) component.setTriggerValue('commit', { text: readable, push: push.id });
}

// What the editor would show: its own text, unless the page has given it another.
function keptSince(push) {
  const { text, push: last } = kept();
  return push.initial || last === push.id ? text : null;
}

function note({ target }) {
  const link = target.closest?.('a[href]');
  Object.assign(lastPress, { at: performance.now(), to: link ? new URL(link.href).pathname.split('/').pop() : null });
}

/** How many ms to wait before something can be sent from `page`, as its address names it; 0 where the last press led there. */
function patience(page) {
  return lastPress.to === page ? 0 : Math.max(0, lastPress.at + MOMENT - performance.now());
}
