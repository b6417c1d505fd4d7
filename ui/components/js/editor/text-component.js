// The base class of the editor and the comparisons: a text and its readers, which show its tokens.
import { updateTab, tabState, provideLinkContent } from './tab-state.js';
import { describeError, EditorClient } from '../net/rpc-client.js';
import { Component } from '../dom/component.js';
import { Notice } from './notice.js';
import { setText } from '../tokens/readout.js';
import { tr, trn } from '../dom/i18n.js';
import { TextEditor } from './text-editor.js';

/** Subclasses have `readers`, `pointing`, `take(data)`, which returns the readers that must tokenize again, and
 *  `press(action)` for their own buttons; `switched(name)` if they have switches, and `query()`. */
export class TextComponent extends Component {
  constructor(root) {
    super(root);
    this.notice = new Notice(this.$('.notice'));
    const requestTokens = () => this.readers.forEach((reader) => reader.pump());
    this.writing = new TextEditor(this.$('textarea'), this.notice, requestTokens);
    this.atFirst = this.pressedNow().join();
    provideLinkContent(
      () => ({ query: this.query(), text: this.writing.reading.text, ...this.more() }), this.windowListeners.signal,
    );
  }

  /** Takes the data of a rerun; `component` is Streamlit's, a new object each time. */
  update(component) {
    const { data } = component;
    this.component = component;
    this.client ??= new EditorClient(data.url);
    this.client.update(component, this.notice);
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
      this.notice.say(describeError(error));
    }
  }

  /** Returns the choices for an address, if the page's own address lacks some. */
  query() {
    return undefined;
  }

  /** Returns what a link contains besides the choices and the text. */
  more() {
    const show = this.pressedNow();
    return show.join() === this.atFirst ? {} : { show };
  }

  pressedNow() {
    return Array.from(this.root.querySelectorAll('[data-do][aria-pressed="true"]'), ({ dataset }) => dataset.do);
  }

  // Sets the switches as a link or a file has them, once.
  turn(wanted) {
    if (!wanted || tabState().shown === wanted.id) return;
    updateTab({ shown: wanted.id });
    for (const button of this.root.querySelectorAll('[data-do][aria-pressed]')) {
      if (wanted.on.includes(button.dataset.do) !== this.isOn(button.dataset.do)) this.pressed(button);
    }
  }

  isOn(name) {
    return this.$(`[data-do="${name}"]`)?.getAttribute('aria-pressed') === 'true';
  }

  /** Returns how tokens are painted. */
  show() {
    return { withBytes: this.isOn('bytes') };
  }

  /** Opens the page that explains why an encoding cuts at a byte of the text. */
  askWhy(key, at) {
    // while the text is too long, the tokens are of an older text
    if (!this.writing.reading.tooLong) this.component.setTriggerValue('why', this.writing.whyRequest(key, at));
  }

  /** Shows whether the round trip holds: the server decoded the tokens of every chunk and compared the bytes. `lost`
   *  has sentences on the differences. */
  badge(bytes, lost, holds = (n) => trn('round trip holds for {n} byte', 'round trip holds for {n} bytes', n)) {
    setText(this.$('.badge .state'), !bytes ? tr('nothing to check yet') : lost.join('; ') || holds(bytes));
    setText(this.$('.badge .way'), this.client.connectionNote);
  }

  leave() {
    this.writing.leave();
    for (const reader of this.readers) reader.leave();
    this.client?.close();
  }
}
