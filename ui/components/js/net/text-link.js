// The link that brings a text back: in the URL's fragment, which no browser sends to a server. Version 1:
// #v=1&t=BASE64URL, the text's UTF-8 through zlib's deflate, which ends with a checksum; and s=, likewise the JSON of
// what else was there. Links made once must open for ever: add versions, never change one. tests/e2e/old_links.toml
// keeps some.
import { inDocument } from '../dom/document-state.js';
import { fromBase64, toBase64 } from './wire-format.js';
import { tr } from '../dom/i18n.js';

export const LONGEST = 2000; // code points
const UNFOLDED_MOST = 100_000; // what a fragment may unfold to

/** The fragment that is to be read now. Streamlit drops it when it writes the address, so the one that the document
 *  came with is kept: each `reader` gets it once. */
export function fragmentNow(reader) {
  const first = inDocument('fragment', () => ({ hash: arrivedWith().hash, read: new Set() }));
  const isNew = !first.read.has(reader);
  first.read.add(reader);
  return location.hash.includes('v=') || !isNew ? location.hash : first.hash;
}

/** The address that the document came with. */
export const arrivedWith = () => new URL(performance.getEntriesByType('navigation')[0]?.name ?? location.href);

/** The fragment for `text`, or null when the text is too long for a link. */
export async function fragmentFor(text) {
  if (Array.from(text.slice(0, 2 * LONGEST + 2)).length > LONGEST) return null;
  return `v=1&t=${await folded(text)}`;
}

/** A text as a fragment spells it. */
export async function folded(text) {
  return toBase64(await through(new CompressionStream('deflate'), new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

async function unfolded(letters) {
  const bytes = await through(
    new DecompressionStream('deflate'), fromBase64((letters ?? '').replaceAll('-', '+').replaceAll('_', '/')),
  );
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** What a fragment holds beside the text, as plain values; null where that is nothing, or of a newer version. Throws
 *  an Error where it is damaged. */
export async function restFrom(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  return fields.get('v') === '1' && fields.has('s') ? JSON.parse(await unfolded(fields.get('s'))) : null;
}

/** The text in a fragment; null where it holds none. Throws an Error that says what is wrong with it. */
export async function textFrom(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  if (!fields.has('v')) return null;
  if (/^\d+$/.test(fields.get('v')) && fields.get('v') !== '1')
    throw new Error(
      tr('This link was made by a newer version (v={version}). Its text cannot be read here.', {
        version: fields.get('v').slice(0, 8),
      }),
    );
  if (fields.has('s') && !fields.has('t')) return null;
  try {
    return await unfolded(fields.get('t'));
  } catch {
    throw new Error(tr('The text in this link is damaged: some of it may have been cut off. Ask for the link again.'));
  }
}

async function through(stream, bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), parts = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) break;
    if ((size += value.length) > UNFOLDED_MOST) throw new Error('too much');
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
