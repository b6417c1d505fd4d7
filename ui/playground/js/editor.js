// The Playground's editor: a text, its tokens, and facts about them.
import { Onboarding } from './onboarding.js';
import { EditorPointer } from './editor-pointer.js';
import { IdsView } from './ids-view.js';
import { ScrollSync } from './scroll-sync.js';
import { prefersReducedMotion } from '../../components/js/dom/elements.js';
import { mount } from '../../components/js/dom/component.js';
import { bothCounts, waits, whatIsLost } from '../../components/js/editor/notice.js';
import { BATCH, FIRST_BATCH, TokenizedText } from '../../components/js/tokens/tokenized-text.js';
import { countDocument, setText, showCounts } from '../../components/js/tokens/readout.js';
import { TextComponent } from '../../components/js/editor/text-component.js';
import { decodeRows } from '../../components/js/net/wire-format.js';
import { tr } from '../../components/js/dom/i18n.js';
import { copyIds, download } from './downloads.js';

const MAX_FADED_TOKENS = 2000; // a transition of more tokens cannot be followed
const UNITS_DELAY_MS = 120; // without input, until graphemes and words are counted

export class Editor extends TextComponent {
  constructor(root) {
    super(root);
    this.view = this.$('.tokens');
    this.ids = new IdsView(this.$('.ids'));
    this.reader = new TokenizedText(this.view, this.desk, this, [this.ids]);
    this.readers = [this.reader];
    this.pointing = new EditorPointer(this);
    this.onboarding = new Onboarding(this);
    this.panes = new ScrollSync(this);
  }

  get doc() { return this.reader.doc; }
  get tokens() { return this.reader.tokens; }
  get encoding() { return this.reader.encoding; }

  take({ encoding, chosen, seen = true, onboarding }) {
    this.chosen = chosen;
    this.desk.classList.toggle('count-alone', !seen);
    this.onboarding.use(onboarding);
    if (!this.reader.use(encoding)) return [];
    this.fuse();
    const { name, model, hash, merges } = encoding;
    setText(this.$('.model'), model === name ? name : `${model} · ${name}`);
    this.pointing.unpin();
    setText(this.$('.badge .name'), name);
    const facts = { hash: hash.slice(0, 8) };
    const table = merges ? tr('rank table sha256 {hash}…', facts) : tr('vocabulary sha256 {hash}…', facts);
    setText(this.$('.badge .table'), table);
    this.$('.badge .table').title = hash;
    return this.readers;
  }

  // Fades the old encoding's tokens over the new ones, so that merged tokens are visible.
  fuse() {
    if (!this.doc.numTokens || this.doc.numTokens > MAX_FADED_TOKENS || prefersReducedMotion()) return;
    this.fading?.remove();
    this.fading = Object.assign(this.view.cloneNode(true), { className: 'fading', inert: true });
    this.fading.scrollTop = this.view.scrollTop;
    this.view.parentElement.append(this.fading);
  }

  fused() {
    const { fading } = this;
    this.fading = null;
    if (!fading) return;
    const remove = () => fading.remove();
    fading.animate({ opacity: [1, 0] }, { duration: 200, easing: 'ease-out' }).finished.then(remove, remove);
  }

  // ---- buttons ----

  press(action) {
    if (action === 'mine') return this.writing.area.focus();
    if (action === 'train' || action === 'languages') return this.component.setTriggerValue('turn', action);
    return action === 'copy-ids' ? copyIds(this) : download(this, action);
  }

  switched(name) {
    this.view.classList.toggle(name, this.isOn(name));
    if (name === 'bytes') this.tokens.repaint(this.doc.chunks);
  }

  /** Returns the choices for the address. */
  query() {
    return new URLSearchParams({ encoding: this.chosen, special: this.encoding.special });
  }

  // ---- events of the reader ----

  settled() {
    const counts = countDocument(this.doc);
    showCounts(this.root, counts);
    this.notice.show(this.writing.reading, [bothCounts(this.encoding, counts), waits(this.encoding, this.doc)]);
    this.badge(
      counts.bytes,
      this.doc.chunks.every((chunk) => chunk.roundTrip)
        ? []
        : [tr('round trip does not hold: {reason}', { reason: whatIsLost(this.doc) })],
    );
    this.pointing.settled();
    this.fused();
    this.onboarding.settled();
    this.panes.settled();
    this.$('.empty').hidden = this.doc.text.length > 0;
    clearTimeout(this.unitsTimer);
    if (counts.graphemes !== null) return;
    const isShort = this.doc.countUnmeasuredUnits() < FIRST_BATCH;
    this.unitsTimer = setTimeout(() => this.countUnits(), isShort ? 0 : UNITS_DELAY_MS);
  }

  async countUnits() {
    const without = this.doc.chunks.filter((chunk) => !chunk.units);
    for (let from = 0; from < without.length && !this.reader.busy;) {
      const batch = [];
      for (let size = 0; from < without.length && size < BATCH; size += without[from++].text.length)
        batch.push(without[from]);
      try {
        const [graphemes, words] = decodeRows(await this.reader.ask('units', batch));
        batch.forEach((chunk, i) => { chunk.units = { graphemes: graphemes[i], words: words[i] }; });
      } catch (error) {
        return void console.warn(error.message);
      }
    }
    if (!this.reader.busy) showCounts(this.root, countDocument(this.doc));
  }

  leave() {
    super.leave();
    clearTimeout(this.unitsTimer);
  }
}

export default mount(Editor);
