// Putting text on the clipboard, and saying so for a moment.
import { make } from './dom.js';
import { LONGEST } from './link.js';
import { linkTo, pageNow } from './page-link.js';
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

/** Copies a link to what one sees: this page with its choices, and what is typed on it where that is short enough. */
export async function copyLink(place, done) {
  const { href, holdsText, leavesText, leavesTyped, lacks } = await linkTo(await pageNow());
  const words = [tr('Link copied.')];
  if (holdsText) words[0] = tr('Link copied. It holds the text; no server sees it.');
  if (leavesText) words[0] = tr('Link copied without the text: it has over {most} characters.', { most: LONGEST });
  if (leavesTyped) words.push(tr('Some of what is typed here is left out: it is too long for a link. A file holds it.'));
  await copyOut(href, place, done, [...words, ...lacks].join(' '));
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
