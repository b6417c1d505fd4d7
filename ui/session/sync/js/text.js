// Gives the server, on a page without an editor, the text of the page's link, or the one that this tab keeps, if it has
// another.
import { delay } from '../../../components/js/dom/elements.js';
import { keep, kept, newName } from '../../../components/js/editor/tab-state.js';
import { fragmentNow, textFrom } from '../../../components/js/net/text-link.js';
import { outbox } from '../../../components/js/net/outbox.js';
import { readingOf } from '../../../components/js/editor/text.js';

const AFTER_PRESS_MS = 700; // a press may turn the page, as one on a button does
let latest = null; // what the last run said
let lastPress = -AFTER_PRESS_MS;
let damagedBefore = null; // the last fragment that the server knows to be damaged

for (const kind of ['pointerdown', 'click']) addEventListener(kind, () => { lastPress = performance.now(); }, true);

export async function bringText(data) {
  const { hasEditor, push } = latest = data;
  if (hasEditor || outbox().has('text') || kept().name === push.holds) return;
  const { linked = null, damaged } = push.initial ? await linkedText() : {};
  for (let ms; (ms = lastPress + AFTER_PRESS_MS - performance.now()) > 0 && latest === data;)
    await delay(ms);
  if (latest !== data) return;
  if (damaged && damaged !== damagedBefore) outbox().put('damaged', damagedBefore = damaged);
  const text = linked ?? keptSince(push);
  if (text === null) return;
  const { text: readable, tooLong } = readingOf(text);
  if (tooLong) return;
  if (readable === push.text && push.holds === push.id) return keep({ text, push: push.id, name: push.id });
  const name = newName();
  keep({ text, push: push.id, name });
  outbox().put('text', { text: readable, name, push: push.id });
}

async function linkedText() {
  const fragment = fragmentNow('text');
  try {
    return { linked: fragment.includes('v=') ? await textFrom(fragment) : null };
  } catch {
    return { damaged: fragment };
  }
}

// What the editor would show: its own text, unless the page has given it another.
function keptSince(push) {
  const { text, push: last } = kept();
  return push.initial || last === push.id ? text : null;
}
