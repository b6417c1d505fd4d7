// Saves a page as a link or a file: its address, text, typed values, and the recipes of its encodings.
import { inDocument } from '../dom/document-state.js';
import { linkContent } from '../editor/tab-state.js';
import { delay, whilePresent, withTimeout } from '../dom/elements.js';
import { BUSY, isConnected } from '../streamlit/streamlit-dom.js';
import { FRAGMENT, outbox } from './outbox.js';
import { compress, fragmentFor } from './text-link.js';
import { LANGUAGE, tr } from '../dom/i18n.js';

const FILE_VERSION = 1; // later versions must open files of this one
const MAX_FILE_BYTES = 2_000_000;
export const MAX_QR_CODE_BYTES = 2_331;
export const DENSE_QR_CODE_BYTES = 800; // above this, the modules of a QR code are too small for the back row
const MAX_LINK_STATE_CHARACTERS = 6_000; // of a link's field `s`, compressed
const TRAINED_KEYS = /\b(?:trained|sentencepiece|huggingface|merges)-[0-9a-f]{32}\b/g;
const MERGES_PREFIX = 'merges-'; // of the keys of encodings that were received without their text
const UPLOADED_KEY = /\b(?:loaded|extended)-[0-9a-f]{32}\b/;
const LOCAL_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const RUN_TIMEOUT_MS = 2_000;
const COMMIT_TIMEOUT_MS = 10_000; // for the server to receive typed values
const REQUEST_TIMEOUT_MS = 20_000;
const OPEN_TIMEOUT_MS = 60_000; // for the server to open a file
const POLL_MS = 50;

/** Returns what the last run sent: { snapshot, fileProblem: why the last file could not be opened }. */
export const lastRun = () => inDocument('lastRun', () => ({ snapshot: { typed: {} } }));

const snapshot = () => lastRun().snapshot;

export const waitUntilIdle = () => whilePresent(BUSY, 10 * RUN_TIMEOUT_MS, nextPoll);

const nextPoll = () => delay(POLL_MS);

/** Returns what to do about a link that works only on this machine; "" about any other link. */
export function localWarning() {
  if (!LOCAL_HOST.test(location.hostname) || snapshot().address) return '';
  return tr(
    'Other devices cannot open this link: it works only on this computer. To let devices on the same network open ' +
      'it, stop the app and start it with the command “make class”.',
  );
}

// Streamlit sends a typed value when its input loses the focus, and the value returns with the next run. A call made
// after that is answered only once the server has the value.
async function waitForCommit() {
  await Promise.race([isConnected() ? outbox().put('call', null, FRAGMENT) : nextPoll(), delay(COMMIT_TIMEOUT_MS)]);
  await whilePresent(BUSY, RUN_TIMEOUT_MS, nextPoll);
  await nextPoll();
}

/** Returns the whole page: { page, query, fragment, text, rest: { made, address, typed, second, show }, omissions,
 *  hasTrained, includesCorpus }. `omissions` are sentences about what is left out; `hasTrained`: some encoding was
 *  trained here; `includesCorpus`: the page contains a visitor's training text. With `onlyMerges` it does not. */
export async function currentPage(onlyMerges = false) {
  await waitForCommit();
  const { query: sharedQuery, text, fragment, second, show } = linkContent(), { page, typed: all } = snapshot();
  const { made, omissions, query, ...facts } = await fetchRecipes(
    withoutLanguage(String(sharedQuery ?? location.search.slice(1))), onlyMerges,
  );
  const typed = onlyMerges && page === 'train' ? {} : all; // leave out the text to train on
  const parameters = [...new URLSearchParams(query)].filter(([, value]) =>
    Object.keys(made).some((key) => value.includes(key)),
  );
  const rest = { show, made, address: Object.fromEntries(parameters), typed, second };
  return {
    page, query, fragment, text,
    rest: Object.fromEntries(Object.entries(rest).filter(([, value]) => value && Object.keys(value).length)), omissions,
    ...facts,
  };
}

