// The playground's editor: a text, one reader of it, and what is told of its tokens.
import { Actions } from './actions.js';
import { Door } from '../../kit/js/door.js';
import { Focus } from './focus.js';
import { IdsView } from './ids-view.js';
import { bothCounts, Notice, whatIsLost } from '../../kit/js/notice.js';
import { BATCH, FIRST_BATCH, Reader } from '../../kit/js/reader.js';
import { countDocument, grouped, setText, showCounts } from '../../kit/js/readout.js';
import { rows } from '../../kit/js/wire.js';
import { Writing } from '../../kit/js/writing.js';

const UNITS_AFTER = 120; // ms without a key until graphemes and words are counted

export class Editor {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.view = this.$('.tokens');
    this.notice = new Notice(this.$('.notice'));
    this.writing = new Writing(this.$('textarea'), this.notice, {
      moved: () => this.reader.pump(),
      send: (commit) => this.component.setTriggerValue('commit', commit),
    });
    this.ids = new IdsView(this.$('.ids'));
    this.reader = new Reader(this.view, this.$('.desk'), this, [this.ids]);
    this.focus = new Focus(this);
    this.actions = new Actions(this);
  }

  get doc() { return this.reader.doc; }
  get tokens() { return this.reader.tokens; }
  get encoding() { return this.reader.encoding; }

  /** Takes what a rerun of the page says; `component` is Streamlit's, new every time. */
  update(component) {
    const { data } = component;
    this.component = component;
    this.door ??= new Door(data.url);
    this.door.update(component, this.notice);
    const changed = this.reader.use(data.encoding);
    if (changed) this.announce(data.encoding);
    this.writing.receive(data.push);
    if (changed && this.writing.isOpen) this.reader.pump();
  }

  announce({ name, hash, merges }) {
    this.focus.unpin();
    setText(this.$('.badge .name'), name);
    setText(this.$('.badge .table'), `${merges ? 'rank table' : 'vocabulary'} sha256 ${hash.slice(0, 8)}…`);
    this.$('.badge .table').title = hash;
  }

  // ---- what the reader asks and tells ----

  show() {
    return { withBytes: this.actions.isOn('bytes') };
  }

  edited(doc) {
    this.$('.desk').classList.toggle('leftward', doc.chunks.some((chunk) => chunk.leftward));
  }

  moved(hit) {
    if (hit) this.focus.pin(hit); else this.focus.unpin();
  }

  settled() {
    const counts = countDocument(this.doc);
    showCounts(this.root, counts);
    this.notice.show(this.writing.reading, [bothCounts(this.encoding, counts)]);
    this.badge(counts);
    this.$('.empty').hidden = this.doc.text.length > 0;
    clearTimeout(this.unitsTimer);
    if (counts.graphemes === null) this.unitsTimer = setTimeout(() => this.countUnits(), this.doc.unmeasured() < FIRST_BATCH ? 0 : UNITS_AFTER);
  }

  // What is claimed of the numbers: the server decoded the tokens of every chunk and compared the bytes.
  badge({ bytes }) {
    const holds = this.doc.chunks.every((chunk) => chunk.roundTrip);
    const state = !bytes ? 'nothing to check yet' : holds ? `round trip holds for ${grouped(bytes)} byte${bytes === 1 ? '' : 's'}`
      : `round trip does not hold: ${whatIsLost(this.doc)}`;
    setText(this.$('.badge .state'), state);
    setText(this.$('.badge .way'), this.door.wayInWords);
  }

  async countUnits() {
    const without = this.doc.chunks.filter((chunk) => !chunk.units);
    for (let from = 0; from < without.length && !this.reader.busy;) {
      const batch = [];
      for (let size = 0; from < without.length && size < BATCH; size += without[from++].text.length) batch.push(without[from]);
      try {
        const [graphemes, words] = rows(await this.reader.ask('units', batch));
        batch.forEach((chunk, i) => { chunk.units = { graphemes: graphemes[i], words: words[i] }; });
      } catch (error) {
        return void console.warn(error.message);
      }
    }
    if (!this.reader.busy) showCounts(this.root, countDocument(this.doc));
  }

  leave() {
    this.writing.leave();
    this.reader.leave();
    clearTimeout(this.unitsTimer);
    this.door?.close();
  }
}
