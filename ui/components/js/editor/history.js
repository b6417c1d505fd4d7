// What was done to a text: every edit, whoever made it, can be taken back and made again. Offsets are UTF-16 code
// units.
import { findEdit } from './text.js';

const MOST_EDITS = 1000;
const MOST_UNITS = 20_000_000; // of text that the edits hold together

export class History {
  constructor() {
    this.edits = []; // { at, gone, put, isTyped }: at `at` the text `gone` became `put`
    this.done = 0;   // how many of them stand; the others were taken back
  }

  /** Notes that a text became another; what is typed on and on is one edit a word. */
  note(before, after, isTyped = false) {
    if (before === after) return;
    const { start: at, tail } = findEdit(before, after);
    const edit = {
      at, gone: before.slice(at, before.length - tail), put: after.slice(at, after.length - tail), isTyped,
    };
    this.edits.length = this.done;
    if (!goesOn(this.edits.at(-1), edit)) this.edits.push(edit);
    this.done = this.edits.length;
    this.forget();
  }

  /** The text before the last edit, and where its caret is: { text, caret }; null where there is none. */
  back(text) {
    const edit = this.edits[this.done - 1];
    if (!edit) return null;
    this.done--;
    return swapped(text, edit.at, edit.put, edit.gone);
  }

  /** The text with the edit made again that was taken back last. */
  forth(text) {
    const edit = this.edits[this.done];
    if (!edit) return null;
    this.done++;
    return swapped(text, edit.at, edit.gone, edit.put);
  }

  forget() {
    let units = this.edits.reduce((n, { gone, put }) => n + gone.length + put.length, 0);
    while (this.edits.length > MOST_EDITS || (units > MOST_UNITS && this.edits.length > 1)) {
      const { gone, put } = this.edits.shift();
      units -= gone.length + put.length;
      this.done--;
    }
  }
}

// Letters that follow a word, and one more that is deleted before or behind, belong to the edit before.
function goesOn(last, { at, gone, put, isTyped }) {
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

const swapped = (text, at, from, to) => ({
  text: text.slice(0, at) + to + text.slice(at + from.length), caret: at + to.length,
});
