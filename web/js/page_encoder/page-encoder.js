// Encodes what was just typed in the page, so that its tokens are drawn in the same frame. The server encodes the same
// text, and its tokens replace those of the page if they differ.
import { inDocument } from '../dom/document-state.js';
import { cachedPromise, withTimeout } from '../dom/elements.js';
import { utf8Length } from '../editor/text.js';
import { hashBytes, RankTable, unpackTable } from './rank-table.js';
import { spellOut } from './spell-out.js';

export const MAX_UNITS = 20_000; // UTF-16 units of the chunks that an edit changed; more are left to the server
export const MAX_PRE_TOKEN_BYTES = 2_000;
const MIN_KEPT_BYTES = 500, MAX_KEPT_BYTES = 1_000_000; // of long pre-tokens with their tokens: each, and all together
const MAX_TABLES = 4; // of a document; a table takes up to 5 MB
const MAX_LOAD_MS = 60_000; // of a table over a slow line, and of building it; then the server encodes alone
const MIN_DEVICE_GB = 2; // of memory; a device with less does without a table

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Returns the Answer (wire-format.js) of a text whose tokens cover all of it. */
export const answerOf = (ids, ends) => ({
  ids: Uint32Array.from(ids), starts: Uint32Array.from(ends, (_, k) => (k ? ends[k - 1] : 0)),
  ends: Uint32Array.from(ends), kinds: null, otherCount: 0, roundTrip: true,
});

// Returns the matches of a pattern, as matchAll does. That one copies the pattern, which takes longer than to match a
// line if the pattern has the characters of categories.
function matchesOf(pattern, text) {
  const found = [];
  pattern.lastIndex = 0;
  for (let match; (match = pattern.exec(text)); found.push(match))
    if (!match[0]) pattern.lastIndex += text.codePointAt(pattern.lastIndex) > 0xffff ? 2 : 1;
  return found;
}

/** Encodes texts with a pattern and a rank table. */
export class PageEncoder {
  /** @param {RegExp} pattern  with the flags g and u  @param {RankTable} table  @param {string[]} specials  names that
   *  are left to the server  @param {{ maxUnits?: number, maxPreTokenBytes?: number, ofEach?: boolean }} limits  of an
   *  edit; with `ofEach`, `maxPreTokenBytes` is the limit of each pre-token instead, and long ones are kept, so that an
   *  edit encodes only those that it changes */
  constructor(
    pattern, table, specials, { maxUnits = MAX_UNITS, maxPreTokenBytes = MAX_PRE_TOKEN_BYTES, ofEach = false } = {},
  ) {
    Object.assign(this, { pattern, table, specials, maxUnits, ofEach });
    this.maxSquaredBytes = maxPreTokenBytes ** 2; // of an edit: a pre-token takes time by its squared length
    this.kept = new Map(); // text of a long pre-token -> { size, ids, ends }, in the order of their last use
    this.keptBytes = 0;
    this.beginnings = [...new Set(specials.map((name) => name.slice(0, 2)))]; // few, however many names there are
  }

  /** Returns the server's answer for these chunks, or null if only the server knows it.
   *  @returns {Answer[] | null}  as in wire-format.js */
  encode(chunks) {
    if (chunks.reduce((n, { text }) => n + text.length, 0) > this.maxUnits) return null;
    const answers = [];
    this.squaredBytes = 0; // of the pre-tokens of this edit
    for (const chunk of chunks) {
      const ids = [], ends = [];
      if (!this.encodeChunk(chunk, ids, ends)) return null;
      answers.push(answerOf(ids, ends));
    }
    return answers;
  }

  containsSpecialToken(text) {
    const isIn = (part) => text.includes(part);
    return this.beginnings.some(isIn) && this.specials.some(isIn);
  }

  encodeChunk({ text, bytes }, ids, ends) {
    if (this.containsSpecialToken(text)) return false;
    for (const [from, to] of this.preTokens(text)) {
      this.squaredBytes = (this.ofEach ? 0 : this.squaredBytes) + (to - from) ** 2;
      if (this.squaredBytes > this.maxSquaredBytes) return false;
      if (this.ofEach && to - from >= MIN_KEPT_BYTES) this.encodeLong(bytes.subarray(from, to), from, ids, ends);
      else this.table.encode(bytes, from, to, ids, ends);
    }
    return true;
  }

