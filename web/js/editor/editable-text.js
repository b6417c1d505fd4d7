// A textarea and its text, with the original line ends and a history of its own.
import { letterOf } from '../dom/key-bindings.js';
import { currentDrag } from '../dom/own-drag.js';
import { rawAfterEdit, readingOf, shown } from './text.js';

const MAX_NATIVE_PASTE_UNITS = 60_000; // UTF-16 units: for longer pastes the browser's own takes seconds per megabyte

/** The input types of the browser's undo and redo, as methods of History. */
const HISTORY_ACTIONS = { historyUndo: 'undo', historyRedo: 'redo' };

function historyActionOf(event) {
  const { ctrlKey, metaKey, shiftKey, altKey } = event;
  if (!(ctrlKey || metaKey) || altKey) return null;
  const letter = letterOf(event);
  if (letter === 'z') return shiftKey ? 'redo' : 'undo';
  return letter === 'y' && !shiftKey ? 'redo' : null;
}

/** Subclasses may implement `onEdit()`, which is called after each change by the visitor, before `onChange`. */
export class EditableText {
  /** `onChange()` is called after each change of the text; `history` is a History. */
  constructor(area, notice, onChange, history) {
    Object.assign(this, { area, notice, onChange, history });
    this.raw = ''; // the text as it is, with its own line ends
    this.area.addEventListener('input', (event) => this.onInput(event));
    this.area.addEventListener('compositionend', () => this.endComposition());
    this.area.addEventListener('paste', (event) => this.onPaste(event));
    const drag = currentDrag(); // what is dragged of the page itself gets the line ends of Windows there
    this.area.addEventListener('drop', ({ dataTransfer }) => { if (!drag.isOwn) this.bring(dataTransfer); });
    this.area.addEventListener('keydown', (event) => this.undoOrRedo(event, historyActionOf(event)));
    this.area.addEventListener('beforeinput', (event) => this.undoOrRedo(event, HISTORY_ACTIONS[event.inputType]));
  }

  /** The text as the encoders read it: { text, tooLong, replaced: number of lone surrogates }. */
  get reading() {
    if (this.cachedReading?.raw !== this.raw) this.cachedReading = readingOf(this.raw);
    return this.cachedReading;
  }

  setText(text) {
    this.raw = text;
    this.area.value = shown(text);
    this.onChange();
  }

  onInput({ inputType = '', isComposing }) {
    const before = this.raw;
    this.notice.problem = '';
    this.raw = rawAfterEdit(this.raw, this.area.value, this.pasted ?? null);
    this.pasted = null;
    if (this.raw === before) return;
    this.composing ??= before; // a composition is one edit
    if (!isComposing) this.endComposition(inputType === 'insertText' || inputType.startsWith('deleteContent'));
    this.onEdit();
    this.onChange();
  }

  /** Records what was composed; also called before a change that is no input, so that the history has each text. */
  endComposition(isTyped = true) {
    this.history.record(this.composing ?? this.raw, this.raw, isTyped);
    this.composing = null;
  }

  onEdit() {}

  // Returns the text that a paste or a drop brings; the browser inserts it without its own line ends.
  bring(data) {
    const text = data?.getData('text/plain') ?? '';
    this.pasted = text.includes('\r') ? text : null;
    setTimeout(() => { this.pasted = null; }); // the input event comes before this, if at all
    return text;
  }

  onPaste(event) {
    const text = this.bring(event.clipboardData);
    // the browser's own paste can be undone, and leaves a read-only text unchanged
    if (text.length < MAX_NATIVE_PASTE_UNITS || this.area.readOnly) return;
    event.preventDefault();
    this.area.setRangeText(shown(text), this.area.selectionStart, this.area.selectionEnd, 'end');
    this.area.dispatchEvent(new Event('input', { bubbles: true }));
  }

  // The browser's undo misses texts that the page put here, so undo and redo are handled by our own history.
  undoOrRedo(event, action) {
    if (!action || this.area.readOnly) return;
    event.preventDefault();
    this.endComposition();
    const found = this.history[action](this.raw);
    if (!found) return;
    this.setText(found.text);
    const caret = shown(found.text.slice(0, found.caret)).length;
    this.area.setSelectionRange(caret, caret);
    this.area.blur(); // the browser scrolls the caret into view on focus
    this.area.focus();
    this.onEdit();
  }
}
