// The Playground's editor: a text, its tokens, and facts about them.
import { EditorPointer } from '../../../web/js/editor/editor-pointer.js';
import { IdsView } from '../../../web/js/tokens/ids-view.js';
import { ScrollSync } from '../../../web/js/editor/scroll-sync.js';
import { mount } from '../../../web/js/dom/component.js';
import { specialTokenNote, pauseNote, lossReason } from '../../../web/js/editor/notice.js';
import { FIRST_BATCH_UNITS, TokenizedText } from '../../../web/js/tokens/tokenized-text.js';
import { TokenMotion } from '../../../web/js/tokens/token-motion.js';
import { countDocument, setText, showCounts } from '../../../web/js/tokens/readout.js';
import { tabState } from '../../../web/js/editor/tab-state.js';
import { TextComponent } from '../../../web/js/editor/text-component.js';
import { Intro } from './intro.js';
import { rollNumber } from './roll-number.js';
import { YearsSlider } from './years.js';
import { tr } from '../../../web/js/dom/i18n.js';
import { READ_DELAY_MS, VocabularySlider } from '../../../web/js/vocabulary_slider/vocabulary-slider.js';
import { copyIds, download } from './downloads.js';

const MIN_FULL_UNITS = 5000; // UTF-16 units: a text that fills the panes in every window
const UNITS_DELAY_MS = 250; // without input, until the server counts graphemes and words

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
    this.sentMerges = new Set([null]);
    this.$('.vocabulary').addEventListener('toggle', () => this.drawVocabulary());
    this.isFirstVisit = tabState().text === null && !location.search && !location.hash;
    this.intro = new Intro(this.$('.frame'), this.$('.type-hint'));
    this.years = new YearsSlider((stop) => this.move(stop), this.windowListeners.signal);
  }

  get doc() { return this.tokenized.doc; }
  get tokens() { return this.tokenized.tokens; }
  get encoding() { return this.tokenized.encoding; }
  get hasSample() { return this.textEditor.raw === this.sample; }

  applyData({ encoding, given, chosen, seen = true, onboarding, merges, years, cost, intro }) {
    this.tokenized.given = given;
    this.introData = intro;
    this.desk.classList.toggle('count-alone', !seen);
    this.sample = onboarding.text;
    this.costWords = cost?.words ?? '';
    this.showCost();
    if (!this.sentMerges.has(merges)) this.openVocabulary(merges);
    const sent = { encoding, chosen, comparison: onboarding.comparison };
    return this.show(this.years.settle(years, sent, () => this.move(sent)));
  }

  // Shows an encoding, the server's or one of the slider; returns the texts to tokenize again.
  show({ encoding, comparison, chosen = encoding.key }) {
    this.chosen = chosen;
    setText(this.$('.times'), comparison);
    if (!this.tokenized.setEncoding(encoding)) return [];
    const { name, model, hash } = encoding;
    setText(this.$('.model'), model === name ? name : `${model} · ${name}`);
    this.pointer.unpin();
    setText(this.$('.badge .name'), name);
    this.$('.badge .name').title = tr('{name}, vocabulary sha256 {hash}', { name, hash });
    return this.tokenizedTexts;
  }

  // Plays the example once, after the first tokens of a visit that begins with the sample.
  playIntro() {
    if (this.isFirstVisit && this.hasSample && this.introData && !this.desk.matches('.staged'))
      this.intro.play(this.introData);
    this.isFirstVisit = false;
  }

  move(stop) {
    for (const tokenized of this.show(stop)) tokenized.requestMissing();
  }

  // Shows the sentence as a link; as plain text to new visitors and on the stage.
  showCost() {
    const [text, link] = this.$('.cost').children, words = this.costWords ?? '';
    link.hidden = this.desk.matches('.arriving, .staged');
    setText(text, link.hidden ? words : '');
    setText(link, link.hidden ? '' : words);
  }

  updateStageMode() {
    super.updateStageMode();
    this.showCost();
  }

  runAction(action) {
    if (action === 'mine') return this.textEditor.area.focus();
    if (['learn', 'languages', 'cost'].includes(action)) return this.component.setTriggerValue('turn', action);
    return action === 'copy-ids' ? copyIds(this) : download(this, action);
  }

  onSwitch(name) {
    this.view.classList.toggle(name, this.isOn(name));
    if (this.isOn(name)) this.$('.more').open = true; // a link may have pressed it
    if (name === 'bytes') this.tokens.repaint(this.doc.chunks);
  }

  query() {
    const merges = this.slider?.wanted ?? null;
    return new URLSearchParams({
      encoding: this.chosen, special: this.encoding.special, ...(merges === null ? {} : { merges }),
    });
  }

  openVocabulary(merges) {
    this.sentMerges.add(merges);
    this.$('.vocabulary').open = true;
    this.vocabularySlider.moveTo(merges);
  }

  get vocabularySlider() {
    return (this.slider ??= new VocabularySlider(this.$('.vocabulary'), (merges) => {
      this.sentMerges.add(merges);
      this.component.setTriggerValue('merges', merges ?? 'all');
    }));
  }

  drawVocabularySoon() {
    clearTimeout(this.vocabularyTimer);
    this.vocabularyTimer = setTimeout(() => this.drawVocabulary(), READ_DELAY_MS);
  }

  // Shows the text at the slider's size of the vocabulary, while the panel is open.
  drawVocabulary() {
    const { doc, encoding } = this, { pageEncoder } = this.tokenized;
    if (!this.$('.vocabulary').open) this.slider?.stop();
    else if (pageEncoder) this.vocabularySlider.show(doc.text, pageEncoder, encoding.name);
    else this.vocabularySlider.showReason(
      !encoding.pageEncoder
        ? tr(
            '{name} cannot be shown with fewer merges: this view encodes in the browser, but only the server can ' +
              'encode with {name}.',
            { name: encoding.name },
          )
        : pageEncoder === false
          ? tr('The vocabulary could not be loaded, or this device is set to save data or has little memory.')
          : tr('The vocabulary is loading.'),
    );
  }

  onVerified() {
    super.onVerified();
    this.drawVocabularySoon();
  }

  /** Gives a long text fixed panes before it is laid out. */
  onTextChange() {
    this.desk.classList.toggle('full', this.textEditor.raw.length > MIN_FULL_UNITS);
  }

  onSettled() {
    const counts = countDocument(this.doc), total = this.$('[data-count=tokens]'), before = total.textContent;
    showCounts(this.root, counts);
    if (this.tokenized.motion.isPlaying) rollNumber(total, before);
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
    this.showCost();
    this.playIntro();
    this.scrollSync.onSettled();
    this.ids.onSettled();
    this.drawVocabularySoon();
    this.$('.empty').hidden = this.doc.text.length > 0;
    this.$('[data-do=copy-ids]').hidden = !this.doc.text.length;
    if (counts.graphemes !== null) return;
    // at once with tokens of the server, for a short text; not on every key that the page encodes
    const isAtOnce = this.doc.isVerified && this.doc.countUnmeasuredUnits() < FIRST_BATCH_UNITS;
    this.tokenized.countUnitsLater(isAtOnce ? 0 : UNITS_DELAY_MS);
  }

  onUnits() {
    showCounts(this.root, countDocument(this.doc));
  }

  destroy() {
    super.destroy();
    this.slider?.close();
    clearTimeout(this.vocabularyTimer);
    this.years.close();
    this.intro.end();
  }
}

export default mount(Editor);
