// When the tab's texts are stored.
import { readJson, TAB } from '/web/js/dom/storage.js';
import { saveTab, tabState, updateTab } from '/web/js/editor/tab-state.js';
import { equal } from './check.js';

export function last_keys_are_stored_when_the_tab_is_hidden() {
  const { text } = tabState(), stored = () => readJson(TAB, 'tokenloupe.desk').text;
  saveTab();
  updateTab({ text: 'typed' });
  const before = stored();
  Object.defineProperty(document, 'hidden', { value: true, configurable: true });
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  delete document.hidden;
  equal([before, stored()], [text, 'typed']);
  updateTab({ text });
}
