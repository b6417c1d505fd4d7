// A text in the encoding of the file: the tokens that the file was saved with, then those that the page encodes.
import { delay } from '../../../../../ui/components/js/dom/elements.js';
import { tr } from '../../../../../ui/components/js/dom/i18n.js';
import { RefusedError } from '../../../../../ui/components/js/net/rpc-client.js';
import { concat, fromBase64, parseJson } from '../../../../../ui/components/js/net/wire-format.js';
import { ladderOf } from '../../../../../ui/components/js/page_encoder/ladder.js';
import { answerOf, PageEncoder } from '../../../../../ui/components/js/page_encoder/page-encoder.js';
import { hashBytes, RankTable, unpackTable } from '../../../../../ui/components/js/page_encoder/rank-table.js';
import { firstAfter } from '../../../../../ui/components/js/tokens/byte-ranges.js';
import { TokenizedText } from '../../../../../ui/components/js/tokens/tokenized-text.js';

const MAX_UNDIVIDED_BYTES = 20_000; // of a pre-token, which takes up to half a second

export class OfflineText extends TokenizedText {
  shared = null; // the text of the file and its tokens

  get isAsShared() {
    return this.doc.text === this.shared.text;
  }

  async answersFor(batch) {
    if (!this.pageEncoder && this.isAsShared) return batch.map((chunk) => this.storedTokens(chunk));
    const { patient } = await this.encoders();
    await delay(0); // the tokens so far are painted
    return batch.map((chunk) => {
      const answers = patient.encode([chunk]);
      if (answers) return answers[0];
      throw new RefusedError(tr(
        'No tokens are shown: the text has a part of more than {most} bytes that the split pattern does not divide, ' +
          'and this file cannot encode such a part. Shorten it, or put spaces into it.', { most: MAX_UNDIVIDED_BYTES },
      ));
    });
  }

  storedTokens({ byteOffset, bytes }) {
    const { ids, ends } = this.shared;
    const [from, to] = [byteOffset, byteOffset + bytes.length].map((byte) => firstAfter(ends, byte));
    return answerOf(ids.slice(from, to), ends.slice(from, to).map((end) => end - byteOffset));
  }

  // Returns the facts for the loupe. Why a pre-token ends where it does is known only for the file's own text.
  async ask(name, chunks, { at }) {
    const [{ byteOffset }] = chunks;
    if (this.isAsShared) {
      const stored = parseJson(await this.host.client.ask(name, { at: byteOffset + Number(at) }));
      return asJson({ ...stored, start: stored.start - byteOffset, end: stored.end - byteOffset });
    }
    const { patient } = await this.encoders(), text = chunks.map((chunk) => chunk.text).join('');
    const [start, end] = Array.from(patient.preTokens(text)).find(([, to]) => to > at);
    const bytes = concat(chunks.map((chunk) => chunk.bytes), Uint8Array).subarray(start, end);
    return asJson({ start, end, walls: [], merges: ladderOf(patient.table, bytes), problem: '', spelled: {} });
  }

  async requestMissing() {
    await super.requestMissing();
    if (this.isStale && !this.busy) this.host.setRefused(true);
  }

  async loadPageEncoder() {
    this.pageEncoder = undefined;
    try {
      this.pageEncoder = (await this.encoders()).quick;
    } catch {
      this.host.setFixed(tr(
        'The text cannot be changed in this browser, because it cannot unpack the vocabulary in this file. ' +
          'A newer browser can.',
      ));
    }
  }

  /** Resolves to the encoders of a key and of all other texts, which is made once. */
  encoders() {
    return (this.made ??= makeEncoders(this.shared));
  }

  verifySoon() {} // there is no server
}

const asJson = (facts) => new TextEncoder().encode(JSON.stringify(facts));

// Returns a pattern with the characters of each category as the encoder knows them, since the browser may have another
// version of Unicode. Categories are steps from number to number: the first and the last code point of each run.
function spellOut(pattern, categories) {
  const members = (name) => {
    let at = 0;
    const points = categories[name].map((step) => `\\u{${(at += step).toString(16)}}`);
    return points.map((point, i) => (i % 2 ? `-${point}` : point)).join('');
  };
  const filled = (part) => part.replace(/\\p\{(\w+)\}/g, (_, name) => members(name));
  return pattern.replace(/\\[^p]|\[(?:\\.|[^\\\]])+\]|\\p\{\w+\}/g, (part) =>
    part.startsWith('\\p') ? `[${filled(part)}]` : filled(part));
}

async function makeEncoders({ pattern, categories, ranks }) {
  await new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); }); // the tokens are painted first
  const unpacked = new Blob([fromBase64(ranks)]).stream().pipeThrough(new DecompressionStream('gzip'));
  const packed = new Uint8Array(await new Response(unpacked).arrayBuffer());
  const table = new RankTable(unpackTable(packed, hashBytes)), split = new RegExp(spellOut(pattern, categories), 'gu');
  const [quick, patient] = [{}, { maxUnits: Infinity, maxPreTokenBytes: MAX_UNDIVIDED_BYTES }]
    .map((limits) => new PageEncoder(split, table, [], limits)); // names of special tokens are text
  return { quick, patient };
}
