// The text of a link, and that of the tab, which may be newer.
import { sendText } from '/ui/session/sync/js/text.js';
import { linkedText } from '/web/js/editor/linked-text.js';
import { History } from '/web/js/editor/history.js';
import { tabState, textHistory, updateTab } from '/web/js/editor/tab-state.js';
import { outbox } from '/web/js/net/outbox.js';
import { fragmentFor } from '/web/js/net/text-link.js';
import { equal } from './check.js';

/** Returns what `action` returns in a document that was loaded in this way from this fragment. */
async function loaded(type, fragment, action) {
  const before = location.href, { getEntriesByType } = performance;
  performance.getEntriesByType = () => [{ type, name: location.href }];
  history.replaceState(null, '', `/#${fragment}`);
  tabState().document = String(Math.random());
  try {
    return await action();
  } finally {
    performance.getEntriesByType = getEntriesByType;
    history.replaceState(null, '', before);
  }
}

export async function reload_of_a_link_keeps_the_edited_text_of_the_tab() {
  const fragment = await fragmentFor('of the link'), other = await fragmentFor('of another');
  Object.assign(tabState(), { text: 'before', link: undefined });
  equal(await loaded('navigate', fragment, () => linkedText(true)), 'of the link');
  updateTab({ text: 'newer' });
  equal(await loaded('reload', fragment, () => linkedText(true)), null);
  equal(await loaded('back_forward', fragment, () => linkedText(true)), null);
  equal(await loaded('reload', fragment, () => linkedText(false)), 'of the link'); // it was followed
  equal(await loaded('navigate', fragment, () => linkedText(true)), 'of the link'); // it was opened once more
  equal(await loaded('reload', other, () => linkedText(true)), 'of another');
  updateTab({ text: null }); // it did not fit into the storage
  equal(await loaded('reload', other, () => linkedText(true)), 'of another');
  const damaged = await loaded('navigate', 'v=1&t=AAAA', () => linkedText(true).catch((error) => error.fragment));
  equal(damaged, '#v=1&t=AAAA');
}

export async function another_page_of_the_document_keeps_the_edited_text_of_a_link() {
  Object.assign(tabState(), { text: 'before', link: undefined });
  await loaded('navigate', await fragmentFor('of the link'), async () => {
    equal(await linkedText(true), 'of the link');
    updateTab({ text: 'undone' });
    equal([await linkedText(true), await linkedText(false)], [null, 'of the link']);
  });
}

/** Empties the history of a tab with a text; returns a run of a page without an editor, on a server with this text. */
function runWith(text) {
  Object.assign(tabState(), { text: 'of the tab', push: null, name: null, link: undefined });
  Object.assign(textHistory(), new History());
  outbox().discard('text');
  return { hasEditor: false, push: { id: 'first', text, initial: true, holds: 'first' } };
}

export async function text_that_a_link_replaces_on_a_page_without_an_editor_can_be_undone() {
  for (const text of ['sample', 'of the link']) { // the server may have the text of the link
    const run = runWith(text);
    await loaded('navigate', await fragmentFor('of the link'), () => sendText(run));
    equal([tabState().text, textHistory().undo('of the link')?.text], ['of the link', 'of the tab'], text);
  }
}

export async function link_is_read_by_the_run_that_shows_its_text() {
  const run = runWith('sample');
  await loaded('reload', await fragmentFor('of the link'), async () => {
    dispatchEvent(new Event('pointerdown')); // the text waits for what the press may open
    sendText(run);
    await new Promise((resolve) => { setTimeout(resolve, 100); });
    await sendText({ ...run });
  });
  equal(tabState().text, 'of the link');
}
