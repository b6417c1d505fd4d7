// A training's history: one number per merge in arrays; everything else is computed on demand.
import { Recut } from '../../js/recut/recut.js';
import { wellFormed } from '../../js/editor/text.js';
import { encodeTexts, decodeRows, joinHalves } from '../../js/net/wire-format.js';
import { decodeUtf8 } from '../../js/tokens/readout.js';

export const MAX_TEXT_CHARACTERS = 3000;

const NO_SYMBOL = 0xffffffff;

const utf8 = new TextEncoder();

export async function requestHistory(client, key) {
  const answer = await client.ask('history', { encoding: key, special: 'text' }, encodeTexts([]));
  return new TrainingHistory(decodeRows(answer));
}

/** Cuts a text, or the beginning of a long one; `numOmitted` is the number of characters left out. */
export async function askRecut(client, key, text) {
  const characters = Array.from(wellFormed(text)), shown = characters.slice(0, MAX_TEXT_CHARACTERS).join('');
  const answer = await client.ask(
    'recut', { encoding: key, special: 'text' }, encodeTexts([{ bytes: utf8.encode(shown) }]),
  );
  const numOmitted = Math.max(0, characters.length - MAX_TEXT_CHARACTERS);
  return Object.assign(new Recut(shown, ...decodeRows(answer)), { numOmitted });
}

export class TrainingHistory {
  constructor(answer) {
    const numRows = answer.length % 9 ? 8 : 9; // with the bytes of the old tokens
    const [facts, base, left, right, count, saved, rivals, , oldBytes] = joinHalves(answer, numRows);
    const [kind, numRivals, first, numBytes, , lift, liftedTokens] = facts;
    Object.assign(this, { base, left, right, count, saved, rivals, numRivals, numBytes });
    this.alphabet = ['bytes', 'characters', 'tokens'][kind];
    this.numMerges = left.length;
    this.numBase = base.length;
    if (oldBytes) this.readOldTokens(oldBytes);
    this.tokens = new Float64Array(this.numMerges + 1); // of the corpus, before the first merge and after each
    this.tokens[0] = first;
    this.lift = lift < this.numMerges ? lift : null; // the merge before which the split pattern was lifted
    for (let i = 0; i < this.numMerges; i++)
      this.tokens[i + 1] = (i === lift ? liftedTokens : this.tokens[i]) - saved[i];
    if (!oldBytes) this.numbers = new Map(Array.from(base, (value, number) => [value, number]));
    this.lengths = this.symbolLengths();
    this.forced = new Set(); // merges that were chosen by hand, according to the page
  }

  // The base symbols are the tokens of an encoding: `base` has their lengths, 0 for an id that no merge may use.
  readOldTokens(words) {
    const bytes = new Uint8Array(Uint32Array.from(words).buffer);
    let at = 0;
    this.oldTokens = Array.from(this.base, (length) => bytes.subarray(at, at += length));
  }

  symbolLengths() {
    const { left, right, numBase } = this, lengths = new Uint32Array(numBase + left.length);
    for (let b = 0; b < numBase; b++) lengths[b] = this.baseBytes(b).length;
    for (let i = 0; i < left.length; i++) lengths[numBase + i] = lengths[left[i]] + lengths[right[i]];
    return lengths;
  }

  baseBytes(symbol) {
    if (this.oldTokens) return this.oldTokens[symbol];
    return this.alphabet === 'bytes'
      ? Uint8Array.of(this.base[symbol])
      : utf8.encode(String.fromCodePoint(this.base[symbol]));
  }

  bytesOf(symbol, maxBytes = Infinity) {
    const out = new Uint8Array(Math.min(this.lengths[symbol], maxBytes)), open = [symbol];
    for (let at = 0; at < out.length;) {
      const next = open.pop();
      if (next >= this.numBase) {
        open.push(this.right[next - this.numBase], this.left[next - this.numBase]);
        continue;
      }
      const bytes = this.baseBytes(next).subarray(0, out.length - at);
      out.set(bytes, at);
      at += bytes.length;
    }
    return out;
  }

  /** Returns the symbol of a base unit by its bytes; null for a character that the training never saw. */
  baseSymbol(bytes) {
    if (this.oldTokens) {
      this.numbers ??= new Map(this.oldTokens.map((token, number) => [token.join(), number]));
      return this.numbers.get(bytes.join()) ?? null;
    }
    const value = this.alphabet === 'bytes' ? bytes[0] : decodeUtf8(bytes).codePointAt(0);
    return this.numbers.get(value) ?? null;
  }

  bytesPerToken(step) {
    return this.numBytes / Math.max(1, this.tokens[step]);
  }

  /** Returns the pair of merge i and the runners-up: [{ left, right, count, won }], the winner first. */
  candidates(i) {
    const out = [{ left: this.left[i], right: this.right[i], count: this.count[i], won: true }];
    const row = 3 * this.numRivals;
    for (let at = i * row; at < (i + 1) * row && this.rivals[at] !== NO_SYMBOL; at += 3) {
      out.push({ left: this.rivals[at], right: this.rivals[at + 1], count: this.rivals[at + 2], won: false });
    }
    return out;
  }

  /** Returns how many pairs are known to have the count of merge i's pair, including it; `more` if there may be
   *  others. */
  tied(i) {
    const candidates = this.candidates(i), same = candidates.filter((one) => one.count === candidates[0].count).length;
    return { pairs: same, more: same === this.numRivals + 1 };
  }

  /** Whether merge i was chosen by hand, according to the page, or because other pairs had higher counts. */
  isForced(i) {
    return this.forced.has(i) || this.candidates(i).some((one) => one.count > this.count[i]);
  }
}