// A language that was chosen is the visitor's own: whoever opens the link gets that of their browser.
const withoutLanguage = (query) => query.split('&').filter((one) => !one.startsWith('lang=')).join('&');

// Returns the recipe of each trained encoding of an address by key (`made`), and that address; a sentence stands for an
// encoding that cannot be included. Without its text an encoding gets another key, since this server shows the text
// under the key it has.
async function fetchRecipes(query, onlyMerges) {
  const made = {}, omissions = [];
  const values = Array.from(new URLSearchParams(query).values()).join(' '); // a lone "%" raises no error here
  const keys = new Set(values.match(TRAINED_KEYS) ?? []);
  const trainedKeys = Array.from(keys).filter((key) => !key.startsWith(MERGES_PREFIX));
  for (const key of keys) {
    const isMergesOnly = onlyMerges || key.startsWith(MERGES_PREFIX), reply = await fetchRecipe(key, isMergesOnly);
    const found = reply?.ok ? await reply.json().catch(() => null) : null;
    if (found) {
      const { key: keyInLink = key, ...recipe } = found;
      made[keyInLink] = recipe;
      query = query.replaceAll(key, keyInLink);
    } else {
      const noAnswer = tr(
        'A tokenizer is missing from the link or file, because the server is not answering. Try again.',
      );
      omissions.push(await errorReason(reply) || noAnswer);
      if (onlyMerges) query = withoutKey(query, key);
    }
  }
  if (UPLOADED_KEY.test(values))
    omissions.push(
      tr(
        'A tokenizer that you opened, or to which you added special tokens, is not in the link or the file. On ' +
          'another server, open its files or add the special tokens again.',
      ),
    );
  return { made, omissions, query, hasTrained: trainedKeys.length > 0, includesCorpus: includeCorpus(made) };
}

// Whether recipes contain a visitor's text: others name one of our own texts, or have the merges only.
const includeCorpus = (recipes) => Object.values(recipes).some((recipe) => 'texts' in recipe);

/** Returns the server's reply with the recipe of an encoding, or its merges only; null if there is none. */
export function fetchRecipe(key, onlyMerges = key.startsWith(MERGES_PREFIX)) {
  const parameters = new URLSearchParams({ encoding: key, lang: LANGUAGE });
  return post(`${onlyMerges ? 'merges' : 'recipe'}?${parameters}`, new Uint8Array(4));
}

// Returns the server's reply to a request with this body, or null.
function post(path, body) {
  return fetch(`${snapshot().url}/${path}`, {
    method: 'POST', body, headers: { 'content-type': 'application/octet-stream' }, cache: 'no-store',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  }).catch(() => null);
}

// Returns the server's reason for an error reply, or "".
export async function errorReason(reply) {
  return reply?.headers.has('x-tokenloupe') ? reply.text().catch(() => '') : '';
}

function withoutKey(query, key) {
  return String(new URLSearchParams([...new URLSearchParams(query)].filter(([, value]) => !value.includes(key))));
}

/** Returns the origin that other devices use. */
export function publicOrigin() {
  const { address } = snapshot();
  return address && LOCAL_HOST.test(location.hostname) ? address : location.origin;
}

/** Returns a link to a page: { href, hasText, omitsText, omitsTyped, omissions, includesCorpus }. */
export async function buildLink({ query, fragment, text, rest, omissions }) {
  const parts = [fragment], textFragment = text === undefined ? null : await fragmentFor(text);
  if (textFragment !== null) parts.push(textFragment);
  const { compressed, fitting, isWhole } = await compressFitting(rest);
  if (compressed) parts.push(textFragment === null ? 'v=1' : '', `s=${compressed}`);
  const hash = parts.filter(Boolean).join('&');
  return {
    href: `${publicOrigin()}${location.pathname}${query ? `?${query}` : ''}${hash ? `#${hash}` : ''}`,
    hasText: Boolean(text && textFragment), omitsText: text !== undefined && textFragment === null,
    omitsTyped: !isWhole, omissions, includesCorpus: includeCorpus(fitting.made ?? {}),
  };
}

