// Putting text on the clipboard, and saying so for a moment.
import { make, within } from './elements.js';
import { LONGEST } from '../net/text-link.js';
import { linkTo, pageNow } from '../net/page-link.js';
import { setText } from '../tokens/readout.js';
import { tr } from './i18n.js';

const CLIPBOARD_WITHIN = 60_000; // ms: the browser may ask the reader for leave, and a link takes its time to be made

/** Copies a text, or one that is promised; `place` is where a helper may stand for an instant, `done` the element
 *  that says `words` then. */
export async function copyOut(text, place, done, words) {
  const isCopied = await put(text) || byHand(await text, place);
  flash(done, isCopied ? await words : tr('Not copied: this browser does not allow it here.'));
}

// A clipboard may be open only while a press lasts, as in Safari: so it is given the promise at once.
async function put(text) {
  try {
    if (typeof text === 'string') await within(CLIPBOARD_WITHIN, navigator.clipboard.writeText(text));
    else {
      const promised = text.then((said) => new Blob([said], { type: 'text/plain' }));
      promised.catch(() => {}); // what fails is said of the text itself
      await within(CLIPBOARD_WITHIN, navigator.clipboard.write([new ClipboardItem({ 'text/plain': promised })]));
    }
    return true;
  } catch {
    return false;
  }
}

// Clipboards are closed to pages without https.
function byHand(text, place) {
  const area = make('textarea');
  area.value = text;
  place.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}

/** Copies a link to what one sees: this page with its choices, and what is typed on it where that is short enough. */
export function copyLink(place, done) {
  const link = pageNow().then(linkTo), words = link.then(said);
  words.catch(() => {}); // what fails is said of the link itself
  return copyOut(link.then(({ href }) => href), place, done, words);
}

function said({ holdsText, leavesText, leavesTyped, lacks, showsTexts }) {
  const words = [tr('Link copied.')];
  if (holdsText) words[0] = tr('Link copied. It holds the text; no server sees it.');
  if (leavesText) words[0] = tr('Link copied without the text: it has over {most} characters.', { most: LONGEST });
  if (leavesTyped)
    words.push(tr('Some of what is typed here is left out: it is too long for a link. A file holds it.'));
  if (showsTexts)
    words.push(tr('It shows text that a tokenizer was trained on; the panel of the QR code has a link without it.'));
  return [...words, ...lacks].join(' ');
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
