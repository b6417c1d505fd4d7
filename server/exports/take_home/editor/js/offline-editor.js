// A text that can be changed, and its tokens: the page encodes it by itself, without a server.
import { OfflineText } from './offline-text.js';
import { Component } from '../../../../../web/js/dom/component.js';
import { delay } from '../../../../../web/js/dom/elements.js';
import { tr } from '../../../../../web/js/dom/i18n.js';
import { EditableText } from '../../../../../web/js/editor/editable-text.js';
import { EditorPointer } from '../../../../../web/js/editor/editor-pointer.js';
import { History } from '../../../../../web/js/editor/history.js';
import { Notice } from '../../../../../web/js/editor/notice.js';
import { MAX_TEXT_BYTES } from '../../../../../web/js/editor/text.js';
import { ScrollSync } from '../../../../../web/js/editor/scroll-sync.js';
import { IdsView } from '../../../../../web/js/tokens/ids-view.js';
import { countDocument, describe } from '../../../../../web/js/tokens/readout.js';
import {
  READ_DELAY_MS, VocabularySlider,
} from '../../../../../web/js/vocabulary_slider/vocabulary-slider.js';

const MIN_FULL_UNITS = 2000; // UTF-16 units: a text that fills the panes
const UNITS_BATCH = 20; // chunks whose graphemes and words are counted at once
const TOO_LONG = tr(
  'No tokens are shown: the text has more than {most} bytes, the limit of this page. Shorten the text.',
  { most: MAX_TEXT_BYTES },
);
const segmenters = ['grapheme', 'word'].map((granularity) => new Intl.Segmenter('und', { granularity }));

/** Announces the token under it to the page. */
class OfflinePointer extends EditorPointer {
  highlightToken(mark, tokenized, hit) {
    if (hit) this.editor.announce('token', describe(tokenized, hit));
    super.highlightToken(mark, tokenized, hit);
  }

  whyOf() {
    return null; // the page Why is not in the file
  }
}

/** Subclasses may have `makeText()` and `makeTextEditor()` of their own. */
export class OfflineEditor extends Component {
  constructor(root) {
    super(root);
    this.view = this.$('.tokens');
    this.notice = new Notice(this.$('.notice'));
    this.ids = new IdsView(this.$('.ids'));
    this.tokenized = this.makeText(this.view, this.desk, this, [this.ids]);
    this.pointer = new OfflinePointer(this);
    this.textEditor = this.makeTextEditor(this.$('textarea'), this.notice, () => this.onChange());
    this.scrollSync = new ScrollSync(this);
    this.slider = new VocabularySlider(this.$('.vocabulary'));
    this.$('.vocabulary').addEventListener('toggle', () => this.drawVocabulary());
    addEventListener('beforeprint', () => this.paintAll(), { signal: this.windowListeners.signal });
  }

  makeText(...places) {
    return new OfflineText(...places);
  }

  makeTextEditor(area, notice, onChange) {
    return new EditableText(area, notice, onChange, new History());
  }

  get doc() { return this.tokenized.doc; }
  get tokens() { return this.tokenized.tokens; }

  update({ data, client }) {
    this.client = client;
    this.tokenized.shared = data;
    this.tokenized.setEncoding({ ...data.encoding, specials: {}, cuts: true, front: false });
    this.textEditor.setText(data.text);
  }

  paintOptions() {
    return { withBytes: false };
  }

  /** Sends an event to the page. */
  announce(name, detail) {
    this.desk.dispatchEvent(new CustomEvent(`tokenloupe-${name}`, { bubbles: true, composed: true, detail }));
  }

  onChange() {
    this.desk.classList.toggle('full', this.textEditor.raw.length > MIN_FULL_UNITS);
    this.tokenized.requestMissing();
  }

  onVerified() {}

  onSettled() {
    const { reading } = this.textEditor;
    this.notice.show({ ...reading, tooLong: false }, [reading.tooLong && TOO_LONG]);
    this.setRefused(reading.tooLong);
    this.pointer.onSettled();
    this.scrollSync.onSettled();
    this.ids.onSettled();
    this.$('.empty').hidden = this.doc.text.length > 0;
    clearTimeout(this.vocabularyTimer);
    this.vocabularyTimer = setTimeout(() => this.drawVocabulary(), READ_DELAY_MS);
    if (this.wasChanged ||= !this.tokenized.isAsShared) this.showCounts();
  }

  // Shows the text at the slider's size of the vocabulary, while the panel is open.
  async drawVocabulary() {
    if (!this.$('.vocabulary').open) return this.slider.stop();
    const { encoding } = this.tokenized, encoders = await this.tokenized.encoders().catch(() => null);
    if (encoding !== this.tokenized.encoding) return;
    if (encoders) this.slider.show(this.doc.text, encoders.quick, encoding.name);
    else this.slider.showReason(tr('The vocabulary could not be loaded.'));
  }

  /** Hides tokens and counts that are not those of the text. */
  setRefused(isRefused) {
    this.isRefused = isRefused;
    this.wasChanged ||= isRefused; // its counts are hidden, and shown again with the next text
    this.desk.classList.toggle('refused', isRefused);
    if (isRefused) this.announce('counts', null);
  }

  /** Shows why the text cannot be changed. */
  setFixed(reason) {
    this.textEditor.area.readOnly = true;
    this.notice.showProblem(reason);
  }

  async showCounts() {
    const { text, chunks } = this.doc, without = chunks.filter(({ units }) => !units);
    const isCurrent = () => text === this.doc.text && !this.isRefused; // a refused text leaves the document as it is
    for (let at = 0; at < without.length && isCurrent(); at += UNITS_BATCH) {
      without.slice(at, at + UNITS_BATCH).forEach(countUnits);
      if (at === 0) this.announce('counts', countDocument(this.doc));
      await delay(0);
    }
    if (isCurrent()) this.announce('counts', countDocument(this.doc));
  }

  /** Draws what is out of view, too, for print. */
  paintAll() {
    this.$('details').open = true;
    for (const chunk of this.doc.chunks) {
      this.ids.paint(chunk);
      this.tokens.paintAll(chunk);
    }
  }
}

function countUnits(chunk) {
  const [graphemes, words] = segmenters.map((one) => Array.from(one.segment(chunk.text), ({ segment }) => segment));
  chunk.units = { graphemes: graphemes.length, words: words.filter((word) => /[\p{L}\p{N}]/u.test(word)).length };
}
