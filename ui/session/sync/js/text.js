// Sends the server, on a page without an editor, the text of the page's link or of this tab if the server has another.
import { delay } from '../../../../web/js/dom/elements.js';
import { linkedText } from '../../../../web/js/editor/linked-text.js';
import { updateTab, tabState, newTextName, textHistory } from '../../../../web/js/editor/tab-state.js';
import { outbox } from '../../../../web/js/net/outbox.js';
import { readingOf } from '../../../../web/js/editor/text.js';

const AFTER_PRESS_MS = 700; // a press may navigate; the text is sent after that
let latestRun = null; // its data
let lastPress = -AFTER_PRESS_MS;
let damagedBefore = null; // the last damaged fragment that was reported

for (const kind of ['pointerdown', 'click']) addEventListener(kind, () => { lastPress = performance.now(); }, true);

export async function sendText(data) {
  const { hasEditor, push } = latestRun = data;
  if (hasEditor || outbox().has('text') || tabState().name === push.holds) return;
  for (let ms; (ms = lastPress + AFTER_PRESS_MS - performance.now()) > 0 && latestRun === data;)
    await delay(ms);
  if (latestRun !== data) return;
  const { linked = null, damaged } = push.initial ? await readLink() : {};
  if (latestRun !== data) return;
  if (damaged && damaged !== damagedBefore) outbox().put('damaged', damagedBefore = damaged);
  const text = linked ?? tabText(push);
  if (text === null) return;
  const { text: readable, tooLong } = readingOf(text);
  textHistory().record(tabState().text ?? text, text); // so that undo in an editor restores the text before
  if (readable === push.text && push.holds === push.id) return updateTab({ text, push: push.id, name: push.id });
  const name = newTextName();
  updateTab({ text, push: push.id, name });
  outbox().put('text', { text: tooLong ? null : readable, name, push: push.id }); // null: the server shows a notice
}

const readLink = () => linkedText(true).then((linked) => ({ linked }), ({ fragment }) => ({ damaged: fragment }));

// Returns the tab's text, or null if the server has given another text since.
function tabText(push) {
  const { text, push: last } = tabState();
  return push.initial || last === push.id ? text : null;
}
