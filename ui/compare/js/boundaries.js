// Where encodings agree: which boundaries between tokens all documents of one text have, and which only some.
// Documents cut their text into chunks each for itself, so they are looked at from one end of a chunk that all have to the next;
// what is known of such a stretch stands as long as its chunks and their tokens do.
import { firstWhere } from '../../kit/js/search.js';
import { firstAfter } from './stretch.js';

export class Boundaries {
  constructor() {
    this.stretches = [];
    this.odds = new WeakMap();  // chunk -> 1 for each of its tokens that begins where not all cut
    this.known = new WeakMap(); // the first chunk of a stretch in the first document -> the stretch
    this.shared = 0; // boundaries that all have
    this.some = 0;   // boundaries that only some have
  }

  /** Looks at documents of one text, all tokenized; returns the chunks whose `odds` are new. */
  update(docs) {
    const changed = [];
    this.stretches = stretchesOf(docs).map((runs) => {
      const own = runs.flat(), older = this.known.get(own[0]);
      if (older && isSame(older, own)) return older;
      const fresh = compareRuns(runs, this.odds);
      this.known.set(own[0], fresh);
      changed.push(...own);
      return fresh;
    });
    this.count();
    return changed;
  }

  count() {
    this.shared = Math.max(0, this.stretches.length - 1); // where one ends and the next begins
    this.some = 0;
    for (const stretch of this.stretches) {
      stretch.at = stretch.chunks[0].byteOffset;
      stretch.before = this.some;
      this.shared += stretch.shared;
      this.some += stretch.places.length;
    }
  }

  /** The first disagreement after a byte, or null: { byte, mask, number }; bit d of the mask says that document d cuts there. */
  after(byte) {
    const i = this.stretchAt(byte);
    const place = i < 0 ? 0 : firstAfter(this.stretches[i].places, byte - this.stretches[i].at);
    return this.pick(i < 0 ? 0 : i, place, 1);
  }

  /** The last disagreement before a byte, or null. */
  before(byte) {
    const i = this.stretchAt(byte);
    return i < 0 ? null : this.pick(i, firstAfter(this.stretches[i].places, byte - 1 - this.stretches[i].at) - 1, -1);
  }

  pick(i, place, step) {
    const isThere = () => place >= 0 && place < this.stretches[i].places.length;
    while (i in this.stretches && !isThere()) {
      i += step;
      place = step > 0 ? 0 : (this.stretches[i]?.places.length ?? 0) - 1;
    }
    const stretch = this.stretches[i];
    return stretch ? { byte: stretch.at + stretch.places[place], mask: stretch.masks[place], number: stretch.before + place + 1 } : null;
  }

  stretchAt(byte) {
    return firstWhere(this.stretches.length, (i) => this.stretches[i].at > byte) - 1;
  }
}

/** The documents' chunks in step: a list of stretches, each with the run of chunks that every document has there. */
function stretchesOf(docs) {
  const next = docs.map(() => 0), ends = docs.map(() => 0), out = [];
  const take = (d, run) => {
    const chunk = docs[d].chunks[next[d]++];
    ends[d] += chunk.bytes.length;
    run.push(chunk);
  };
  while (docs.length && docs.every((doc, d) => next[d] < doc.chunks.length)) {
    const runs = docs.map(() => []);
    runs.forEach((run, d) => take(d, run));
    for (let far = Math.max(...ends); ends.some((end) => end < far); far = Math.max(...ends)) runs.forEach((run, d) => { if (ends[d] < far) take(d, run); });
    out.push(runs);
  }
  return out;
}

const isSame = ({ chunks, ids }, own) => chunks.length === own.length && own.every((chunk, i) => chunk === chunks[i] && chunk.ids === ids[i]);

function compareRuns(runs, odds) {
  const cuts = runs.map(cutsOf), size = cuts[0].at(-1), n = runs.length, at = new Uint32Array(n), places = [], masks = [];
  let shared = 0;
  for (let place = least(cuts, at); place < size; place = least(cuts, at)) {
    let mask = 0, count = 0;
    for (let d = 0; d < n; d++) {
      if (cuts[d][at[d]] !== place) continue;
      mask |= 1 << d;
      count++;
      while (cuts[d][at[d]] === place) at[d]++;
    }
    if (!place) continue;
    if (count === n) { shared++; continue; }
    places.push(place);
    masks.push(mask);
  }
  runs.forEach((run, d) => markBeginnings(run, places.filter((_, i) => masks[i] & (1 << d)), odds));
  const chunks = runs.flat();
  return { chunks, ids: chunks.map((chunk) => chunk.ids), shared, places: Uint32Array.from(places), masks: Uint32Array.from(masks) };
}

function least(cuts, at) {
  let found = Infinity;
  for (let d = 0; d < cuts.length; d++) if (cuts[d][at[d]] < found) found = cuts[d][at[d]];
  return found;
}

// Where the tokens of a run of chunks end, in bytes from where it begins, and where one begins after a gap; the end of the run is the last.
function cutsOf(run) {
  const out = [];
  let base = 0;
  for (const { starts, ends, bytes } of run) {
    for (let k = 0, end = 0; k < ends.length; end = ends[k++]) {
      if (starts[k] > end) out.push(base + starts[k]);
      out.push(base + ends[k]);
    }
    base += bytes.length;
  }
  if (out[out.length - 1] !== base) out.push(base);
  return out;
}

function markBeginnings(run, places, odds) {
  let base = 0, at = 0;
  for (const chunk of run) {
    const odd = chunk.starts.map((start) => {
      while (places[at] < base + start) at++;
      return places[at] === base + start ? 1 : 0;
    });
    odds.set(chunk, Uint8Array.from(odd));
    base += chunk.bytes.length;
  }
}
