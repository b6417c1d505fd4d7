// A text and what readers show of it: what the editor and the comparisons share.
import { keep, kept, share } from './tab-state.js';
import { EditorClient, Refused } from '../net/rpc-client.js';
import { Part } from '../dom/component.js';
import { Notice } from './notice.js';
import { setText } from '../tokens/readout.js';
import { tr, trn } from '../dom/i18n.js';
import { TextEditor } from './text-editor.js';

/** Who extends this has `readers`, takes data in `take(data)`, which returns the readers that must read anew, and
 *  does what its own buttons say in `press(action)`; with switches it has `switched(name)`; and `query()`, its
 *  choices as an address spells them, and `pointing`. */
export class TextComponent extends Part {
  constructor(root) {
    super(root);
    this.notice = new Notice(this.$('.notice'));
    this.writing = new TextEditor(this.$('textarea'), this.notice, {
      moved: () => this.readers.forEach((reader) => reader.pump()),
      send: (commit) => this.component.setTriggerValue('commit', commit),
    });
    this.atFirst = this.pressedNow().join();
    share(() => ({ query: this.query(), text: this.writing.reading.text, ...this.more() }), this.window.signal);
  }

  /** Takes what a rerun of the page says; `component` is Streamlit's, new every time. */
  update(component) {
    const { data } = component;
    this.component = component;
    this.door ??= new EditorClient(data.url);
    this.door.update(component, this.notice);
    const changed = this.take(data);
    this.writing.receive(data.push);
    this.turn(data.show);
    if (this.writing.isOpen) for (const reader of changed) reader.pump();
  }

  async pressed(button) {
    const action = button.dataset.do;
    try {
      if (action === 'unpin') this.pointing.unpin();
      else if (button.hasAttribute('aria-pressed')) {
        button.setAttribute('aria-pressed', String(!this.isOn(action)));
        this.switched(action);
      } else await this.press(action);
    } catch (error) {
      this.notice.say(
        error instanceof Refused ? error.message : tr('This did not work: {reason}', { reason: error.message }),
      );
    }
  }

  /** Its choices as an address spells them, where the page's address lacks some. */
  query() {
    return undefined;
  }

  /** What a link holds of it beside its choices and its text. */
  more() {
    const show = this.pressedNow();
    return show.join() === this.atFirst ? {} : { show };
  }

  pressedNow() {
    return Array.from(this.root.querySelectorAll('[data-do][aria-pressed="true"]'), ({ dataset }) => dataset.do);
  }

  // Turns switches as a link or a file has them, once.
  turn(wanted) {
    if (!wanted || kept().shown === wanted.id) return;
    keep({ shown: wanted.id });
    for (const button of this.root.querySelectorAll('[data-do][aria-pressed]')) {
      if (wanted.on.includes(button.dataset.do) !== this.isOn(button.dataset.do)) this.pressed(button);
    }
  }

  isOn(name) {
    return this.$(`[data-do="${name}"]`)?.getAttribute('aria-pressed') === 'true';
  }

  /** How tokens are shown. */
  show() {
    return { withBytes: this.isOn('bytes') };
  }

  /** Turns to the question why an encoding cuts at a byte of the text. */
  askWhy(key, at) {
    // else the tokens are of an older text
    if (!this.writing.reading.tooLong) this.component.setTriggerValue('why', this.writing.asWhy(key, at));
  }

  /** Says what is claimed of the numbers: the server decoded the tokens of every chunk and compared the bytes.
   *  `lost` has sentences on what is not as it was. */
  badge(bytes, lost, holds = (n) => trn('round trip holds for {n} byte', 'round trip holds for {n} bytes', n)) {
    setText(this.$('.badge .state'), !bytes ? tr('nothing to check yet') : lost.join('; ') || holds(bytes));
    setText(this.$('.badge .way'), this.door.wayInWords);
  }

  leave() {
    this.writing.leave();
    for (const reader of this.readers) reader.leave();
    this.door?.close();
  }
}
