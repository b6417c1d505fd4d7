// A text in the encoding of the file: the tokens that the file was saved with, then those that the page encodes.
import { asJson, encodeAll, loupeFacts, makeEncoders } from '../../../js/encoders.js';
import { delay } from '../../../../../web/js/dom/elements.js';
import { tr } from '../../../../../web/js/dom/i18n.js';
import { fromBase64, parseJson } from '../../../../../web/js/net/wire-format.js';
import { answerOf } from '../../../../../web/js/page_encoder/page-encoder.js';
import { firstAfter } from '../../../../../web/js/tokens/byte-ranges.js';
import { TokenizedText } from '../../../../../web/js/tokens/tokenized-text.js';

export class OfflineText extends TokenizedText {
  shared = null; // the text of the file and its tokens; null where there is no file

  get isAsShared() {
    return this.doc.text === this.shared?.text;
  }

  async answersFor(batch) {
    if (!this.pageEncoder && this.isAsShared) return batch.map((chunk) => this.storedTokens(chunk));
    const encoders = await this.encoders();
    await delay(0); // the tokens so far are painted
    return encodeAll(encoders, batch);
  }

  storedTokens({ byteOffset, bytes }) {
    const { ids, ends } = this.shared;
    const [from, to] = [byteOffset, byteOffset + bytes.length].map((byte) => firstAfter(ends, byte));
    return answerOf(ids.slice(from, to), ends.slice(from, to).map((end) => end - byteOffset));
  }

  // Returns the facts for the loupe. Why a pre-token ends where it does is known only for the file's own text.
  async ask(name, chunks, { at }) {
    const [{ byteOffset }] = chunks;
    if (!this.isAsShared) return asJson(loupeFacts(await this.encoders(), chunks, at));
    const stored = parseJson(await this.host.client.ask(name, { at: byteOffset + Number(at) }));
    return asJson({ ...stored, start: stored.start - byteOffset, end: stored.end - byteOffset });
  }

  async requestMissing() {
    await super.requestMissing();
    if (this.isStale && !this.busy) this.host.setRefused(true);
  }

  async loadPageEncoder() {
    this.pageEncoder = undefined;
    const { encoding } = this;
    try {
      const { quick } = await this.encoders();
      if (encoding === this.encoding) this.pageEncoder = quick;
    } catch (error) {
      if (encoding !== this.encoding) return;
      if (error.isRefusal) { // the vocabulary did not arrive
        this.pageEncoder = null;
        this.host.notice.showProblem(this.failure = error.message);
      } else this.host.setFixed(tr(
        'The text cannot be changed here, because this browser cannot unpack the vocabulary in this file. ' +
          'A newer browser can.',
      ));
    }
  }

  /** Resolves to the encoders of a key and of all other texts, which are made once. */
  encoders() {
    return (this.made ??= afterPaint().then(() => makeEncoders(this.shared, fromBase64(this.shared.ranks))));
  }

  verifySoon() {} // there is no server
}

const afterPaint = () => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });
