// The browser's storage: sessionStorage for one tab, localStorage for all. Either may be full, blocked or missing. A
// write that fails removes the older value, so that it does not return. storage-warning.js lists what is not stored.
import { inDocument } from './document-state.js';

export const TAB = 'sessionStorage'; // by name: if storage is blocked, reading window.sessionStorage throws
const BROWSER = 'localStorage';
const BROWSER_RECORD_KEY = 'tokenloupe.browser';
const OLD_KEYS = { theme: 'tokenloupe.theme', class: 'tokenloupe.teacher', lessons: 'tokenloupe.lessons' };
const MIN_PACKED_UNITS = 500_000; // UTF-16 units: shorter values stay readable JSON
// the first character of a packed value, by its number of bytes; JSON never begins so
const EVEN_SIZE_PREFIX = '\u0001', ODD_SIZE_PREFIX = '\u0002';

export function read(storage, key) {
  try {
    return unpack(window[storage].getItem(key));
  } catch {
    return null;
  }
}

export function readJson(storage, key) {
  try {
    return JSON.parse(read(storage, key));
  } catch {
    return null;
  }
}

/** Writes a well-formed text; returns whether it is stored. If not, the key has no value any more. */
export function write(storage, key, text) {
  try {
    window[storage].setItem(key, pack(text));
    return true;
  } catch {
    remove(storage, key);
    return false;
  }
}

export function remove(storage, key) {
  try {
    window[storage].removeItem(key);
  } catch {
    // storage is blocked, so nothing is stored
  }
}

/** Returns the record for all tabs: { theme, class, lessons }; earlier versions stored each under its own key. */
export function browserRecord() {
  const record = readJson(BROWSER, BROWSER_RECORD_KEY);
  if (record?.constructor === Object) return record;
  const oldValues = Object.entries(OLD_KEYS);
  return Object.fromEntries(
    oldValues.map(([name, key]) => [name, readJson(BROWSER, key) ?? read(BROWSER, key) ?? undefined]),
  );
}

/** Stores a value for all tabs; undefined removes it. If it does not fit, stores `fallback`. Records each value that is
 *  not stored. */
export function storeInBrowser(name, value, fallback) {
  const record = browserRecord();
  for (const key of Object.values(OLD_KEYS)) remove(BROWSER, key);
  const isStored = write(BROWSER, BROWSER_RECORD_KEY, JSON.stringify({ ...record, [name]: value }));
  recordLosses(name, isStored || value === undefined ? [] : [name]);
  if (isStored || write(BROWSER, BROWSER_RECORD_KEY, JSON.stringify({ ...record, [name]: fallback }))) return;
  for (const other of Object.keys(record))
    if (other !== name && record[other] !== undefined) recordLosses(other, [other]);
}

const lossesByKey = () => inDocument('losses', () => new Map());

/** Records what of a key's value is not stored: names of LOSSES in storage-warning.js. */
export function recordLosses(key, losses) {
  lossesByKey().set(key, losses);
  dispatchEvent(new Event('tokenloupe-losses'));
}

export const lossesOf = (key) => lossesByKey().get(key) ?? [];

export const allLosses = () => new Set([...lossesByKey().values()].flat());

export function isBlocked() {
  try {
    return !window[TAB];
  } catch {
    return true;
  }
}

// A storage is limited in UTF-16 units (Chromium: 5.2 million an origin), whatever their values. So a long text is
// stored as UTF-8, two bytes in a unit, if that is shorter: ASCII takes half the space, so MAX_TEXT_BYTES fit.
// JSON.stringify escapes lone surrogates, so UTF-8 loses nothing of its text.
function pack(text) {
  if (text.length < MIN_PACKED_UNITS) return text;
  const bytes = new TextEncoder().encode(text), units = new Uint16Array(Math.ceil(bytes.length / 2));
  if (units.length >= text.length) return text;
  new Uint8Array(units.buffer).set(bytes);
  return (bytes.length % 2 ? ODD_SIZE_PREFIX : EVEN_SIZE_PREFIX) + asText(units);
}

function asText(units) {
  try {
    return new TextDecoder('utf-16le', { fatal: true, ignoreBOM: true }).decode(units); // several times faster
  } catch { // some unit is a lone surrogate
    let text = '';
    for (let i = 0; i < units.length; i += 8192) text += String.fromCharCode(...units.subarray(i, i + 8192));
    return text;
  }
}

function unpack(found) {
  if (found?.[0] !== EVEN_SIZE_PREFIX && found?.[0] !== ODD_SIZE_PREFIX) return found;
  const units = new Uint16Array(found.length - 1);
  for (let i = 0; i < units.length; i++) units[i] = found.charCodeAt(i + 1);
  const bytes = new Uint8Array(units.buffer, 0, 2 * units.length - (found[0] === ODD_SIZE_PREFIX));
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
