// The part of page_encoder.py in the browser: encodes what the server of the benchmark gives, and compares the ids.
import { makeEncoders } from '/server/exports/js/encoders.js';
import { Chunk, Document } from '/web/js/editor/document.js';
import { wellFormed } from '/web/js/editor/text.js';
import { closingsOf } from '/web/js/recut/closings.js';

const utf8 = new TextEncoder();
const isSame = (one, other) => one.length === other.length && one.every((id, k) => id === other[k]);
const load = (name) => fetch(`/given/${name}`, { cache: 'no-store' });
const json = async (name) => (await load(name)).json();
const bytes = async (name) => new Uint8Array(await (await load(name)).arrayBuffer());

// Returns a function that gives the next row of ids each time: the file has their number, their lengths, and all ids.
async function rows() {
  const numbers = new Uint32Array((await bytes('ids')).buffer);
  let row = 0, at = 1 + numbers[0];
  return () => numbers.subarray(at, (at += numbers[++row]));
}

/** The encoders of each encoding: `quick` has the limits of the app. */
export let encoders = [];

/** Makes the encoders from patterns, categories and rank tables. */
export async function prepare() {
  const facts = await json('facts');
  encoders = await Promise.all(facts.map(async (one, i) => makeEncoders(one, await bytes(`table/${i}`))));
}

/** Compares texts in some encodings; gives [encoding, text, ids] of each difference, and how many texts the page of the
 *  app leaves to the server, and by encoding how many were skipped: each of these is compared in one encoding only. */
export async function compareTexts(chosen) {
  const texts = (await json('texts')).map(wellFormed), next = await rows(), different = [];
  const chunks = texts.map((text) => new Chunk(text, true)), skipped = {};
  let alone = 0;
  for (const k of chosen) {
    const { quick, patient } = encoders[k];
    for (const [i, chunk] of chunks.entries()) {
      const wanted = next(), found = quick.encode([chunk]);
      alone += !found;
      const isOwn = chosen[i % chosen.length] === k;
      const [answer] = found ?? (isOwn ? patient.encode([chunk]) : null) ?? []; // none for a very long pre-token
      if (!answer) skipped[k] = (skipped[k] ?? 0) + 1;
      else if (!isSame(answer.ids, wanted)) different.push([k, i, Array.from(answer.ids)]);
    }
  }
  return { different, alone, skipped };
}

/** Edits documents as the editor does, and compares the ids of the whole text after each edit. */
export async function compareEdits() {
  const documents = await json('edits'), next = await rows(), different = [];
  let alone = 0;
  for (const [i, { encoding, edits }] of documents.entries()) {
    const doc = new Document(), { quick, patient } = encoders[encoding];
    let raw = '';
    for (const [number, [from, to, put]] of edits.entries()) {
      raw = raw.slice(0, from) + put + raw.slice(to);
      const text = wellFormed(raw), wanted = next();
      if (text !== doc.text) doc.untally(doc.edit(text).removed);
      const batch = doc.nextUntokenized(Infinity), answers = quick.encode(batch);
      alone += !answers;
      for (const [k, answer] of (answers ?? patient.encode(batch)).entries()) doc.setTokens(batch[k], answer, []);
      const ids = doc.chunks.flatMap((chunk) => Array.from(chunk.ids));
      if (!isSame(ids, wanted)) different.push([i, number, text]);
    }
  }
  return { different, alone };
}

/** Compares the ids of texts by the first n merges of an encoding, for each n. */
export async function compareSizes(encoding, sizes) {
  const texts = await json('texts'), next = await rows(), different = [];
  const { patient } = encoders[encoding], { table } = patient;
  for (const text of texts.map(wellFormed)) {
    const closings = closingsOf(patient, text), inBytes = utf8.encode(text);
    for (const n of sizes) {
      const ids = [];
      let start = 0;
      closings.forEach((closing, i) => {
        if (closing < n) return;
        ids.push(table.rank(inBytes, start, i + 1));
        start = i + 1;
      });
      if (!isSame(ids, next())) different.push([n, text, ids]);
    }
  }
  return { different, alone: 0 };
}

/** Returns the first and the last code point of each run of characters of a category, as the browser knows them. */
export function rangesOf(category) {
  const one = new RegExp(`\\p{${category}}`, 'u'), found = [];
  for (let point = 0; point < 0x110000; point++) {
    if ((point >= 0xd800 && point < 0xe000) || !one.test(String.fromCodePoint(point))) continue;
    if (found.at(-1) === point - 1) found[found.length - 1] = point; else found.push(point, point);
  }
  return found;
}
