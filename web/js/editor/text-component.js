// The base class of the editor and the comparisons: a text and its tokens in one or more encodings.
import { updateTab, tabState, provideLinkContent } from './tab-state.js';
import { describeError, EditorClient } from '../net/rpc-client.js';
import { Component } from '../dom/component.js';
import { Notice } from './notice.js';
import { setText } from '../tokens/readout.js';
import { tr, trn } from '../dom/i18n.js';
import { TextEditor } from './text-editor.js';
import { correctedCount } from '../page_encoder/page-encoder.js';

/** Returns a sentence on who encoded the texts, "" if only the server did. */
function verificationNote(tokenizedTexts) {
  if (!tokenizedTexts.some((one) => one.pageEncoder)) return '';
  if (!tokenizedTexts.every((one) => one.doc.isVerified && !one.isStale))
    return tr('Encoded in this page; the server is verifying the tokens.');
  const corrected = correctedCount();
  if (!corrected) return tr('Encoded in this page and verified by the server.');
  return trn(
    'Encoded in this page and verified by the server, which has corrected the tokens in {n} part of the text.',
    'Encoded in this page and verified by the server, which has corrected the tokens in {n} parts of the text.',
    corrected,
  );
}

/** Subclasses have `tokenizedTexts`, `pointer`, `applyData(data)`, which returns the texts to tokenize again, and
 *  `runAction(action)` for their own buttons; `onSwitch(name)` if they have switches, and `query()` if the page's own
 *  address lacks some choices. */
export class TextComponent extends Component {
  constructor(root) {
    super(root);
    this.notice = new Notice(this.$('.notice'));
    const requestTokens = () => {
      this.onTextChange?.();
      this.tokenizedTexts.forEach((tokenized) => tokenized.requestMissing());
    };
    this.textEditor = new TextEditor(this.$('textarea'), this.notice, requestTokens);
    this.initialSwitches = this.pressedSwitches().join();
    const content = () => ({ query: this.query?.(), text: this.textEditor.reading.text, ...this.linkExtras() });
    provideLinkContent(content, this.windowListeners.signal);
  }

  /** Applies the data of a rerun; `component` is Streamlit's, a new object each time. A page without a server passes a
   *  `client` instead of the triggers. */
  update(component) {
    const { data } = component;
    this.component = component;
    this.client ??= component.client ?? new EditorClient(data.url);
    this.client.update(component, this.notice);
    const changed = this.applyData(data);
    this.textEditor.receive(data.push);
    this.applySwitches(data.show);
    if (!this.textEditor.isOpen) return;
    for (const one of this.tokenizedTexts) if (one.failure || changed.includes(one)) one.requestMissing();
  }

  async onPress(button) {
    const action = button.dataset.do;
    try {
      if (action === 'unpin') this.pointer.unpin();
      else if (button.hasAttribute('aria-pressed')) {
        button.setAttribute('aria-pressed', String(!this.isOn(action)));
        this.onSwitch(action);
      } else await this.runAction(action);
    } catch (error) {
      this.notice.showProblem(describeError(error));
    }
  }

  /** Returns what a link contains besides the choices and the text. */
  linkExtras() {
    const show = this.pressedSwitches();
    return show.join() === this.initialSwitches ? {} : { show };
  }

  pressedSwitches() {
    return Array.from(this.root.querySelectorAll('[data-do][aria-pressed="true"]'), ({ dataset }) => dataset.do);
  }

  // Sets the switches from a link or a file, once.
  applySwitches(wanted) {
    if (!wanted || tabState().shown === wanted.id) return;
    updateTab({ shown: wanted.id });
    for (const button of this.root.querySelectorAll('[data-do][aria-pressed]')) {
      if (wanted.on.includes(button.dataset.do) !== this.isOn(button.dataset.do)) this.onPress(button);
    }
  }

  isOn(name) {
    return this.$(`[data-do="${name}"]`)?.getAttribute('aria-pressed') === 'true';
  }

  paintOptions() {
    return { withBytes: this.isOn('bytes') };
  }

  /** Whether there is a page that explains why an encoding cuts at a byte of the text. */
  get canAskWhy() {
    return Boolean(this.component.setTriggerValue);
  }

  /** Opens that page. */
  askWhy(key, at) {
    // while the text is too long, the tokens are of an older text
    if (!this.textEditor.reading.tooLong) this.component.setTriggerValue('why', this.textEditor.whyRequest(key, at));
  }

  /** Shows whether the round trip holds: the server decoded the tokens of every chunk and compared the bytes. `lost`
   *  has sentences on the differences. */
  showRoundTrip(bytes, lost, holds = (n) => trn('round trip returns {n} byte', 'round trip returns all {n} bytes', n)) {
    setText(this.$('.badge .state'), bytes ? lost.join('; ') || holds(bytes) : '');
    this.onVerified();
  }

  /** Shows in the badge, if there is one, who encoded the tokens. */
  onVerified() {
    const place = this.$('.badge .way');
    if (place) setText(place, this.client.connectionNote || verificationNote(this.tokenizedTexts));
  }

  destroy() {
    this.textEditor.destroy();
    for (const tokenized of this.tokenizedTexts) tokenized.destroy();
    this.client?.close();
  }
}
