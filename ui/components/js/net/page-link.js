// A page as a link and as a file: its address, its text, the typed values, and how its encodings were trained.
import { inDocument } from '../dom/document-state.js';
import { shared } from '../editor/tab-state.js';
import { delay, whileThere, within } from '../dom/elements.js';
import { BUSY, isConnected } from '../streamlit/streamlit-dom.js';
import { FRAGMENT, outbox } from './outbox.js';
import { folded, fragmentFor } from './text-link.js';
import { LANGUAGE, tr } from '../dom/i18n.js';

export const VERSION = 1; // of the file format; later versions must open this one
export const MOST_IN_FILE = 2_000_000; // bytes
export const MOST_IN_CODE = 2_331; // bytes that fit into a QR code
export const DENSE = 800; // bytes: above this a QR code's modules are too small for the back row
const LONGEST_REST = 6_000; // characters of a link for what is neither its address nor its text
const TRAINED = /\b(?:trained|sentencepiece|huggingface|merges)-[0-9a-f]{32}\b/g;
const MERGES = 'merges-'; // prefix of the keys of encodings that came as merges only
const BROUGHT = /\b(?:loaded|extended)-[0-9a-f]{32}\b/;
const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const MOMENT = 2_000; // ms to wait for a run of the script
const PATIENCE = 10_000; // ms for the server to receive typed values
const ANSWERED_WITHIN = 20_000; // ms for the server to return a recipe or a QR code
const OPENED_WITHIN = 60_000; // ms for the server to open a file

/** What the last run said: { data: the page's snapshot, fileProblem: why the last file could not be opened }. */
export const link = () => inDocument('pageLink', () => ({ data: { typed: {} } }));

const carried = () => link().data;

/** Waits until no run of the script is under way. */
export const atRest = () => whileThere(BUSY, 10 * MOMENT, soon);

const soon = () => delay(50);

/** Whether the page's address only works on this machine. */
export const isLocal = () => LOCAL.test(location.hostname) && !carried().address;

// Streamlit sends a typed value when its input loses the focus, and the value returns with the next run. A call made
// after that is answered only once the server has the value.
async function settled() {
  await Promise.race([isConnected() ? outbox().put('call', null, FRAGMENT) : soon(), delay(PATIENCE)]);
  await whileThere(BUSY, MOMENT, soon);
  await soon();
}

/** Returns the whole page: { page, query, fragment, text, rest: { made, address, typed, second, show }, lacks:
 *  sentences, isTrained, showsTexts }. `isTrained`: some encoding was trained here; `showsTexts`: the page
 *  carries a visitor's training text. With `isAlone` only merges are included. */
export async function pageNow(isAlone = false) {
  await settled();
  const { query: chosen, text, fragment, second, show } = shared(), { page, typed: all } = carried();
  const { made, lacks, query, ...facts } = await recipesOf(
    chosen === undefined ? location.search.slice(1) : `${spoken()}${chosen}`, isAlone,
  );
  const typed = isAlone && page === 'train' ? {} : all; // leave out the text to train on
  const asked = [...new URLSearchParams(query)].filter(([, value]) =>
    Object.keys(made).some((key) => value.includes(key)),
  );
  const rest = { show, made, address: Object.fromEntries(asked), typed, second };
  return {
    page, query, fragment, text,
    rest: Object.fromEntries(Object.entries(rest).filter(([, value]) => value && Object.keys(value).length)), lacks,
    ...facts,
  };
}

// Adds the chosen language; components store their own choices.
function spoken() {
  const tag = new URLSearchParams(location.search).get('lang');
  return tag ? `${new URLSearchParams({ lang: tag })}&` : '';
}

// Returns how each trained encoding of an address was made, and that address; encodings that cannot be included become
// sentences. An encoding included as merges only gets another key, since this server shows its text under its own key.
async function recipesOf(query, isAlone) {
  const made = {};
  const lacks = [];
  const keys = new Set(decodeURIComponent(query).match(TRAINED) ?? []);
  const here = Array.from(keys).filter((key) => !key.startsWith(MERGES));
  let showsTexts = false;
  for (const key of keys) {
    const only = isAlone || key.startsWith(MERGES), reply = await askRecipe(key, only);
    const found = reply?.ok ? await reply.json().catch(() => null) : null;
    if (found) {
      const { key: other = key, ...recipe } = found;
      made[other] = recipe;
      query = query.replaceAll(key, other);
    } else {
      const silent = tr('How a tokenizer was trained could not be asked: the server is not answering.');
      lacks.push(await reasonIn(reply) || silent);
      if (isAlone) query = without(query, key);
    }
    showsTexts ||= !only && !('source' in (made[key] ?? {}));
  }
  if (BROUGHT.test(decodeURIComponent(query)))
    lacks.push(tr('A tokenizer from a file does not go along: another server must be given its file.'));
  return { made, lacks, query, isTrained: here.length > 0, showsTexts };
}

