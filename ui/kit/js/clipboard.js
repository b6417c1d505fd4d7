// Putting text on the clipboard, and saying so for a moment.
import { setText } from './readout.js';

/** Copies a text; `place` is where a helper may stand for an instant, `done` the element that says `words` then. */
export async function copyOut(text, place, done, words) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // clipboards are closed to pages without https
    const area = document.createElement('textarea');
    area.value = text;
    place.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  flash(done, words);
}

/** Says something for a moment. */
export function flash(done, words) {
  setText(done, words);
  clearTimeout(done.timer);
  done.timer = setTimeout(() => setText(done, ''), 4000);
}
