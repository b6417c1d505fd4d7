// What the browser keeps for the app: sessionStorage for one tab, localStorage for all. Either may be full, blocked or
// missing. Then a write removes the older value, so that it never comes back. storage-warning.js shows what is lost.
import { inDocument } from './document-state.js';

export const TAB = 'sessionStorage'; // by name: where storage is blocked, even looking at it throws
export const BROWSER = 'localStorage';
const RECORD = 'tokenloupe.browser';
const RECORD_BEFORE = { theme: 'tokenloupe.theme', class: 'tokenloupe.teacher', lessons: 'tokenloupe.lessons' };
const MIN_PACKED = 500_000; // UTF-16 units from which a value is packed: below, it stays readable JSON
const EVEN = '\u0001', ODD = '\u0002'; // how a packed value begins, by its number of bytes; no JSON and no word does

/** The text that is kept, or null. */
export function read(storage, key) {
  try {
    return unpacked(window[storage].getItem(key));
  } catch {
    return null;
  }
}

/** The same of a value that was written as JSON. */
export function readJson(storage, key) {
  try {
    return JSON.parse(read(storage, key));
  } catch {
    return null;
  }
}

/** Writes a well-formed text; returns whether it is kept. If not, nothing is kept under this key any more. */
export function write(storage, key, text) {
  try {
    window[storage].setItem(key, packed(text));
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
    // nothing can be kept there, so nothing is
  }
}

/** What this browser keeps for all tabs: { theme, class, lessons }; earlier versions kept each under its own key. */
export function browserRecord() {
  const record = readJson(BROWSER, RECORD);
  if (record?.constructor === Object) return record;
  const before = Object.entries(RECORD_BEFORE);
  return Object.fromEntries(
    before.map(([name, key]) => [name, readJson(BROWSER, key) ?? read(BROWSER, key) ?? undefined]),
  );
}

/** Keeps a value for all tabs, undefined for none. Where it has no room, `instead` is kept. Notes each value that is
 *  not kept. */
export function keepInBrowser(name, value, instead) {
  const record = browserRecord();
  for (const key of Object.values(RECORD_BEFORE)) remove(BROWSER, key);
  const isKept = write(BROWSER, RECORD, JSON.stringify({ ...record, [name]: value }));
  note(name, isKept || value === undefined ? [] : [name]);
  if (isKept || write(BROWSER, RECORD, JSON.stringify({ ...record, [name]: instead }))) return;
  for (const other of Object.keys(record)) if (other !== name && record[other] !== undefined) note(other, [other]);
}

const noted = () => inDocument('losses', () => new Map()); // key -> what of its value is lost

/** Notes what of a key's value is not kept: names of LOSSES in storage-warning.js. */
export function note(key, losses) {
  noted().set(key, losses);
  dispatchEvent(new Event('tokenloupe-unkept'));
}

/** What of a key's value is noted as not kept. */
export const lossesOf = (key) => noted().get(key) ?? [];

/** What is noted of all keys. */
export const allLosses = () => new Set([...noted().values()].flat());

/** Whether the browser lets nothing at all be kept for one tab. */
export function isBlocked() {
  try {
    return !window[TAB];
  } catch {
    return true;
  }
}

// A storage has room for so many UTF-16 units (Chromium: 5.2 million an origin), whatever they hold. So a long text is
// kept as UTF-8, two bytes in a unit, where that takes less: ASCII takes half the room, so MAX_TEXT_BYTES fit.
// JSON.stringify escapes lone surrogates, so that UTF-8 loses nothing of its text.
function packed(text) {
  if (text.length < MIN_PACKED) return text;
  const bytes = new TextEncoder().encode(text), units = new Uint16Array(Math.ceil(bytes.length / 2));
  if (units.length >= text.length) return text;
  new Uint8Array(units.buffer).set(bytes);
  return (bytes.length % 2 ? ODD : EVEN) + asText(units);
}

function asText(units) {
  try {
    return new TextDecoder('utf-16le', { fatal: true, ignoreBOM: true }).decode(units); // several times faster
  } catch { // some unit is half of a pair
    let text = '';
    for (let i = 0; i < units.length; i += 8192) text += String.fromCharCode(...units.subarray(i, i + 8192));
    return text;
  }
}

function unpacked(found) {
  if (found?.[0] !== EVEN && found?.[0] !== ODD) return found;
  const units = new Uint16Array(found.length - 1);
  for (let i = 0; i < units.length; i++) units[i] = found.charCodeAt(i + 1);
  const bytes = new Uint8Array(units.buffer, 0, 2 * units.length - (found[0] === ODD));
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
