// A text in a link, in the URL's fragment, which no browser sends to a server. Version 1 is
// #v=1&t=BASE64URL&s=BASE64URL: `t` is the text as UTF-8, compressed by zlib's deflate, which ends with a checksum; `s`
// is the rest of the page as JSON, compressed likewise. Every link must open for ever: add versions, never change one.
// tests/e2e/old_links.toml has some.
import { inDocument } from '../dom/document-state.js';
import { fromBase64, toBase64 } from './wire-format.js';
import { tr } from '../dom/i18n.js';

export const MAX_LINK_CHARACTERS = 2000; // code points
const MAX_DECOMPRESSED_BYTES = 100_000;
const MAX_DEPTH = 50; // levels of lists and objects in a link; the server refuses messages with more than 100

/** Returns the fragment to read now. Streamlit removes it when it writes the address, so the document's first fragment
 *  is stored, and each `reader` gets it once. */
export function readFragment(reader) {
  const first = inDocument('fragment', () => ({ hash: initialUrl().hash, read: new Set() }));
  const isNew = !first.read.has(reader);
  first.read.add(reader);
  return location.hash.includes('v=') || !isNew ? location.hash : first.hash;
}

const navigationEntry = () => performance.getEntriesByType('navigation')[0];

export const initialUrl = () => new URL(navigationEntry()?.name ?? location.href);

/** Whether this document was loaded before: by a reload, or by going back to it. */
export const isReload = () => navigationEntry()?.type !== 'navigate';

/** Returns the fragment for `text`, or null if the text is too long for a link. */
export async function fragmentFor(text) {
  if (Array.from(text.slice(0, 2 * MAX_LINK_CHARACTERS + 2)).length > MAX_LINK_CHARACTERS) return null;
  return `v=1&t=${await compress(text)}`;
}

/** Returns a text compressed, as base64url. */
export async function compress(text) {
  return toBase64(await pipeBytes(new CompressionStream('deflate'), new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

async function decompress(base64) {
  const bytes = await pipeBytes(
    new DecompressionStream('deflate'), fromBase64((base64 ?? '').replaceAll('-', '+').replaceAll('_', '/')),
  );
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Returns what a fragment contains besides the text, as parsed JSON; null if that is nothing or of a newer version.
 *  Throws an Error if it is damaged. */
export async function restFrom(fragment) {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''));
  if (parameters.get('v') !== '1' || !parameters.has('s')) return null;
  const rest = JSON.parse(await decompress(parameters.get('s')));
  if (isDeeper(rest, MAX_DEPTH)) throw new Error('too many levels');
  return rest;
}

// Whether a value has lists and objects on more than `levels` levels.
const isDeeper = (value, levels) =>
  value instanceof Object && (levels < 1 || Object.values(value).some((one) => isDeeper(one, levels - 1)));

/** Returns the text in a fragment; null if it contains none. Throws an Error with a message for the visitor. */
export async function textFrom(fragment) {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''));
  if (!parameters.has('v')) return null;
  if (/^\d+$/.test(parameters.get('v')) && parameters.get('v') !== '1')
    throw new Error(
      tr(
        'This link was made by a newer version of Tokenloupe (v={version}), so the text in the link cannot be ' +
          'read here. Paste the text instead.', {
        version: parameters.get('v').slice(0, 8),
      }),
    );
  if (parameters.has('s') && !parameters.has('t')) return null;
  try {
    return await decompress(parameters.get('t'));
  } catch {
    throw new Error(
      tr(
        'The text in this link is damaged: a part may be missing. Copy the whole link again, or ask the person who ' +
          'sent it for another copy.',
      ),
    );
  }
}

async function pipeBytes(stream, bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), parts = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) break;
    if ((size += value.length) > MAX_DECOMPRESSED_BYTES) throw new Error('too many bytes');
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
