// Undo and redo of a text, also of changes that the page makes. Offsets are UTF-16 code units.
import { findEdit } from './text.js';

const MAX_EDITS = 1000;
const MAX_UNITS = 20_000_000; // UTF-16 units in all edits together

export class History {
  constructor() {
    this.edits = []; // { at, removed, inserted, isTyped }
    this.numDone = 0;   // number of edits in effect; the others were undone
  }

  /** Records that the text `after` replaced the text `before`; consecutive typed letters of a word are one edit. */
  record(before, after, isTyped = false) {
    if (before === after) return;
    const { at, tail } = wholeCharacters(before, after, findEdit(before, after));
    const edit = {
      at, removed: before.slice(at, before.length - tail), inserted: after.slice(at, after.length - tail), isTyped,
    };
    this.edits.length = this.numDone;
    if (!extendEdit(this.edits.at(-1), edit)) this.edits.push(edit);
    this.numDone = this.edits.length;
    this.trim();
  }

  /** Undoes the last edit; returns the text before it and the caret's position, { text, caret }, or null. */
  undo(text) {
    const edit = this.edits[this.numDone - 1];
    if (!edit) return null;
    this.numDone--;
    return replaceAt(text, edit.at, edit.inserted, edit.removed);
  }

  /** Redoes the edit that was undone last; returns the same. */
  redo(text) {
    const edit = this.edits[this.numDone];
    if (!edit) return null;
    this.numDone++;
    return replaceAt(text, edit.at, edit.removed, edit.inserted);
  }

  trim() {
    let units = this.edits.reduce((n, { removed, inserted }) => n + removed.length + inserted.length, 0);
    while (this.edits.length > MAX_EDITS || (units > MAX_UNITS && this.edits.length > 1)) {
      const { removed, inserted } = this.edits.shift();
      units -= removed.length + inserted.length;
      this.numDone--;
    }
  }
}

// Returns an edit that neither begins nor ends between the halves of a surrogate pair: undo and redo put the caret at
// its end.
function wholeCharacters(before, after, { start, tail }) {
  const isInside = (text, at) => text.codePointAt(at - 1) > 0xffff;
  const isAnyInside = (at, end) => isInside(before, at) || isInside(after, end);
  return {
    at: start - isAnyInside(start, start), tail: tail - isAnyInside(before.length - tail, after.length - tail),
  };
}

// Adds an edit to the last one, if it types on in the same word or deletes next to the same place; returns whether it
// did.
function extendEdit(last, { at, removed, inserted, isTyped }) {
  if (!last?.isTyped || !isTyped) return false;
  if (
    !removed &&
    last.inserted &&
    at === last.at + last.inserted.length &&
    !(/\s$/.test(last.inserted) && /^\S/.test(inserted)) &&
    !/[\n\r]/.test(inserted)
  ) {
    last.inserted += inserted;
    return true;
  }
  if (inserted || last.inserted) return false;
  if (at + removed.length === last.at) Object.assign(last, { at, removed: removed + last.removed });
  else if (at === last.at) last.removed += removed;
  else return false;
  return true;
}

const replaceAt = (text, at, from, to) => ({
  text: text.slice(0, at) + to + text.slice(at + from.length), caret: at + to.length,
});
