// Token boundaries that all documents of one text share, and disputed ones, which only some have. Each document has its
// own chunks, so the documents are compared in blocks between chunk ends that all share; a result is cached as long
// as its chunks and their tokens exist.
import { firstWhere } from '../../js/dom/binary-search.js';
import { firstAfter } from '../../js/tokens/byte-ranges.js';

export class Boundaries {
  constructor() {
    this.blocks = [];
    this.disputed = new WeakMap();  // chunk -> 1 for each of its tokens that begins at a disputed boundary
    this.known = new WeakMap(); // first chunk of a block in the first document -> the block
    this.numShared = 0; // number of boundaries that all share
    this.numDisputed = 0;   // boundaries that only some have
  }

  /** Compares documents of one text that are all tokenized; returns the chunks whose `disputed` changed. */
  update(docs) {
    const changed = [];
    this.blocks = alignedBlocks(docs).map((runs) => {
      const own = runs.flat(), older = this.known.get(own[0]);
      if (older && isSame(older, own)) return older;
      const fresh = compareRuns(runs, this.disputed);
      this.known.set(own[0], fresh);
      changed.push(...own);
      return fresh;
    });
    this.numShared = Math.max(0, this.blocks.length - 1); // shared boundaries between blocks
    this.numDisputed = 0;
    for (const block of this.blocks) {
      block.at = block.chunks[0].byteOffset;
      block.before = this.numDisputed;
      this.numShared += block.numShared;
      this.numDisputed += block.places.length;
    }
    return changed;
  }

  /** Returns the first disagreement after a byte, or null: { byte, mask, number }; bit d of the mask means that
   *  document d has a boundary there. */
  after(byte) {
    return this.nth(this.upTo(byte));
  }

  before(byte) {
    return this.nth(this.upTo(byte - 1) - 1);
  }

  upTo(byte) {
    const { blocks } = this, block = blocks[firstWhere(blocks.length, (i) => blocks[i].at > byte) - 1];
    return block ? block.before + firstAfter(block.places, byte - block.at) : 0;
  }

  nth(n) {
    if (n < 0 || n >= this.numDisputed) return null;
    const { blocks } = this;
    const block = blocks[firstWhere(blocks.length, (i) => blocks[i].before > n) - 1];
    const place = block.places[n - block.before];
    return { byte: block.at + place, mask: block.masks[place], number: n + 1 };
  }
}

/** Aligns the documents' chunks: returns blocks, each with the run of chunks of every document. */
function alignedBlocks(docs) {
  const next = docs.map(() => 0), ends = docs.map(() => 0), out = [];
  const take = (d, run) => {
    const chunk = docs[d].chunks[next[d]++];
    ends[d] += chunk.bytes.length;
    run.push(chunk);
  };
  while (docs.length && docs.every((doc, d) => next[d] < doc.chunks.length)) {
    const runs = docs.map(() => []);
    runs.forEach((run, d) => take(d, run));
    for (let far = Math.max(...ends); ends.some((end) => end < far); far = Math.max(...ends))
      runs.forEach((run, d) => {
        if (ends[d] < far) take(d, run);
      });
    out.push(runs);
  }
  return out;
}

const isSame = ({ chunks, ids }, own) =>
  chunks.length === own.length && own.every((chunk, i) => chunk === chunks[i] && chunk.ids === ids[i]);

function compareRuns(runs, disputed) {
  const chunks = runs.flat(), all = 2 ** runs.length - 1, places = [];
  // for each byte, which documents have a boundary before it
  const masks = new Uint8Array(runs[0].reduce((n, chunk) => n + chunk.bytes.length, 0));
  runs.forEach((run, d) => { for (const place of cutsOf(run)) masks[place] |= 1 << d; });
  let shared = 0;
  for (let place = 0; place < masks.length; place++) {
    if (place && masks[place] === all) shared++;
    if (!place || masks[place] === all) masks[place] = 0; // a boundary that all share is not a disagreement
    else if (masks[place]) places.push(place);
  }
  runs.forEach((run, d) => {
    let base = 0;
    for (const chunk of run) {
      disputed.set(chunk, Uint8Array.from(chunk.starts, (start) => (masks[base + start] >> d) & 1));
      base += chunk.bytes.length;
    }
  });
  return { chunks, ids: chunks.map((chunk) => chunk.ids), numShared: shared, places, masks };
}

// Returns the ends of the tokens of a run of chunks, in bytes from its start, and the starts after gaps.
function* cutsOf(run) {
  let base = 0;
  for (const { starts, ends, bytes } of run) {
    for (let k = 0, end = 0; k < ends.length; end = ends[k++]) {
      if (starts[k] > end) yield base + starts[k];
      yield base + ends[k];
    }
    base += bytes.length;
  }
}
