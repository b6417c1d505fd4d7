// The buttons and fields around the timeline.
import { provideLinkContent, tabState } from '../../js/editor/tab-state.js';
import { initialUrl, readFragment } from '../../js/net/text-link.js';
import { setText } from '../../js/tokens/readout.js';
import { tr } from '../../js/dom/i18n.js';

const TYPING_PAUSE_MS = 150; // until the own text is cut

/** Whether the page was opened with a link to a training. */
export const isForTraining = () => initialUrl().searchParams.has('trained');

/** Returns the step in the address, or in the one the page was opened with, which Streamlit drops; or null.
 *  A link that names a training means that one: the example, shown while it is trained again, has no step. */
export function stepInLink(isExample = false) {
  if (isExample && isForTraining()) return null;
  const arrived = readFragment('step'), fragment = location.hash.includes('step=') ? location.hash : arrived;
  const step = new URLSearchParams(fragment.slice(1)).get('step');
  return /^\d{1,7}$/.test(step ?? '') ? Number(step) : null;
}

export class Tools {
  constructor(timeline) {
    this.timeline = timeline;
    this.$ = timeline.$;
    this.$('.jump').addEventListener('change', (event) => this.jump(event.target));
    this.$('.jump').addEventListener('blur', () => timeline.history && this.showStep());
    this.$('textarea').addEventListener('input', () => this.onInput());
    this.$('textarea').value = tabState().own ?? ''; // restores the text of an earlier visit
    this.openOwn(timeline.ownText !== null);
    provideLinkContent(() => ({ fragment: `step=${timeline.step}` }), timeline.windowListeners.signal);
  }

  runAction(action) {
    if (action === 'own') { this.openOwn(); this.showOwnAgain(); this.$('textarea').focus(); }
    else this.reset();
  }

  jump(field) {
    this.timeline.player.toggle(false);
    this.timeline.go(parseInt(field.value, 10));
    field.value = this.timeline.step;
  }

  openOwn(isOpen = this.$('.own').hidden) {
    this.$('.own').hidden = !isOpen;
    this.$('[data-do="own"]').setAttribute('aria-expanded', String(isOpen));
  }

  onInput() {
    clearTimeout(this.timer);
    this.timeline.setOwnText(this.$('textarea').value);
    this.timer = setTimeout(() => this.timeline.recutText(this.timeline.ownText), TYPING_PAUSE_MS);
  }

  /** Shows the own text again that was there before a reset, once its box is open. */
  showOwnAgain() {
    const { timeline } = this, { value } = this.$('textarea');
    if (this.$('.own').hidden || timeline.ownText !== null || !value) return;
    timeline.setOwnText(value);
    timeline.recutText(value);
  }

  /** Shows the training's text; the box keeps the own text. */
  reset() {
    clearTimeout(this.timer);
    this.timeline.setOwnText(null);
    this.timeline.recutText(this.timeline.data.text);
    this.openOwn(false);
    this.$('[data-do="own"]').focus();
  }

  showStep() {
    const { step, limit, history } = this.timeline, field = this.$('.jump');
    field.max = limit;
    if (this.timeline.root.getRootNode().activeElement !== field) field.value = step; // else the visitor types there
    setText(this.$('.of'), tr('of {all}', { all: history.numMerges }));
  }

  showPredict(isOn) {
    this.$('[data-do="predict"]').setAttribute('aria-pressed', String(isOn));
    // hides the page's parts that reveal the answers
    document.documentElement.toggleAttribute(
      'data-predicting', isOn && this.timeline.limit < this.timeline.history.numMerges,
    );
  }

  close() {
    document.documentElement.removeAttribute('data-predicting');
    clearTimeout(this.timer);
  }
}
