// The text editor: the textarea, its text with the original line ends, and its sync with the tab, the server and links.
import { tabState, updateTab, newTextName, textHistory, saveTab } from './tab-state.js';
import { outbox } from '../net/outbox.js';
import { readFragment, textFrom } from '../net/text-link.js';
import { rawAfterEdit, readingOf, shown } from './text.js';

const COMMIT_DELAY_MS = 700; // without input until the text is sent to the server
const MAX_NATIVE_PASTE_UNITS = 60_000; // UTF-16 units: for longer pastes the browser's own takes seconds per megabyte

/** The input types of the browser's undo and redo, as methods of History. */
const HISTORY_ACTIONS = { historyUndo: 'undo', historyRedo: 'redo' };

function historyActionOf({ key, ctrlKey, metaKey, shiftKey, altKey }) {
  if (!(ctrlKey || metaKey) || altKey) return null;
  const letter = key.toLowerCase();
  if (letter === 'z') return shiftKey ? 'redo' : 'undo';
  return letter === 'y' && !shiftKey ? 'redo' : null;
}

export class TextEditor {
  /** `onChange()` is called after each change of the text. */
  constructor(area, notice, onChange, commitDelayMs = COMMIT_DELAY_MS) {
    Object.assign(this, { area, notice, onChange, commitDelayMs });
    this.raw = '';       // the text as it is, with its own line ends
    this.isOpen = false; // whether the first text has arrived
    this.windowListeners = new AbortController(); // its signal ends the window's listeners with the editor
    this.addListeners();
  }

  /** The text as the encoders read it: { text, tooLong, replaced: number of lone surrogates }. */
  get reading() {
    if (this.cachedReading?.raw !== this.raw) this.cachedReading = readingOf(this.raw);
    return this.cachedReading;
  }

  receive(push) {
    if (!this.opening) this.opening = this.chooseFirstText(push);
    else if (this.isOpen && push.id !== tabState().push) this.applyPush(push);
  }

  // Chooses the first text: text typed before this script ran, else a link's, else this tab's, else the server's.
  async chooseFirstText(push) {
    const tab = tabState();
    const fromLink = await this.linkedText();
    const typed = this.area.value;
    const serverText = push.holds === tab.name ? tab.text : push.holds === push.id ? push.text : null;
    if (typed) {
      textHistory().record(fromLink ?? tab.text ?? push.text ?? typed, typed);
      updateTab({ text: typed });
      return this.adopt(typed, push, null);
    }
    if (fromLink !== null) return this.adopt(fromLink, push, serverText);
    if (tab.text !== null && (push.initial || push.id === tab.push)) return this.adopt(tab.text, push, serverText);
    return this.adopt(push.text, push, serverText);
  }

  // Shows a text; `serverText` is the text that the server has, or null if unknown.
  adopt(text, push, serverText) {
    textHistory().record(tabState().text ?? text, text);
    this.isOpen = true;
    this.setText(text);
    updateTab({ text, push: push.id, name: text === serverText ? push.holds : null });
    this.commit();
  }

  // Shows a text from the page. The first text of a restarted server is no change: the tab's text stays, and is sent to
  // the server.
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

  async linkedText() {
    const fragment = readFragment('text');
    if (!fragment.includes('v=')) return null;
    try {
      return await textFrom(fragment);
    } catch (error) {
      this.notice.showProblem(error.message);
      return null;
    }
  }

  async followLink() {
    const text = await this.linkedText();
    if (text === null) return;
    textHistory().record(this.raw, text);
    this.setText(text);
    this.onEdit();
  }

  setText(text) {
    this.raw = text;
    this.area.value = shown(text);
    this.onChange();
  }

  addListeners() {
    this.area.addEventListener('input', (event) => this.onInput(event));
    this.area.addEventListener('compositionend', () => this.onCompositionEnd());
    this.area.addEventListener('paste', (event) => this.onPaste(event));
    this.area.addEventListener('keydown', (event) => this.undoOrRedo(event, historyActionOf(event)));
    this.area.addEventListener('beforeinput', (event) => this.undoOrRedo(event, HISTORY_ACTIONS[event.inputType]));
    const { signal } = this.windowListeners;
    // A press may navigate, as one on the menu does.
    const onPress = () => { if (tabState().name === null) this.commitSoon(); };
    addEventListener('pointerdown', onPress, { signal, capture: true });
    addEventListener('hashchange', () => this.followLink(), { signal });
  }

  onInput({ inputType = '', isComposing }) {
    const before = this.raw;
    this.notice.problem = '';
    this.raw = rawAfterEdit(this.raw, this.area.value, this.pasted ?? null);
    this.pasted = null;
    if (this.raw === before) return;
    if (isComposing) this.composing ??= before; // a composition is one edit
    else textHistory().record(before, this.raw, inputType === 'insertText' || inputType.startsWith('deleteContent'));
    // the text no longer is the link's
    if (location.hash.includes('v=')) history.replaceState(history.state, '', location.pathname + location.search);
    this.onEdit();
    this.onChange();
  }

  onCompositionEnd() {
    textHistory().record(this.composing ?? this.raw, this.raw, true);
    this.composing = null;
  }

  onEdit() {
    updateTab({ text: this.raw, name: null });
    this.commitSoon();
  }

  onPaste(event) {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    this.pasted = text.includes('\r') ? text : null;
    setTimeout(() => { this.pasted = null; }); // the input event comes before this, if at all
    if (text.length < MAX_NATIVE_PASTE_UNITS) return; // the browser's own paste can be undone
    event.preventDefault();
    this.area.setRangeText(shown(text), this.area.selectionStart, this.area.selectionEnd, 'end');
    this.area.dispatchEvent(new Event('input', { bubbles: true }));
  }

  // The browser's undo misses texts that the page put here, so undo and redo are handled by our own history.
  undoOrRedo(event, action) {
    if (!action) return;
    event.preventDefault();
    const found = textHistory()[action](this.raw);
    if (!found) return;
    this.setText(found.text);
    const caret = shown(found.text.slice(0, found.caret)).length;
    this.area.setSelectionRange(caret, caret);
    this.area.blur(); // the browser scrolls the caret into view on focus
    this.area.focus();
    this.onEdit();
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
    saveTab();
    this.windowListeners.abort();
  }
}
