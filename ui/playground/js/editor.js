// The Playground's editor: a text, its tokens, and facts about them.
import { EditorPointer } from './editor-pointer.js';
import { IdsView } from './ids-view.js';
import { ScrollSync } from './scroll-sync.js';
import { mount } from '../../components/js/dom/component.js';
import { specialTokenNote, pauseNote, lossReason } from '../../components/js/editor/notice.js';
import { BATCH_UNITS, FIRST_BATCH_UNITS, TokenizedText } from '../../components/js/tokens/tokenized-text.js';
import { TokenMotion } from '../../components/js/tokens/token-motion.js';
import { countDocument, setText, showCounts } from '../../components/js/tokens/readout.js';
import { TextComponent } from '../../components/js/editor/text-component.js';
import { decodeRows } from '../../components/js/net/wire-format.js';
import { tr } from '../../components/js/dom/i18n.js';
import { copyIds, download } from './downloads.js';

const MIN_FULL_UNITS = 5000; // UTF-16 units: a text that fills the panes in every window
const UNITS_DELAY_MS = 120; // without input, until graphemes and words are counted

class Editor extends TextComponent {
  constructor(root) {
    super(root);
    this.view = this.$('.tokens');
    this.ids = new IdsView(this.$('.ids'));
    this.tokenized = new TokenizedText(this.view, this.desk, this, [this.ids]);
    this.tokenized.motion = new TokenMotion(this.tokens);
    this.tokenizedTexts = [this.tokenized];
    this.pointer = new EditorPointer(this);
    const { area } = this.textEditor;
    area.addEventListener('focus', () => { if (this.hasSample) area.select(); }); // the first input replaces the sample
    this.scrollSync = new ScrollSync(this);
  }

  get doc() { return this.tokenized.doc; }
  get tokens() { return this.tokenized.tokens; }
  get encoding() { return this.tokenized.encoding; }
  get hasSample() { return this.textEditor.raw === this.sample; }

  applyData({ encoding, chosen, seen = true, onboarding }) {
    this.chosen = chosen;
    this.desk.classList.toggle('count-alone', !seen);
    this.sample = onboarding.text;
    setText(this.$('.times'), onboarding.comparison);
    if (!this.tokenized.setEncoding(encoding)) return [];
    const { name, model, hash } = encoding;
    setText(this.$('.model'), model === name ? name : `${model} · ${name}`);
    this.pointer.unpin();
    setText(this.$('.badge .name'), name);
    this.$('.badge .name').title = tr('{name}, vocabulary sha256 {hash}', { name, hash });
    return this.tokenizedTexts;
  }

  runAction(action) {
    if (action === 'mine') return this.textEditor.area.focus();
    if (action === 'learn' || action === 'languages') return this.component.setTriggerValue('turn', action);
    return action === 'copy-ids' ? copyIds(this) : download(this, action);
  }

  onSwitch(name) {
    this.view.classList.toggle(name, this.isOn(name));
    if (this.isOn(name)) this.$('.more').open = true; // a link may have pressed it
    if (name === 'bytes') this.tokens.repaint(this.doc.chunks);
  }

  query() {
    return new URLSearchParams({ encoding: this.chosen, special: this.encoding.special });
  }

  /** Gives a long text fixed panes before it is laid out. */
  onTextChange() {
    this.desk.classList.toggle('full', this.textEditor.raw.length > MIN_FULL_UNITS);
  }

  onSettled() {
    const counts = countDocument(this.doc);
    showCounts(this.root, counts);
    const notes = [specialTokenNote(this.encoding, counts), pauseNote(this.encoding, this.doc)];
    this.notice.show(this.textEditor.reading, notes);
    this.showRoundTrip(
      counts.bytes,
      this.doc.chunks.every((chunk) => chunk.roundTrip)
        ? []
        : [tr('round trip fails: {reason}', { reason: lossReason(this.doc) })],
    );
    this.pointer.onSettled();
    this.desk.classList.toggle('arriving', this.hasSample); // shows what a token is, and what to do next
    this.scrollSync.onSettled();
    this.ids.onSettled();
    this.$('.empty').hidden = this.doc.text.length > 0;
    clearTimeout(this.unitsTimer);
    if (counts.graphemes !== null) return;
    const isShort = this.doc.countUnmeasuredUnits() < FIRST_BATCH_UNITS;
    this.unitsTimer = setTimeout(() => this.countUnits(), isShort ? 0 : UNITS_DELAY_MS);
  }

  async countUnits() {
    const without = this.doc.chunks.filter((chunk) => !chunk.units);
    for (let from = 0; from < without.length && !this.tokenized.busy;) {
      const batch = [];
      for (let size = 0; from < without.length && size < BATCH_UNITS; size += without[from++].text.length)
        batch.push(without[from]);
      try {
        const [graphemes, words] = decodeRows(await this.tokenized.ask('units', batch));
        batch.forEach((chunk, i) => { chunk.units = { graphemes: graphemes[i], words: words[i] }; });
      } catch (error) {
        return void console.warn(error.message);
      }
    }
    if (!this.tokenized.busy) showCounts(this.root, countDocument(this.doc));
  }

  destroy() {
    super.destroy();
    clearTimeout(this.unitsTimer);
  }
}

export default mount(Editor);
