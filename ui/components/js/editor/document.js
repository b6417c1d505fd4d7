// The document: one text as a row of chunks that can be tokenized one by one, and what an edit changes of them.
import { firstWhere } from '../dom/binary-search.js';
import { cutEnds, findEdit, CHUNK, LEFTWARD } from './text.js';

const utf8 = new TextEncoder();

// The kinds of tokens that look different, as the core numbers them.
export const SPECIAL = 1;
export const UNKNOWN = 2;
export const BYTE = 3; // one byte of a character that has no token
export const WRAPPING = 4; // no kind of the core's: what a chat template puts around messages

/** A stretch of text that is tokenized by itself, and what is known of it. What a view draws of it is that view's
 *  own. */
export class Chunk {
  /** @param {string} text  @param {boolean} startsLine */
  constructor(text, startsLine) {
    this.text = text;
    this.startsLine = startsLine;
    this.leftward = LEFTWARD.test(text); // whether some of it runs from right to left
    this.bytes = utf8.encode(text);
    this.points = this.bytes.reduce((n, byte) => n + !isContinuation(byte), 0);
    /** @type {Uint32Array | null} once tokenized; the next four are as long */
    this.ids = null;
    /** @type {Uint32Array | null} byte in this chunk where each token begins: never before the one before it ends */
    this.starts = null;
    /** @type {Uint32Array | null} and where it ends: between two tokens there may be a gap, and a token may hold
     *  nothing */
    this.ends = null;
    /** @type {Uint32Array | null} of each token its kind; null where all are normal */
    this.kinds = null;
    /** @type {Uint8Array | null} palette index of each token */
    this.colors = null;
    this.otherCount = 0;    // tokens if special tokens were read the other way
    this.roundTrip = false; // whether its tokens decode to its bytes
    /** @type {{ graphemes: number, words: number } | null} as ICU counts them */
    this.units = null;
    this.base = 0;       // index of its first token in the whole text
    this.offset = 0;     // where it starts in the text, UTF-16 code units
    this.byteOffset = 0; // and in bytes of UTF-8
  }

  /** Whether the bytes of token k are not valid UTF-8 alone: it starts or ends inside a code point. */
  isPartial(k) {
    return isContinuation(this.bytes[this.starts[k]]) || isContinuation(this.bytes[this.ends[k]]);
  }

  tokenBytes(k) {
    return this.bytes.subarray(this.starts[k], this.ends[k]);
  }

  /** How many bytes no token holds. */
  get numLost() {
    return this.ends.reduce((n, end, k) => n - (end - this.starts[k]), this.bytes.length);
  }

  /** @param {Answer} answer  see wire-format.js  @param {Uint8Array} colors */
  settle({ ids, starts, ends, kinds, otherCount, roundTrip }, colors) {
    Object.assign(this, { ids, starts, ends, kinds, otherCount, roundTrip, colors, stale: false });
    this.numPartial = ids.reduce((n, _, k) => n + this.isPartial(k), 0);
  }
}

const isContinuation = (byte) => (byte & 0xc0) === 0x80;

export class Document {
  constructor() {
    this.text = '';
    this.chunks = [];
    this.cuts = true; // whether this encoding's split pattern has safe cuts
    this.tally = new Map(); // id -> how often it stands in the document
    this.numTokens = 0;
  }

  /** Moves to `text`; returns the chunks that went and those that came. */
  edit(text) {
    const { first, last, from, to } = this.cuts
      ? this.touched(text)
      : { first: 0, last: this.chunks.length, from: 0, to: text.length };
    return this.replace(text, first, last, from, to);
  }

  /** Asks for all tokens anew, because the encoding changed; chunks stay, with their old tokens, until the new ones
   *  come. */
  restart(cuts) {
    if (cuts !== this.cuts) {
      this.cuts = cuts;
      return this.replace(this.text, 0, this.chunks.length, 0, this.text.length);
    }
    for (const chunk of this.chunks) chunk.stale = true;
    return { gone: [], fresh: [] };
  }

  replace(text, first, last, from, to) {
    const fresh = [];
    let start = from;
    if (to > from) {
      for (const end of this.cuts ? cutEnds(text, from, to) : [to]) {
        fresh.push(new Chunk(text.slice(start, end), start === 0 || text[start - 1] === '\n'));
        start = end;
      }
    }
    const gone = this.chunks.splice(first, last - first, ...fresh);
    keepUnits(gone, fresh);
    this.text = text;
    this.number();
    return { gone, fresh };
  }

  // A cut at q was judged by text[q-2 .. q+1]: it stands while those four are untouched.
  touched(text) {
    const { start, tail } = findEdit(this.text, text);
    const growth = text.length - this.text.length;
    const untouched = this.text.length - tail;
    const n = this.chunks.length, startOf = (i) => (i < n ? this.chunks[i].offset : this.text.length);
    let first = 0, last = n;
    while (first < n && startOf(first + 1) + 2 <= start) first++;
    while (last > first && startOf(last - 1) - 2 >= untouched) last--;
    if (startOf(last) + growth - startOf(first) < CHUNK / 4 && last < n) last++; // leave no crumbs
    return { first, last, from: startOf(first), to: startOf(last) + growth };
  }

  /** Gives a chunk its tokens. */
  settle(chunk, answer, colors) {
    this.forget([chunk]);
    chunk.settle(answer, colors);
    for (const id of chunk.ids) this.tally.set(id, (this.tally.get(id) ?? 0) + 1);
    chunk.tallied = true;
  }

  /** Takes the tokens of chunks out of the count of distinct tokens. */
  forget(chunks) {
    for (const chunk of chunks) {
      if (!chunk.tallied) continue;
      for (const id of chunk.ids) {
        const n = this.tally.get(id) - 1;
        if (n) this.tally.set(id, n); else this.tally.delete(id);
      }
      chunk.tallied = false;
    }
  }

  /** How many units of text have no count of graphemes and words yet. */
  unmeasured() {
    return this.chunks.reduce((n, chunk) => n + (chunk.units ? 0 : chunk.text.length), 0);
  }

  number() {
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

  /** The chunk and place in it of token number `index`, or null. */
  find(index) {
    const chunk = this.chunks[firstWhere(this.chunks.length, (i) => this.chunks[i].base > index) - 1];
    return chunk?.ids && index >= 0 && index - chunk.base < chunk.ids.length ? { chunk, k: index - chunk.base } : null;
  }

  /** The next neighbouring chunks without tokens of this encoding, about `most` units of text; [] when all have
   *  theirs. */
  waiting(most, from = this.chunks[0]) {
    let i = this.chunks.indexOf(from);
    const isWaiting = (chunk) => !chunk.ids || chunk.stale, batch = [];
    if (i < 0) i = 0;
    while (i < this.chunks.length && !isWaiting(this.chunks[i])) i++;
    for (
      let size = 0;
      i < this.chunks.length && isWaiting(this.chunks[i]) && size < most;
      size += this.chunks[i++].text.length
    )
      batch.push(this.chunks[i]);
    return batch.length || from === this.chunks[0] ? batch : this.waiting(most);
  }
}

// Graphemes and words do not depend on the encoding: a chunk that comes again keeps its own.
function keepUnits(gone, fresh) {
  const known = new Map(gone.filter((chunk) => chunk.units).map((chunk) => [chunk.text, chunk.units]));
  for (const chunk of fresh) chunk.units = known.get(chunk.text) ?? null;
}
