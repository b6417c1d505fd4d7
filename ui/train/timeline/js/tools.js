// The buttons and fields around the timeline.
import { copyOut, flash } from '../../../kit/js/clipboard.js';
import { Player } from '../../../kit/js/player.js';
import { setText } from '../../../kit/js/readout.js';

const TYPED_AFTER = 150; // ms without a key until the reader's own text is cut

/** The step that the address brings, or null. */
export function stepInLink() {
  const step = new URLSearchParams(location.hash.slice(1)).get('step');
  return /^\d{1,7}$/.test(step ?? '') ? Number(step) : null;
}

export class Tools {
  constructor(timeline) {
    this.timeline = timeline;
    this.$ = timeline.$;
    const { desk } = timeline;
    desk.addEventListener('click', (event) => this.press(event.target.closest?.('[data-do]')));
    this.$('.jump').addEventListener('change', (event) => this.jump(event.target));
    this.$('textarea').addEventListener('input', () => this.typed());
    if (timeline.own !== null) this.showOwn(timeline.own);
    document.addEventListener('fullscreenchange', () => this.showFull(), { signal: timeline.window.signal });
  }

  press(button) {
    if (!button) return;
    const action = button.dataset.do, { timeline } = this;
    if (action in Player.moves) this.move(Player.moves[action]);
    else if (action === 'play') this.play();
    else if (action === 'predict') timeline.predict(timeline.frontier === null);
    else if (action === 'own') this.openOwn();
    else if (action === 'reset') this.reset();
    else if (action === 'link') this.copyLink();
    else if (action === 'full') this.toggleFull();
    else if (action === 'why') timeline.askWhy();
    else if (action === 'unpin') timeline.hover.clear();
  }

  move(by) {
    const { timeline } = this;
    if (!timeline.story) return;
    timeline.player.toggle(false);
    if (by > 0 && timeline.step === timeline.frontier) timeline.goOn();
    else timeline.go(Math.max(0, Math.min(timeline.limit, timeline.step + by)));
  }

  play() {
    const { timeline } = this;
    if (!timeline.story || timeline.frontier !== null) return;
    if (timeline.step >= timeline.limit) timeline.go(0); // from the end it plays again
    timeline.player.toggle();
  }

  jump(field) {
    const step = parseInt(field.value, 10);
    this.timeline.player.toggle(false);
    if (Number.isNaN(step)) this.showStep(); else this.timeline.go(step);
    this.showStep();
  }

  // ---- the reader's own text ----

  openOwn() {
    const box = this.$('.own'), button = this.$('[data-do="own"]');
    box.hidden = !box.hidden;
    button.setAttribute('aria-expanded', String(!box.hidden));
    if (!box.hidden) this.$('textarea').focus();
  }

  /** The text that the reader left here, in its field. */
  showOwn(text) {
    this.$('textarea').value = text;
    this.$('.own').hidden = false;
    this.$('[data-do="own"]').setAttribute('aria-expanded', 'true');
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timeline.own = this.$('textarea').value;
      this.timeline.cut(this.timeline.own);
    }, TYPED_AFTER);
  }

  reset() {
    clearTimeout(this.timer);
    this.$('textarea').value = '';
    this.timeline.own = null;
    this.timeline.cut(this.timeline.data.text);
    this.openOwn();
    this.$('[data-do="own"]').focus();
  }

  // ---- what is shown on them ----

  showStep() {
    const { step, limit, story } = this.timeline, field = this.$('.jump');
    field.max = limit;
    if (this.timeline.root.getRootNode().activeElement !== field || Number(field.value) !== step) field.value = step;
    this.timeline.player.showSteps(step === 0, step >= limit, limit === 0 || this.timeline.frontier !== null);
    setText(this.$('.of'), `of ${story.numMerges.toLocaleString('en-US')}`);
  }

  showPredict(isOn) {
    this.$('[data-do="predict"]').setAttribute('aria-pressed', String(isOn));
    this.timeline.desk.classList.toggle('predicting', isOn);
    document.documentElement.toggleAttribute('data-predicting', isOn && this.timeline.limit < this.timeline.story.numMerges); // the page hides what tells the answers
  }

  // ---- link, full screen ----

  async copyLink() {
    const address = `${location.origin}${location.pathname}${location.search}#step=${this.timeline.step}`;
    await copyOut(address, this.timeline.desk, this.$('.done'), 'Link copied.');
  }

  async toggleFull() {
    try {
      if (document.fullscreenElement) await document.exitFullscreen();
      else await this.timeline.desk.requestFullscreen();
    } catch {
      flash(this.$('.done'), 'This browser does not allow full screen here.');
    }
  }

  showFull() {
    const isFull = this.timeline.root.getRootNode().fullscreenElement === this.timeline.desk;
    setText(this.$('[data-do="full"]'), isFull ? 'Leave full screen' : 'Full screen');
    this.timeline.desk.classList.toggle('full', isFull);
  }

  close() {
    document.documentElement.removeAttribute('data-predicting');
    clearTimeout(this.timer);
  }
}
