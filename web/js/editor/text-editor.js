// The visitor's text: its sync with the tab, the server and links.
import { tabState, updateTab, newTextName, textHistory, saveTab } from './tab-state.js';
import { outbox } from '../net/outbox.js';
import { EditableText } from './editable-text.js';
import { linkedText } from './linked-text.js';

const COMMIT_DELAY_MS = 700; // without input until the text is sent to the server

export class TextEditor extends EditableText {
  /** `onChange()` is called after each change of the text. */
  constructor(area, notice, onChange, commitDelayMs = COMMIT_DELAY_MS) {
    super(area, notice, onChange, textHistory());
    this.commitDelayMs = commitDelayMs;
    this.isOpen = false; // whether the first text has arrived
    this.windowListeners = new AbortController(); // its signal ends the window's listeners with the editor
    this.addWindowListeners();
  }

  receive(push) {
    if (!this.opening) this.opening = this.chooseFirstText(push);
    else if (this.isOpen && push.id !== tabState().push) this.applyPush(push);
  }

  // Chooses the first text: text typed before this script ran, else a link's, else this tab's, else the server's.
  async chooseFirstText(push) {
    const tab = tabState();
    const fromLink = await this.readLink(true);
    const typed = this.area.value;
    const serverText = push.holds === tab.name ? tab.text : push.holds === push.id ? push.text : null;
    if (typed) {
      const replaced = fromLink ?? tab.text ?? push.text ?? typed;
      textHistory().record(tab.text ?? replaced, replaced);
      textHistory().record(replaced, typed);
      updateTab({ text: typed });
      return this.adopt(typed, push, null);
    }
    if (fromLink !== null) return this.adopt(fromLink, push, serverText);
    if (tab.text !== null && (push.initial || push.id === tab.push)) return this.adopt(tab.text, push, serverText);
    return this.adopt(push.text, push, serverText);
  }

  // Shows a text; `serverText` is the text that the server has, or null if unknown.
  adopt(text, push, serverText) {
    this.endComposition();
    textHistory().record(tabState().text ?? text, text);
    this.isOpen = true;
    this.setText(text);
    updateTab({ text, push: push.id, name: text === serverText ? push.holds : null });
    this.commit();
  }

  // Shows a text from the page. The first text of a restarted server is not a change: the tab's text stays, and is
  // sent to the server.
  applyPush(push) {
    if (!push.initial) {
      this.commit(); // so that undo restores what was typed since the last commit
      this.adopt(push.text, push, push.text);
      if (!push.text) this.area.focus(); // the visitor has pressed Clear to type another text
      return;
    }
    updateTab({ push: push.id, name: this.raw === push.text ? push.holds : null });
    this.commit();
  }

  async readLink(isBeginning) {
    try {
      return await linkedText(isBeginning);
    } catch (error) {
      this.notice.showProblem(error.message);
      return null;
    }
  }

  async followLink() {
    const text = await this.readLink(false);
    if (text === null) return;
    this.endComposition();
    textHistory().record(this.raw, text);
    this.setText(text);
    this.onEdit();
  }

  addWindowListeners() {
    const { signal } = this.windowListeners;
    // A press may navigate, as one on the menu does.
    const onPress = () => { if (tabState().name === null) this.commitSoon(); };
    addEventListener('pointerdown', onPress, { signal, capture: true });
    addEventListener('hashchange', () => this.followLink(), { signal });
    addEventListener('tokenloupe-commit', () => this.commit(), { signal });
  }

  onInput(event) {
    if (!this.isOpen) return; // what is typed while a link is read is adopted after it
    const before = this.raw;
    super.onInput(event);
    // the text no longer is the link's
    if (this.raw !== before && location.hash.includes('v='))
      history.replaceState(history.state, '', location.pathname + location.search);
  }

  onEdit() {
    updateTab({ text: this.raw, name: null });
    this.commitSoon();
  }

  commitSoon() {
    clearTimeout(this.commitTimer);
    this.commitTimer = setTimeout(() => this.commit(), this.commitDelayMs);
  }

  commit() {
    if (!this.reading.tooLong && tabState().name === null) outbox().put('text', this.namedText());
  }

  namedText() {
    const { push } = tabState(), name = newTextName();
    updateTab({ name });
    return { text: this.reading.text, name, push };
  }

  /** Returns what the Why page needs to explain the cut at a byte of this text. */
  whyRequest(key, at) {
    clearTimeout(this.commitTimer);
    outbox().discard('text'); // the request contains it
    return { key, at, ...this.namedText() };
  }

  destroy() {
    clearTimeout(this.commitTimer);
    this.endComposition();
    saveTab();
    this.windowListeners.abort();
  }
}
