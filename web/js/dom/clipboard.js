// Copies text to the clipboard, saves files, and shows short confirmations.
import { make, withTimeout } from './elements.js';
import { MAX_LINK_CHARACTERS } from '../net/text-link.js';
import { buildLink, currentPage, localWarning } from '../net/page-link.js';
import { setText } from '../tokens/readout.js';
import { tr } from './i18n.js';

const MIN_SHOWN_MS = 4_000, SHOWN_MS_PER_CHARACTER = 50; // of a confirmation: a long one is read more slowly
const CLIPBOARD_TIMEOUT_MS = 60_000; // the browser may ask for permission, and building a link takes time

/** Copies a text, or a promised text, and shows `words` in `done` for a moment. Where the clipboard API is not
 *  available, the text is copied from a textarea in `place`. */
export async function copyText(text, place, done, words) {
  const isCopied = await writeClipboard(text) || copyTextarea(await text, place);
  const notCopied = tr(
    'Not copied: the browser did not let this page use the clipboard. Try again; if that does not help, allow it in ' +
      'the browser’s settings.',
  );
  showBriefly(done, isCopied ? await words : notCopied);
}

// Safari opens the clipboard only during the click, so a promised text is passed on as a promise at once.
async function writeClipboard(text) {
  try {
    if (typeof text === 'string') await withTimeout(CLIPBOARD_TIMEOUT_MS, navigator.clipboard.writeText(text));
    else {
      const promised = text.then((content) => new Blob([content], { type: 'text/plain' }));
      promised.catch(() => {}); // the caller handles the failure
      const item = new ClipboardItem({ 'text/plain': promised });
      await withTimeout(CLIPBOARD_TIMEOUT_MS, navigator.clipboard.write([item]));
    }
    return true;
  } catch {
    return false;
  }
}

// Without https the browser offers no clipboard API; execCommand still works. Neither the page nor the focus moves.
function copyTextarea(text, place) {
  const area = make('textarea'), { activeElement } = place.getRootNode();
  area.value = text;
  place.append(area);
  area.focus({ preventScroll: true });
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  activeElement?.focus({ preventScroll: true });
  return isCopied;
}

/** Copies a link to the current page, its choices, and the typed text if it is short enough. */
export function copyLink(place, done) {
  const link = currentPage().then(buildLink), words = link.then(confirmation);
  words.catch(() => {}); // copyOut handles the failure
  return copyText(link.then(({ href }) => href), place, done, words);
}

function confirmation({ hasText, omitsText, omitsTyped, omissions, includesCorpus }) {
  const words = [tr('Link copied.')];
  if (hasText)
    words[0] = tr('Link copied. Your text is in the link after the #, which browsers never send to a server.');
  const most = MAX_LINK_CHARACTERS;
  if (omitsText)
    words[0] = tr('Link copied without the text: a link holds at most {most} characters of text.', { most });
  if (omitsTyped)
    words.push(
      tr(
        'The link does not contain everything on this page: it would be too long. Save a file to keep everything.',
      ),
    );
  if (includesCorpus)
    words.push(
      tr(
        'The link contains text that a tokenizer was trained on. To share without that text, open “QR code” and ' +
          'select “Include only the merges”.',
      ),
    );
  return [...words, localWarning(), ...omissions].filter(Boolean).join(' ');
}

export function showBriefly(done, words) {
  setText(done, words);
  clearTimeout(done.timer);
  done.timer = setTimeout(() => setText(done, ''), Math.max(MIN_SHOWN_MS, SHOWN_MS_PER_CHARACTER * words.length));
}

/** Saves a file; one for spreadsheets begins with U+FEFF, without which Excel reads it in a legacy encoding. */
export function saveFile(blob, name) {
  const anchor = make('a');
  anchor.href = URL.createObjectURL(name.endsWith('.csv') ? new Blob(['\ufeff', blob], { type: blob.type }) : blob);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}
