// The reader's own text, kept in this tab: over page changes, dropped connections and reloads. A second tab is a second desk.

const KEY = 'tokenloupe.desk';

/** What this tab holds: { text, push, heard }. `push` is the last text from the server that was taken over, and `heard` the one
 *  since which the server's desk heard of this text, or null; text is null at first. */
export function kept() {
  return (window.tokenloupeDesk ??= { text: null, push: null, heard: null, ...stored() }); // one for all components: each is a bundle, with a scope of its own
}

export function keep(changes) {
  Object.assign(kept(), changes);
  clearTimeout(keep.timer);
  keep.timer = setTimeout(save, 300);
}

/** Writes at once what is kept: the page is about to go. */
export function save() {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept()));
  } catch {
    // a text too large for the tab's storage lives as long as the page does
  }
}

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}
