// Putting text on the clipboard, and saying so for a moment.
import { make } from './dom.js';
import { fragmentFor, LONGEST } from './link.js';
import { grouped, setText } from './readout.js';

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

/** Copies the address of this page with `query`, and the text where it is short enough; without it a link brings the choices alone. */
export async function copyLink(text, query, notice, place, done) {
  const fragment = await fragmentFor(text);
  if (fragment === null) notice.say(`This text is too long for a link (over ${grouped(LONGEST)} characters). The copied link brings the encodings and options, not the text.`);
  await copyOut(`${location.origin}${location.pathname}?${query}${fragment ? `#${fragment}` : ''}`, place, done,
    fragment === null ? 'Link without the text copied.' : 'Link copied. It holds the text; no server sees it.');
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
