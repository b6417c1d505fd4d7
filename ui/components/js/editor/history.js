// Undo and redo of a text, also for texts that the page put there. Offsets are UTF-16 code units.
import { findEdit } from './text.js';

const MAX_EDITS = 1000;
const MAX_UNITS = 20_000_000; // UTF-16 units in all edits together

export class History {
  constructor() {
    this.edits = []; // { at, gone, put, isTyped }: at `at`, the text `put` replaced the text `gone`
    this.done = 0;   // number of edits in effect; the others were undone
  }

  /** Records that the text `after` replaced the text `before`; consecutive typed letters of a word are one edit. */
  note(before, after, isTyped = false) {
    if (before === after) return;
    const { start: at, tail } = findEdit(before, after);
    const edit = {
      at, gone: before.slice(at, before.length - tail), put: after.slice(at, after.length - tail), isTyped,
    };
    this.edits.length = this.done;
    if (!extend(this.edits.at(-1), edit)) this.edits.push(edit);
    this.done = this.edits.length;
    this.forget();
  }

  /** Undoes the last edit; returns the text before it and the caret's position, { text, caret }, or null. */
  back(text) {
    const edit = this.edits[this.done - 1];
    if (!edit) return null;
    this.done--;
    return replaced(text, edit.at, edit.put, edit.gone);
  }

  /** Redoes the edit that was undone last; returns the same. */
  forth(text) {
    const edit = this.edits[this.done];
    if (!edit) return null;
    this.done++;
    return replaced(text, edit.at, edit.gone, edit.put);
  }

  forget() {
    let units = this.edits.reduce((n, { gone, put }) => n + gone.length + put.length, 0);
    while (this.edits.length > MAX_EDITS || (units > MAX_UNITS && this.edits.length > 1)) {
      const { gone, put } = this.edits.shift();
      units -= gone.length + put.length;
      this.done--;
    }
  }
}

// Adds an edit to the last one, if it types on in the same word or deletes next to the same place; returns whether it
// did.
function extend(last, { at, gone, put, isTyped }) {
  if (!last?.isTyped || !isTyped) return false;
  if (
    !gone &&
    last.put &&
    at === last.at + last.put.length &&
    !(/\s$/.test(last.put) && /^\S/.test(put)) &&
    !/[\n\r]/.test(put)
  ) {
    last.put += put;
    return true;
  }
  if (put || last.put) return false;
  if (at + gone.length === last.at) Object.assign(last, { at, gone: gone + last.gone });
  else if (at === last.at) last.gone += gone;
  else return false;
  return true;
}

const replaced = (text, at, from, to) => ({
  text: text.slice(0, at) + to + text.slice(at + from.length), caret: at + to.length,
});
