// A page as a link and as a file: its address, its text, and what the address leaves out: what is typed, how encodings
// were trained.
import { shared } from '../editor/tab-state.js';
import { whileThere, within } from '../dom/elements.js';
import { BUSY, isConnected } from '../streamlit/streamlit-dom.js';
import { folded, fragmentFor } from './text-link.js';
import { LANGUAGE, tr } from '../dom/i18n.js';

export const VERSION = 1; // of files; every later version opens this one
export const MOST_IN_FILE = 2_000_000; // bytes
export const MOST_IN_CODE = 2_331; // bytes that a QR code holds
export const DENSE = 800; // bytes: a code of more has modules too small for the back row
const LONGEST_REST = 6_000; // characters that a link has for what is not its address nor its text
const TRAINED = /\b(?:trained|sentencepiece|huggingface|merges)-[0-9a-f]{32}\b/g;
const MERGES = 'merges-'; // so begin the keys of those that came without their text
const BROUGHT = /\b(?:loaded|extended)-[0-9a-f]{32}\b/;
const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const MOMENT = 2_000; // ms that a run of the script is waited for
const PATIENCE = 10_000; // ms that the server has to hear what was typed
const ANSWERED_WITHIN = 20_000; // ms that the server has to tell how a tokenizer was trained, or to draw a QR code
const OPENED_WITHIN = 60_000; // ms that it has to open a file

/** Called by the page on every run: what is typed on it, where others find this machine, how a file is opened, and
 *  how the server is called. */
export function tellOf(data, open, call) {
  window.tokenloupeCarried = { data, open, call };
  const { said, called } = data, waiting = window.tokenloupeOpening, calling = window.tokenloupeCalling;
  if (said && waiting?.id === said.id) waiting.done(said.problem);
  if (calling && calling.id === called) {
    window.tokenloupeCalling = null;
    calling.done();
  }
}

/** Waits until the page is at rest; then something may be sent. */
export async function atRest() {
  await whileThere(BUSY, 10 * MOMENT, soon);
  return true;
}

const soon = (wait = 50) => new Promise((resolve) => { setTimeout(resolve, wait); });

/** Whether only this machine knows the address of this page. */
export const isLocal = () => LOCAL.test(location.hostname) && !carried().address;

const carried = () => window.tokenloupeCarried?.data ?? { typed: {} };

// What is typed in a box of Streamlit's goes to the server when the box is left; what is carried of it comes with the
// run that follows. When that is, only the server knows: it has heard what was typed when it has heard a call that came
// after.
async function settled() {
  await Promise.race([heard(), soon(PATIENCE)]);
  await whileThere(BUSY, MOMENT, soon);
  await soon();
}

function heard() {
  const { call } = window.tokenloupeCarried ?? {}, id = String(Math.random()), before = window.tokenloupeCalling;
  if (!call || !isConnected()) return soon();
  return new Promise((resolve) => {
    const done = () => { // what was called before has been heard, too
      before?.done();
      resolve();
    };
    window.tokenloupeCalling = { id, done };
    call(id);
  });
}

/** All that this page is: { page, query, fragment, text, rest: { made, address, typed, second, show }, lacks:
 *  sentences, isTrained, showsTexts }. `isTrained`: some tokenizer was trained here; `showsTexts`: on a text of a
 *  visitor's, which the page brings. With `isAlone` its merges alone go along. */
export async function pageNow(isAlone = false) {
  await settled();
  const { query: chosen, text, fragment, second, show } = shared(), { page, typed: all } = carried();
  const { made, lacks, query, ...facts } = await recipesOf(
    chosen === undefined ? location.search.slice(1) : `${spoken()}${chosen}`, isAlone,
  );
  const typed = isAlone && page === 'train' ? {} : all; // the text to train on
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

// The language, where it was chosen: components know their own choices.
function spoken() {
  const tag = new URLSearchParams(location.search).get('lang');
  return tag ? `${new URLSearchParams({ lang: tag })}&` : '';
}

// How each trained encoding of an address was made, and that address; what cannot be told is said. One whose merges go
// along alone has another key: by its own this server shows the text.
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

/** How a tokenizer was trained, or its merges alone, as the server says it: a reply, or null where there is none. */
export const askRecipe = (key, isAlone = key.startsWith(MERGES)) =>
  fetch(`${carried().url}/${isAlone ? 'merges' : 'recipe'}?${new URLSearchParams({ encoding: key, lang: LANGUAGE })}`, {
    method: 'POST',
    body: new Uint8Array(4),
    headers: { 'content-type': 'application/octet-stream' },
    signal: AbortSignal.timeout(ANSWERED_WITHIN),
  }).catch(() => null);

// The server's own reason why it does not answer; empty where there is none.
async function reasonIn(reply) {
  return reply?.headers.has('x-tokenloupe') ? reply.text().catch(() => '') : '';
}

// An address without what asks for this key.
function without(query, key) {
  return new URLSearchParams(
    Array.from(new URLSearchParams(query)).filter(([, value]) => !value.includes(key)),
  ).toString();
}

/** A link to a page as it is now: { href, holdsText, leavesText, leavesTyped, lacks: sentences on what else it
 *  leaves out, showsTexts }. */
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

// As much of it as a link may hold, folded: part by part, each encoding by itself.
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

/** The file of a page: JSON, and its name; throws an Error where it would be too large to be opened. */
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

/** Opens a saved page; resolves to what is wrong with it, or nothing. */
export async function openFile(file) {
  if (file.size > MOST_IN_FILE)
    return tr('This file has {n} bytes; the limit for a saved page is {most}.', { n: file.size, most: MOST_IN_FILE });
  const text = await file.text().catch(() => null);
  if (text === null) return tr('This file could not be read. Save it again, or take another.');
  const id = String(Math.random()), { promise, resolve } = Promise.withResolvers();
  window.tokenloupeOpening = { id, done: resolve };
  await atRest();
  window.tokenloupeCarried.open(id, text);
  const silent = tr('The file could not be opened: the server is not answering. Try again.');
  const problem = await within(OPENED_WITHIN, promise, silent).catch(({ message }) => message);
  if (!problem) goTo(JSON.parse(text.replace(/^\ufeff/, '')).fragment);
  return problem;
}

// The step of a training stands behind the `#`.
function goTo(fragment) {
  if (!/^step=\d{1,7}$/.test(fragment)) return;
  history.replaceState(history.state, '', `${location.pathname}${location.search}#${fragment}`);
  dispatchEvent(new Event('hashchange'));
}

/** The QR code of a link as an image's address; throws an Error with the reason where there is none. */
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
