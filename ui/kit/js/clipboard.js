// Putting text on the clipboard, and saying so for a moment.
import { make } from './dom.js';
import { fragmentFor, LONGEST } from './link.js';
import { setText } from './readout.js';
import { tr } from './words.js';

/** Copies a text; `place` is where a helper may stand for an instant, `done` the element that says `words` then. */
export async function copyOut(text, place, done, words) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // clipboards are closed to pages without https
    const area = make('textarea');
    area.value = text;
    place.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  flash(done, words);
}

/** Copies a link to what one sees: this page with its choices, and its text where that is short enough. */
export async function copyLink({ query = location.search.slice(1), text, fragment }, place, done) {
  let words = tr('Link copied.');
  if (text !== undefined) {
    fragment = await fragmentFor(text);
    words = fragment === null ? tr('Link copied without the text: it has over {most} characters.', { most: LONGEST }) : tr('Link copied. It holds the text; no server sees it.');
  }
  await copyOut(`${location.origin}${location.pathname}${query ? `?${query}` : ''}${fragment ? `#${fragment}` : ''}`, place, done, words);
}

/** Says something for a moment. */
export function flash(done, words) {
  setText(done, words);
  clearTimeout(done.timer);
  done.timer = setTimeout(() => setText(done, ''), 4000);
}

/** Saves a file. */
export function save(blob, name) {
  const anchor = make('a');
  anchor.href = URL.createObjectURL(blob);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}