  encodeLong(bytes, from, ids, ends) {
    const text = decoder.decode(bytes), found = this.kept.get(text) ?? { size: 0, ids: [], ends: [] };
    if (!found.size) this.table.encode(bytes, 0, (found.size = bytes.length), found.ids, found.ends);
    this.keptBytes += this.kept.delete(text) ? 0 : found.size;
    this.kept.set(text, found);
    for (const [oldest, { size }] of this.kept) {
      if (this.keptBytes <= MAX_KEPT_BYTES) break;
      this.kept.delete(oldest);
      this.keptBytes -= size;
    }
    found.ids.forEach((id, k) => {
      ids.push(id);
      ends.push(from + found.ends[k]);
    });
  }

  /** Yields where each pre-token of a text begins and ends, in bytes. */
  *preTokens(text) {
    let from = 0, to = 0, unitsDone = 0;
    for (const match of matchesOf(this.pattern, text)) {
      // text between matches is a pre-token of its own
      if ((to = from + utf8Length(text.slice(unitsDone, match.index))) > from) yield [from, to];
      if ((from = to + utf8Length(match[0])) > to) yield [to, from];
      unitsDone = match.index + match[0].length;
    }
    if ((to = from + utf8Length(text.slice(unitsDone))) > from) yield [from, to];
  }
}

/** Resolves to the encoder of a page's facts about an encoding, or to null if the page has to do without.
 *  @param {{ pageEncoder: { pattern: string, ranks: string, categories: string } | null,
 *    specials: Object<string, number> }} encoding */
export async function loadPageEncoder({ pageEncoder, specials }) {
  if (!pageEncoder || !isWorthwhile()) return null;
  try {
    const { pattern, ranks, categories } = pageEncoder;
    const [table, known] = await Promise.all([tableAt(ranks), categoriesAt(categories)]);
    return new PageEncoder(new RegExp(spellOut(pattern, known), 'gu'), table, Object.keys(specials));
  } catch {
    return null; // the server encodes alone
  }
}

const isWorthwhile = () =>
  !navigator.connection?.saveData && (navigator.deviceMemory ?? MIN_DEVICE_GB) >= MIN_DEVICE_GB;

// Returns the table at an address; the least recently used one is dropped for a fifth.
const tableAt = (address) =>
  cachedPromise(inDocument('rankTables', () => new Map()), address, () => loadTable(address), MAX_TABLES);

async function loadTable(address) {
  const packed = await (await load(address)).arrayBuffer();
  return new RankTable(await unpackInWorker(packed));
}

// Returns the characters of all categories, which all encodings share.
const categoriesAt = (address) => cachedPromise(
  inDocument('categories', () => new Map()), address, () => load(address).then((reply) => reply.json()),
);

async function load(address) {
  const reply = await fetch(address, { signal: AbortSignal.timeout(MAX_LOAD_MS) });
  if (!reply.ok || !reply.headers.has('x-tokenloupe')) throw new Error(`${address}: ${reply.status}`);
  return reply;
}

// Builds the hash table in a worker, which hands its arrays over without a copy.
function unpackInWorker(packed) {
  const source = `${hashBytes}\n${unpackTable}
    onmessage = ({ data }) => {
      const parts = unpackTable(new Uint8Array(data), hashBytes);
      postMessage(parts, [parts.bytes.buffer, parts.starts.buffer, parts.slots.buffer]);
    };`;
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const worker = new Worker(address);
  const unpacked = new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(packed, [packed]);
  });
  return withTimeout(MAX_LOAD_MS, unpacked, 'the rank table took too long to build').finally(() => {
    worker.terminate();
    URL.revokeObjectURL(address);
  });
}

const corrections = () => inDocument('pageEncoderCorrections', () => ({ count: 0 }));

/** The number of chunks of this document whose tokens the server has corrected. */
export const correctedCount = () => corrections().count;

export function countCorrections(n) {
  corrections().count += n;
}
