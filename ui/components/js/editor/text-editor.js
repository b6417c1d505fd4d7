// The text editor: the textarea, its text with the original line ends, and its sync with the tab, the server and links.
import { kept, keep, newName, past, save } from './tab-state.js';
import { outbox } from '../net/outbox.js';
import { fragmentNow, textFrom } from '../net/text-link.js';
import { rawAfterEdit, readingOf, shown } from './text.js';

const COMMIT_DELAY_MS = 700;   // ms without input until the text is sent to the server
const MAX_NATIVE_PASTE_UNITS = 60_000; // UTF-16 units: for longer pastes the browser's own takes seconds per megabyte

const WAYS = { historyUndo: 'back', historyRedo: 'forth' };

function wayOfKey({ key, ctrlKey, metaKey, shiftKey, altKey }) {
  if (!(ctrlKey || metaKey) || altKey) return null;
  const letter = key.toLowerCase();
  if (letter === 'z') return shiftKey ? 'forth' : 'back';
  return letter === 'y' && !shiftKey ? 'forth' : null;
}

export class TextEditor {
  /** `moved()` is called after each change of the text. */
  constructor(area, notice, moved, commitAfter = COMMIT_DELAY_MS) {
    Object.assign(this, { area, notice, moved, commitAfter });
    this.raw = '';       // the text as it is, with its own line ends
    this.isOpen = false; // whether the first text has arrived
    this.window = new AbortController(); // aborts the window's listeners when the editor goes
    this.listen();
  }

  /** The text as the encoders read it: { text, tooLong, replaced: number of lone surrogates }. */
  get reading() {
    if (this.read?.raw !== this.raw) this.read = readingOf(this.raw);
    return this.read;
  }

  // ---- from the page ----

  /** Handles the text that a rerun of the page sends. */
  receive(push) {
    if (!this.opening) this.opening = this.open(push);
    else if (this.isOpen && push.id !== kept().push) this.meet(push);
  }

  // Chooses the first text: text typed before this script ran, else a link's, else this tab's, else the server's.
  async open(push) {
    const desk = kept();
    const fromLink = await this.linkedText();
    const typed = this.area.value;
    const known = push.holds === desk.name ? desk.text : push.holds === push.id ? push.text : null;
    if (typed) {
      past().note(fromLink ?? desk.text ?? push.text ?? typed, typed);
      keep({ text: typed });
      return this.show(typed, push, null);
    }
    if (fromLink !== null) return this.show(fromLink, push, known);
    if (desk.text !== null && (push.initial || push.id === desk.push)) return this.show(desk.text, push, known);
    return this.show(push.text, push, known);
  }

  // `known` is the text that the server holds, or null if unknown.
  show(text, push, known) {
    past().note(kept().text ?? text, text);
    this.isOpen = true;
    this.put(text);
    keep({ text, push: push.id, name: text === known ? push.holds : null });
    this.commit();
  }

  // Shows a text from the page. The first text of a restarted server is no change: the tab's text stays, and is sent to
  // the server.
  meet(push) {
    if (!push.initial) {
      this.commit(); // so that undo restores what was typed since the last commit
      this.show(push.text, push, push.text);
      if (!push.text) this.area.focus(); // after Clear, the next input goes here
      return;
    }
    keep({ push: push.id, name: this.raw === push.text ? push.holds : null });
    this.commit();
  }

  async linkedText() {
    const fragment = fragmentNow('text');
    if (!fragment.includes('v=')) return null;
    try {
      return await textFrom(fragment);
    } catch (error) {
      this.notice.say(error.message);
      return null;
    }
  }

  async followLink() {
    const text = await this.linkedText();
    if (text === null) return;
    past().note(this.raw, text);
    this.put(text);
    this.changed();
  }

  put(text) {
    this.raw = text;
    this.area.value = shown(text);
    this.moved();
  }

  // ---- from the visitor ----

  listen() {
    this.area.addEventListener('input', (event) => this.typed(event));
    this.area.addEventListener('compositionend', () => this.composed());
    this.area.addEventListener('paste', (event) => this.paste(event));
    this.area.addEventListener('keydown', (event) => this.walk(event, wayOfKey(event)));
    this.area.addEventListener('beforeinput', (event) => this.walk(event, WAYS[event.inputType]));
    const { signal } = this.window;
    // A press may navigate, as one on the menu does.
    addEventListener('pointerdown', () => { if (kept().name === null) this.commitSoon(); }, { signal, capture: true });
    addEventListener('hashchange', () => this.followLink(), { signal });
  }

  typed({ inputType = '', isComposing }) {
    const before = this.raw;
    this.notice.problem = '';
    this.raw = rawAfterEdit(this.raw, this.area.value, this.pasted ?? null);
    this.pasted = null;
    if (this.raw === before) return;
    if (isComposing) this.composing ??= before; // a composition is one edit
    else past().note(before, this.raw, inputType === 'insertText' || inputType.startsWith('deleteContent'));
    // the text no longer is the link's
    if (location.hash.includes('v=')) history.replaceState(history.state, '', location.pathname + location.search);
    this.changed();
    this.moved();
  }

  composed() {
    past().note(this.composing ?? this.raw, this.raw, true);
    this.composing = null;
  }

  changed() {
    keep({ text: this.raw, name: null });
    this.commitSoon();
  }

  paste(event) {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    this.pasted = text.includes('\r') ? text : null;
    setTimeout(() => { this.pasted = null; }); // the input event comes before this, if at all
    if (text.length < MAX_NATIVE_PASTE_UNITS) return; // the browser's own paste can be undone
    event.preventDefault();
    this.area.setRangeText(shown(text), this.area.selectionStart, this.area.selectionEnd, 'end');
    this.area.dispatchEvent(new Event('input', { bubbles: true }));
  }

  // The browser's undo misses texts that the page put here, so undo and redo are handled by our own history.
  walk(event, way) {
    if (!way) return;
    event.preventDefault();
    const found = past()[way](this.raw);
    if (!found) return;
    this.put(found.text);
    const caret = shown(found.text.slice(0, found.caret)).length;
    this.area.setSelectionRange(caret, caret);
    this.area.blur(); // the browser scrolls the caret into view on focus
    this.area.focus();
    this.changed();
  }

  // ---- to the server ----

  commitSoon() {
    clearTimeout(this.commitTimer);
    this.commitTimer = setTimeout(() => this.commit(), this.commitAfter);
  }

  commit() {
    if (!this.reading.tooLong && kept().name === null) outbox().put('text', this.named());
  }

  /** Returns the text under a new name, for the server. */
  named() {
    const { push } = kept(), name = newName();
    keep({ name });
    return { text: this.reading.text, name, push };
  }

  /** Returns what the Why page needs to explain the cut at a byte of this text. */
  asWhy(key, at) {
    clearTimeout(this.commitTimer);
    outbox().discard('text'); // it goes with the question
    return { key, at, ...this.named() };
  }

  leave() {
    clearTimeout(this.commitTimer);
    save();
    this.window.abort();
  }
}
