// The text side: the textarea, the text in it with its own line ends, and its ways to this tab's memory, the server's
// desk and links.
import { heading, kept, keep, newName, past, save } from './tab-state.js';
import { fragmentNow, textFrom } from '../net/text-link.js';
import { rawAfterEdit, readingOf, shown } from './text.js';

const COMMIT_AFTER = 700;   // ms without a key until the server's desk hears of the text, where no page waits for it
const LOST_AFTER = 4_000;   // ms without a word from the server until it is told again, and twice as long each time
const QUICK_PASTE = 60_000; // longer pastes bypass the browser's own, which takes seconds for a megabyte

const WAYS = { historyUndo: 'back', historyRedo: 'forth' };

function wayOfKey({ key, ctrlKey, metaKey, shiftKey, altKey }) {
  if (!(ctrlKey || metaKey) || altKey) return null;
  const letter = key.toLowerCase();
  if (letter === 'z') return shiftKey ? 'forth' : 'back';
  return letter === 'y' && !shiftKey ? 'forth' : null;
}

export class Writing {
  /** `moved()` is called when the text is another; `send(commit)` gives the server's desk a text. */
  constructor(area, notice, { moved, send }, commitAfter = COMMIT_AFTER) {
    Object.assign(this, { area, notice, moved, send, commitAfter });
    this.raw = '';       // the text as it is, with its own line ends
    this.patience = LOST_AFTER;
    this.isOpen = false; // whether the first text is there
    this.path = location.pathname; // of this page
    this.window = new AbortController(); // ends what listens to the window when the editor goes
    this.listen();
  }

  /** The text as the encoders read it: { text, tooLong, replaced: how many lone surrogates it had }. */
  get reading() {
    if (this.read?.raw !== this.raw) this.read = readingOf(this.raw);
    return this.read;
  }

  // ---- from the page ----

  /** Takes the text that a rerun of the page offers. */
  receive(push) {
    if (push.holds === kept().name) this.heard();
    if (!this.opening) this.opening = this.open(push);
    else if (this.isOpen && push.id !== kept().push) this.meet(push);
  }

  // What was typed before this script had come is there already; else a link's text comes first, then what this tab
  // held before, then what the server offers.
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

  // `known` is the text that the server's desk holds, or null if nobody here knows.
  show(text, push, known) {
    past().note(kept().text ?? text, text);
    this.isOpen = true;
    this.put(text);
    keep({ text, push: push.id, name: text === known ? push.holds : null });
    this.commit();
  }

  // A text from the page; or, after a server came back without our session, its first one: then ours stands, and the
  // server hears of it.
  meet(push) {
    if (!push.initial) {
      this.commit(); // what was typed since the last commit is what "undo" brings back
      this.show(push.text, push, push.text);
      if (!push.text) this.area.focus(); // Clear: what comes next is typed or pasted there
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

  // ---- from the reader ----

  listen() {
    this.area.addEventListener('input', (event) => this.typed(event));
    this.area.addEventListener('compositionend', () => this.composed());
    this.area.addEventListener('paste', (event) => this.paste(event));
    this.area.addEventListener('keydown', (event) => this.walk(event, wayOfKey(event)));
    this.area.addEventListener('beforeinput', (event) => this.walk(event, WAYS[event.inputType]));
    const { signal } = this.window;
    // A press may turn the page, as one on the menu does.
    addEventListener('pointerdown', () => { if (kept().name === null) this.commitSoon(); }, { signal, capture: true });
    addEventListener('hashchange', () => this.followLink(), { signal });
  }

  typed({ inputType = '', isComposing }) {
    const before = this.raw;
    this.notice.problem = '';
    this.raw = rawAfterEdit(this.raw, this.area.value, this.pasted ?? null);
    this.pasted = null;
    if (this.raw === before) return;
    if (isComposing) this.composing ??= before; // one edit, when it is done
    else past().note(before, this.raw, inputType === 'insertText' || inputType.startsWith('deleteContent'));
    // the link's text is no longer what stands here
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
    setTimeout(() => { this.pasted = null; }); // the input event comes before this, or never
    if (text.length < QUICK_PASTE) return; // the browser's own, which can be undone
    event.preventDefault();
    this.area.setRangeText(shown(text), this.area.selectionStart, this.area.selectionEnd, 'end');
    this.area.dispatchEvent(new Event('input', { bubbles: true }));
  }

  // The browser knows what was typed and not what a page put here: so the whole way is ours.
  walk(event, way) {
    if (!way) return;
    event.preventDefault();
    const found = past()[way](this.raw);
    if (!found) return;
    this.put(found.text);
    const caret = shown(found.text.slice(0, found.caret)).length;
    this.area.setSelectionRange(caret, caret);
    this.area.blur(); // the browser brings the caret into view where one comes in
    this.area.focus();
    this.changed();
  }

  // ---- to the server's desk ----

  commitSoon() {
    clearTimeout(this.commitTimer);
    this.commitTimer = setTimeout(() => this.commit(), this.commitAfter);
  }

  commit() {
    if (this.reading.tooLong) return;
    if (kept().name !== null) return;
    const { to, isThere } = heading();
    if (to !== null && to !== this.path && !isThere) return void this.commitSoon(); // the page is about to turn
    const commit = this.told();
    this.send(commit);
    this.lostTimer = setTimeout(() => {
      if (kept().name !== commit.name) return;
      this.patience *= 2;
      keep({ name: null });
      this.commit();
    }, this.patience);
  }

  // What the server's desk is told of. A busy server or a bad connection may swallow it: until it says that it holds
  // this, it is told again.
  told() {
    const { push } = kept(), name = newName();
    clearTimeout(this.lostTimer);
    keep({ name });
    return { text: this.reading.text, name, push };
  }

  heard() {
    clearTimeout(this.lostTimer);
    this.patience = LOST_AFTER;
  }

  /** What the page needs to turn to the question why an encoding cuts at a byte of this text. */
  asWhy(key, at) {
    clearTimeout(this.commitTimer);
    return { key, at, ...this.told() };
  }

  leave() {
    clearTimeout(this.commitTimer);
    clearTimeout(this.lostTimer);
    save();
    this.window.abort();
  }
}