/** Returns the server's reply with the recipe of an encoding, or its merges only; null if there is none. */
export const askRecipe = (key, isAlone = key.startsWith(MERGES)) =>
  fetch(`${carried().url}/${isAlone ? 'merges' : 'recipe'}?${new URLSearchParams({ encoding: key, lang: LANGUAGE })}`, {
    method: 'POST',
    body: new Uint8Array(4),
    headers: { 'content-type': 'application/octet-stream' },
    signal: AbortSignal.timeout(ANSWERED_WITHIN),
  }).catch(() => null);

// Returns the server's reason for an error reply, or "".
async function reasonIn(reply) {
  return reply?.headers.has('x-tokenloupe') ? reply.text().catch(() => '') : '';
}

// Removes a key from an address.
function without(query, key) {
  return new URLSearchParams(
    Array.from(new URLSearchParams(query)).filter(([, value]) => !value.includes(key)),
  ).toString();
}

/** Returns a link to a page: { href, holdsText, leavesText, leavesTyped, lacks: sentences about what is left out,
 *  showsTexts }. */
export async function linkTo({ query, fragment, text, rest, lacks, showsTexts }) {
  const { address } = carried(), origin = address && LOCAL.test(location.hostname) ? address : location.origin;
  const parts = [fragment], own = text === undefined ? null : await fragmentFor(text);
  if (own !== null) parts.push(own);
  const { kept, isWhole } = await shortened(rest);
  if (kept) parts.push(own === null ? 'v=1' : '', `s=${kept}`);
  const hash = parts.filter(Boolean).join('&');
  return {
    href: `${origin}${location.pathname}${query ? `?${query}` : ''}${hash ? `#${hash}` : ''}`,
    holdsText: own !== null, leavesText: text !== undefined && own === null, leavesTyped: !isWhole, lacks,
    showsTexts,
  };
}

// Returns the parts that fit into a link, compressed; each encoding is a part.
async function shortened({ made = {}, address, ...rest }) {
  const parts = [
    ...Object.entries(made).map(([key, recipe]) => ({ made: { [key]: recipe }, address })),
    ...Object.entries(rest).map(([name, value]) => ({ [name]: value })),
  ];
  let kept = '', some = {}, isWhole = true;
  for (const part of parts) {
    const more = { ...some, ...part, ...((some.made || part.made) && { made: { ...some.made, ...part.made } }) };
    const next = await folded(JSON.stringify(more));
    if (next.length > LONGEST_REST) isWhole = false;
    else [kept, some] = [next, more];
  }
  return { kept, isWhole };
}

/** Returns the file of a page as JSON, and its name; throws an Error if it is too large to be opened again. */
export function fileOf({ page, query, fragment, text, rest }) {
  const address = { ...Object.fromEntries(new URLSearchParams(query)) };
  const facts = { tokenloupe: 'page', version: VERSION, page, ...rest, address, text, fragment };
  const blob = new Blob([JSON.stringify(facts, null, 1)], { type: 'application/json' });
  if (blob.size > MOST_IN_FILE)
    throw new Error(
      tr('This page takes {n} bytes; a file may have {most}. Shorten its texts.', { n: blob.size, most: MOST_IN_FILE }),
    );
  return { blob, name: `${page}.tokenloupe` };
}

/** Opens a saved page; resolves to an error message, or undefined. */
export async function openFile(file) {
  if (file.size > MOST_IN_FILE)
    return tr('This file has {n} bytes; the limit for a saved page is {most}.', { n: file.size, most: MOST_IN_FILE });
  const text = await file.text().catch(() => null);
  if (text === null) return tr('This file could not be read. Save it again, or take another.');
  await atRest();
  const silent = tr('The file could not be opened: the server is not answering. Try again.');
  const problem = await within(OPENED_WITHIN, outbox().put('file', text), silent)
    .then(() => link().fileProblem, ({ message }) => {
      outbox().discard('file'); // it must not open later
      return message;
    });
  if (!problem) goTo(JSON.parse(text.replace(/^\ufeff/, '')).fragment);
  return problem;
}

// The step of a training is in the fragment.
function goTo(fragment) {
  if (!/^step=\d{1,7}$/.test(fragment)) return;
  history.replaceState(history.state, '', `${location.pathname}${location.search}#${fragment}`);
  dispatchEvent(new Event('hashchange'));
}

/** Returns the data URL of a link's QR code; throws an Error with the reason if there is none. */
export async function codeOf(href) {
  const reply = await fetch(`${carried().url}/qr`, {
      method: 'POST',
      body: new TextEncoder().encode(href),
      headers: { 'content-type': 'application/octet-stream' },
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWERED_WITHIN),
    }).catch(() => null),
    image = reply?.ok ? await reply.blob().catch(() => null) : null;
  if (image) return URL.createObjectURL(image);
  throw new Error(await reasonIn(reply) || tr('The QR code could not be drawn: the server is not answering.'));
}
