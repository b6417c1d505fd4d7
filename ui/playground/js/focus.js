// One token at a time: what is lit in the tokens is lit in the ids, and the pinned one has a card.
import { scrollInto } from '../../kit/js/dom.js';
import { Pointing } from '../../kit/js/pointing.js';
import { describe, factRows, fillRows, grouped, setText } from '../../kit/js/readout.js';

const NUMBERED = 100_000; // UTF-16 units up to which pre-tokens are numbered over the whole text

export class Focus extends Pointing {
  constructor(editor) {
    super(editor.$);
    this.editor = editor;
    for (const view of [editor.tokens, editor.ids]) this.watch(editor.reader, view);
  }

  /** Shows what is pinned, as an edit left it. */
  refresh() {
    const { reader, hit } = this.pinned ?? {};
    this.light('pinned', reader, hit);
    this.$('.pin').hidden = !hit;
    this.$('.pin-hint').hidden = Boolean(hit);
    setText(this.$('.card .head'), hit ? `Token ${grouped(hit.chunk.base + hit.k + 1)} of ${grouped(reader.doc.numTokens)}` : 'Pinned token');
    if (!hit) return;
    scrollInto(this.editor.ids.element, this.editor.ids.elementsOf(hit.chunk, hit.k)[0]);
    fillRows(this.$('.pin dl'), this.rowsOf(reader, hit));
  }

  /** What is said of a token, again once its pre-token is known. */
  rowsOf(reader, hit, facts = describe(reader, hit)) {
    if (!facts.preToken) this.askPreTokens(reader, hit.chunk);
    return factRows(facts, this.sharedGrapheme(hit), this.preTokenPlace(hit.chunk, facts));
  }

  sharedGrapheme({ chunk, k }) {
    const element = this.editor.tokens.elementsOf(chunk, k).find((one) => one.dataset.n);
    return element ? { text: element.textContent, count: Number(element.dataset.n), band: k - Number(element.dataset.k) + 1 } : null;
  }

  // For a text of some length the pre-tokens of all chunks, so that they can be numbered; for a long one this chunk's alone.
  async askPreTokens(reader, chunk) {
    const { doc } = reader, all = doc.text.length < NUMBERED ? doc.chunks : [chunk];
    this.asking ??= reader.askPreTokens(all.filter((one) => one.ids && !one.preTokens)).catch(() => {});
    await this.asking;
    this.asking = null;
    if (!chunk.preTokens) return;
    if (this.hovered?.chunk === chunk) this.tell(reader, this.hovered);
    if (this.pinned?.hit.chunk === chunk) this.refresh();
  }

  preTokenPlace(chunk, { preToken }) {
    const { chunks } = this.editor.doc, count = (some) => some.reduce((n, one) => n + one.preTokens.ends.length, 0);
    if (preToken?.index === undefined || chunks.some((one) => !one.preTokens)) return null;
    return { number: count(chunks.slice(0, chunks.indexOf(chunk))) + preToken.index + 1, of: count(chunks) };
  }

  /** Gives the elements of one token, in both views, the class `mark`: lit (hovered), now (keyboard) or pinned. */
  light(mark, reader, hit) {
    const { tokens, ids } = this.editor;
    this.lights.set(mark, hit ? [{ elements: [tokens, ids].flatMap((view) => view.elementsOf(hit.chunk, hit.k)), from: hit.k, to: hit.k + 1 }] : []);
  }
}
