// A document: one text as a list of chunks that are tokenized separately, and what an edit changes of them.
import { firstWhere } from '../dom/binary-search.js';
import { cutEnds, findEdit, CHUNK_UNITS, RTL_CHARACTERS } from './text.js';

const utf8 = new TextEncoder();

// Token kinds that look different, with the core's numbers.
export const SPECIAL = 1;
export const UNKNOWN = 2;
export const BYTE = 3; // one byte of a character without a token
export const WRAPPING = 4; // text that a chat template puts around messages; no kind of the core

/** A part of a text that is tokenized by itself, with its tokens. Views store their own data about it elsewhere. */
export class Chunk {
  constructor(text, startsLine) {
    this.text = text;
    this.startsLine = startsLine;
    this.hasRtl = RTL_CHARACTERS.test(text); // whether it contains right-to-left characters
    this.bytes = utf8.encode(text);
    this.numCodePoints = this.bytes.reduce((n, byte) => n + !isContinuation(byte), 0);
    /** @type {Uint32Array | null} null until tokenized; the next four have the same length */
    this.ids = null;
    /** @type {Uint32Array | null} first byte of each token in this chunk, never before the end of the token
     *  before */
    this.starts = null;
    /** @type {Uint32Array | null} end byte of each token: tokens may have gaps between them, and may be empty */
    this.ends = null;
    /** @type {Uint32Array | null} kind of each token; null if all are normal */
    this.kinds = null;
    /** @type {Uint8Array | null} palette index of each token */
    this.colors = null;
    this.otherCount = 0;    // tokens if special tokens were read the other way
    this.roundTrip = false; // whether the tokens decode to the chunk's bytes
    this.isVerified = true; // whether the tokens are the server's, not only the page's
    /** @type {{ graphemes: number, words: number } | null} counted by ICU */
    this.units = null;
    this.base = 0;       // index of its first token in the whole text
    this.offset = 0;     // where it starts in the text, UTF-16 code units
    this.byteOffset = 0; // the same in UTF-8 bytes
  }

  /** Whether the bytes of token k are invalid UTF-8 by themselves: it starts or ends inside a code point. */
  isPartial(k) {
    return isContinuation(this.bytes[this.starts[k]]) || isContinuation(this.bytes[this.ends[k]]);
  }

  tokenBytes(k) {
    return this.bytes.subarray(this.starts[k], this.ends[k]);
  }

  /** Number of bytes that no token covers. */
  get numLost() {
    return this.ends.reduce((n, end, k) => n - (end - this.starts[k]), this.bytes.length);
  }

  /** Whether these tokens are the chunk's.  @param {Answer} answer  see wire-format.js */
  hasTokens({ ids, ends, kinds, otherCount, roundTrip }) {
    const isSame = (one, other) => one?.length === other?.length && (one ?? []).every((value, k) => value === other[k]);
    return (
      isSame(ids, this.ids) && isSame(ends, this.ends) && isSame(kinds, this.kinds) &&
      otherCount === this.otherCount && roundTrip === this.roundTrip
    );
  }

  /** @param {Answer} answer  see wire-format.js  @param {Uint8Array} colors */
  setTokens({ ids, starts, ends, kinds, otherCount, roundTrip }, colors) {
    Object.assign(this, { ids, starts, ends, kinds, otherCount, roundTrip, colors, stale: false });
    this.numPartial = ids.reduce((n, _, k) => n + this.isPartial(k), 0);
  }
}

export const isContinuation = (byte) => (byte & 0xc0) === 0x80;

const isUntokenized = (chunk) => !chunk.ids || chunk.stale;

export class Document {
  constructor() {
    this.text = '';
    this.chunks = [];
    this.hasSafeCuts = true; // whether the encoding's split pattern has safe cuts
    this.tally = new Map(); // id -> number of its tokens in the document
    this.numTokens = 0;
  }

  /** Changes the text; returns the removed and the added chunks. */
  edit(text) {
    const { first, last, from, to } = this.hasSafeCuts
      ? this.changedRange(text)
      : { first: 0, last: this.chunks.length, from: 0, to: text.length };
    return this.replace(text, first, last, from, to);
  }

  /** Marks all chunks as outdated after a change of the encoding; their old tokens stay until the new ones
   *  arrive. */
  restart(hasSafeCuts) {
    if (hasSafeCuts !== this.hasSafeCuts) {
      this.hasSafeCuts = hasSafeCuts;
      return this.replace(this.text, 0, this.chunks.length, 0, this.text.length);
    }
    for (const chunk of this.chunks) Object.assign(chunk, { stale: true, isVerified: true });
    return { removed: [], added: [] };
  }

  replace(text, first, last, from, to) {
    const added = [];
    let start = from;
    if (to > from) {
      for (const end of this.hasSafeCuts ? cutEnds(text, from, to) : [to]) {
        added.push(new Chunk(text.slice(start, end), start === 0 || text[start - 1] === '\n'));
        start = end;
      }
    }
    const removed = this.chunks.splice(first, last - first, ...added);
    reuseUnits(removed, added);
    this.text = text;
    this.renumber();
    return { removed, added };
  }

  // A cut at q depends on text[q-2 .. q+1]; it is valid while those four code units are unchanged.
  changedRange(text) {
    const { start, tail } = findEdit(this.text, text);
    const growth = text.length - this.text.length;
    const untouched = this.text.length - tail;
    const n = this.chunks.length, startOf = (i) => (i < n ? this.chunks[i].offset : this.text.length);
    let first = 0, last = n;
    while (first < n && startOf(first + 1) + 2 <= start) first++;
    while (last > first && startOf(last - 1) - 2 >= untouched) last--;
    if (startOf(last) + growth - startOf(first) < CHUNK_UNITS / 4 && last < n) last++; // avoid a tiny last chunk
    return { first, last, from: startOf(first), to: startOf(last) + growth };
  }

  setTokens(chunk, answer, colors) {
    this.untally([chunk]);
    chunk.setTokens(answer, colors);
    for (const id of chunk.ids) this.tally.set(id, (this.tally.get(id) ?? 0) + 1);
    chunk.tallied = true;
  }

  untally(chunks) {
    for (const chunk of chunks) {
      if (!chunk.tallied) continue;
      for (const id of chunk.ids) {
        const n = this.tally.get(id) - 1;
        if (n) this.tally.set(id, n); else this.tally.delete(id);
      }
      chunk.tallied = false;
    }
  }

  /** Number of UTF-16 units without a grapheme and word count. */
  countUnmeasuredUnits() {
    return this.chunks.reduce((n, chunk) => n + (chunk.units ? 0 : chunk.text.length), 0);
  }

  renumber() {
    let base = 0, offset = 0, byteOffset = 0;
    for (const chunk of this.chunks) {
      chunk.base = base;
      chunk.offset = offset;
      chunk.byteOffset = byteOffset;
      base += chunk.ids ? chunk.ids.length : 0;
      offset += chunk.text.length;
      byteOffset += chunk.bytes.length;
    }
    this.numTokens = base;
  }

  /** Returns the chunk of token number `index` and its place there, or null. */
  find(index) {
    const chunk = this.chunks[firstWhere(this.chunks.length, (i) => this.chunks[i].base > index) - 1];
    return chunk?.ids && index >= 0 && index - chunk.base < chunk.ids.length ? { chunk, k: index - chunk.base } : null;
  }

  /** Returns the next adjacent chunks without tokens of this encoding, about `maxUnits` UTF-16 units; [] if there are
   *  none. */
  nextUntokenized(maxUnits, from = this.chunks[0]) {
    return this.nextWhere(isUntokenized, maxUnits, from);
  }

  /** The number of chunks without tokens of this encoding. */
  get numUntokenized() {
    return this.chunks.filter(isUntokenized).length;
  }

  /** Whether all tokens are the server's, not only the page's. */
  get isVerified() {
    return this.chunks.every((chunk) => chunk.isVerified);
  }

  /** Returns the next adjacent chunks with tokens that only the page has encoded. */
  nextUnverified(maxUnits) {
    return this.nextWhere((chunk) => !chunk.isVerified, maxUnits, this.chunks[0]);
  }

  nextWhere(isWanted, maxUnits, from) {
    let i = Math.max(this.chunks.indexOf(from), 0);
    const batch = [];
    while (i < this.chunks.length && !isWanted(this.chunks[i])) i++;
    for (
      let size = 0;
      i < this.chunks.length && isWanted(this.chunks[i]) && size < maxUnits;
      size += this.chunks[i++].text.length
    )
      batch.push(this.chunks[i]);
    return batch.length || from === this.chunks[0] ? batch : this.nextWhere(isWanted, maxUnits, this.chunks[0]);
  }
}

// Grapheme and word counts do not depend on the encoding, so a chunk with the same text reuses them.
function reuseUnits(removed, added) {
  const known = new Map(removed.filter((chunk) => chunk.units).map((chunk) => [chunk.text, chunk.units]));
  for (const chunk of added) chunk.units = known.get(chunk.text) ?? null;
}