// Returns the parts that fit into a link together, as they are and compressed; each encoding is a part.
async function compressFitting({ made: recipes = {}, address, ...rest }) {
  const parts = [
    ...Object.entries(recipes).map(([key, recipe]) => ({ made: { [key]: recipe }, address })),
    ...Object.entries(rest).map(([name, value]) => ({ [name]: value })),
  ];
  let compressed = '', fitting = {}, isWhole = true;
  for (const part of parts) {
    const made = { ...fitting.made, ...part.made };
    const candidate = { ...fitting, ...part, ...(Object.keys(made).length && { made }) };
    const text = await compress(JSON.stringify(candidate));
    if (text.length > MAX_LINK_STATE_CHARACTERS) isWhole = false;
    else [compressed, fitting] = [text, candidate];
  }
  return { compressed, fitting, isWhole };
}

/** Returns the file of a page, { blob, name }; throws an Error if it is too large to be opened again. */
export function fileOfPage({ page, query, fragment, text, rest, includesCorpus }) {
  const address = Object.fromEntries(new URLSearchParams(query));
  const facts = { tokenloupe: 'page', version: FILE_VERSION, page, ...rest, address, text, fragment };
  const blob = new Blob([JSON.stringify(facts, null, 1)], { type: 'application/json' });
  if (blob.size > MAX_FILE_BYTES) {
    const sizes = { n: blob.size, most: MAX_FILE_BYTES };
    throw new Error(
      includesCorpus
        ? tr(
            'This page has {n} bytes, but a file can have at most {most} bytes. Shorten the texts on this page, or ' +
              'leave out the text that a tokenizer was trained on: open “QR code”, select “Include only the merges”, ' +
              'and save the file there.',
            sizes,
          )
        : tr(
            'This page has {n} bytes, but a file can have at most {most} bytes. Shorten the texts on this page.',
            sizes,
          ),
    );
  }
  return { blob, name: `${page}.tokenloupe` };
}

/** Opens a saved page; resolves to an error message, or undefined. */
export async function openFile(file) {
  if (file.size > MAX_FILE_BYTES)
    return tr('This file has {n} bytes, but a saved page has at most {most} bytes. Choose another file.', {
      n: file.size, most: MAX_FILE_BYTES,
    });
  const text = await file.text().catch(() => null);
  if (text === null) return tr('This file could not be read. Save the page again, or choose another file.');
  await waitUntilIdle();
  dispatchEvent(new Event('tokenloupe-commit')); // so that Undo restores what was typed last
  const noAnswer = tr('The file could not be opened: the server is not answering. Try again.');
  const problem = await withTimeout(OPEN_TIMEOUT_MS, outbox().put('file', text), noAnswer)
    .then(() => lastRun().fileProblem, ({ message }) => {
      outbox().discard('file'); // so that it does not open after the message
      return message;
    });
  if (!problem) goToStep(JSON.parse(text.replace(/^\ufeff/, '')).fragment);
  return problem;
}

function goToStep(fragment) {
  if (!/^step=\d{1,7}$/.test(fragment)) return;
  history.replaceState(history.state, '', `${location.pathname}${location.search}#${fragment}`);
  dispatchEvent(new Event('hashchange'));
}

/** Returns the data URL of a link's QR code; throws an Error with the reason if there is none. */
export async function fetchQrCode(href) {
  const reply = await post('qr', new TextEncoder().encode(href));
  const image = reply?.ok ? await reply.blob().catch(() => null) : null;
  if (image) return URL.createObjectURL(image);
  const noAnswer = tr('The QR code could not be drawn: the server is not answering. Try again.');
  throw new Error(await errorReason(reply) || noAnswer);
}
