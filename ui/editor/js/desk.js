// The reader's own text, kept in this tab: over page changes, dropped connections and reloads. A second tab is a second desk.

const KEY = 'tokenloupe.desk';
const desk = load();

/** What this tab holds: { text, push } where `push` is the last text from the server that was taken over; text is null at first. */
export function kept() {
  return desk;
}

export function keep(changes) {
  Object.assign(desk, changes);
  clearTimeout(keep.timer);
  keep.timer = setTimeout(save, 300);
}

/** Writes at once what is kept: the page is about to go. */
export function save() {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(desk));
  } catch {
    // a text too large for the tab's storage lives as long as the page does
  }
}

function load() {
  try {
    return { text: null, push: null, ...JSON.parse(sessionStorage.getItem(KEY)) };
  } catch {
    return { text: null, push: null };
  }
}
