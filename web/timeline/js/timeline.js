// The merge timeline: a step, and everything that depends on it.
import { updateTab, tabState } from '../../js/editor/tab-state.js';
import { prefersReducedMotion } from '../../js/dom/elements.js';
import { EditorClient } from '../../js/net/rpc-client.js';
import { RIGHT_TO_LEFT } from '../../js/tokens/paint.js';
import { setText } from '../../js/tokens/readout.js';
import { pairInWords } from '../../js/tokens/token-chip.js';
import { tr, trn } from '../../js/dom/i18n.js';
import { LanePointer } from './lane-pointer.js';
import { actionOf } from '../../js/dom/key-bindings.js';
import { Lane } from '../../js/recut/lane.js';
import { mount, Component } from '../../js/dom/component.js';
import { Player } from '../../js/loupe/player.js';
import { storeScore, Quiz, scoreOf } from './quiz.js';
import { Screen } from './screen.js';
import { Scrubber } from './scrubber.js';
import { askRecut, requestHistory } from './training-history.js';
import { isForTraining, stepInLink, Tools } from './tools.js';

export class Timeline extends Component {
  constructor(root) {
    super(root);
    this.epoch = 0;       // grows with each requested training or text: answers for an older one are dropped
    this.step = 0;
    this.frontier = null; // the furthest step while predicting
    this.ownText = tabState().isOwnHidden ? null : tabState().own ?? null; // null: the training's text is shown
    this.lane = new Lane(this.$('.tokens'));
    this.pointer = new LanePointer(this);
    this.scrubber = new Scrubber(this.$('.way'), (step) => { this.player.toggle(false); this.go(step); });
    this.player = new Player(this.$, this);
    this.tools = new Tools(this);
    this.screen = new Screen(this);
    this.stopOnFocusOrPointer();
    addEventListener('hashchange', () => this.go(stepInLink() ?? this.step), { signal: this.windowListeners.signal });
  }

  /** Applies the data of a rerun; unchanged data has no effect. Returns a promise for a training that it loads. */
  update(component) {
    const { answer, ...data } = component.data, before = this.data;
    this.component = component;
    this.client ??= component.client ?? new EditorClient(data.url);
    this.client.update(component, {
      setSilent: (isSilent) => {
        if (isSilent) this.showNotice(tr('The server is not answering. The page tries'
          + ' again until the server answers.'), true);
        else if (this.isSilent) this.showNotice('');
        this.isSilent = isSilent;
      },
    });
    if (JSON.stringify(before) === JSON.stringify(data)) return null;
    this.data = data;
    this.$('[data-do="own"]').hidden = this.isAlone;
    if (before?.key !== data.key || JSON.stringify(before.parent) !== JSON.stringify(data.parent))
      return this.load(before);
    if (before.text !== data.text && this.ownText === null) this.recutText(data.text);
    else if (data.isNew && !before.isNew) this.playNew(); // the visitor has trained what the page showed as an example
    else if (before.ended !== data.ended) this.showNotice(''); // the fork was cancelled
    return null;
  }

  /** Whether the timeline is in a saved page, without a server that can train or navigate. */
  get isAlone() {
    return !this.component.setTriggerValue;
  }

  load(before) {
    const { key, name, parent, text } = this.data;
    this.before = before;
    // a fork's parent usually is the previous history
    const ask = (wanted) => (wanted === this.historyKey ? this.history : requestHistory(this.client, wanted));
    this.player.toggle(false);
    this.showNotice(tr('Reading the merges of {name} …', { name }));
    // the fork can be shown without its parent
    const other = parent && Promise.resolve(ask(parent.key)).catch(() => null);
    const answered = Promise.all([ask(key), askRecut(this.client, key, this.ownText ?? text), other]);
    return this.whenAnswered(answered, (answers) => this.open(...answers, before));
  }

  /** Sets the visitor's own text, and stores it in the tab at once: a reload calls no `destroy`. Null shows the
   *  training's text; the tab keeps the own one. */
  setOwnText(text) {
    this.ownText = text;
    updateTab(text === null ? { isOwnHidden: true } : { own: text, isOwnHidden: false });
  }

  /** Cuts another text; the old one stays until the answer arrives. A pending history is kept. */
  recutText(text) {
    if (this.historyKey !== this.data.key) return this.load(this.before);
    this.whenAnswered(askRecut(this.client, this.data.key, text), (recut) => {
      if (!this.history) return;
      this.showNotice('');
      this.showText(recut);
    });
  }

  // Handles an answer unless another history or text was requested meanwhile.
  async whenAnswered(answer, handle) {
    const epoch = ++this.epoch;
    try {
      const result = await answer;
      if (epoch === this.epoch) handle(result);
    } catch (error) {
      if (epoch === this.epoch) this.fail(error);
    }
  }

  open(history, recut, other, before) {
    const { key, name, ties, parent, corpusBytes, corpusCharacters } = this.data;
    Object.assign(this, { history, other, historyKey: key, frontier: null });
    history.forced = new Set(parent?.forced);
    const isFork = before && parent?.key === before.key;
    const isFirst = !before || !before.isOwn && isForTraining(); // an example was shown until the linked training came
    // the visitor's own training is another one than a link's, which this server may not have
    const linked = isFirst && !this.data.isNew ? stepInLink(!this.data.isOwn) : null;
    const start = linked ?? (isFork ? parent.at + 1 : tabState().steps?.[key] ?? 0);
    // the page was reloaded, or visited again
    const frontier = before || linked !== null ? undefined : tabState().frontiers?.[key];
    if (frontier !== undefined) this.frontier = Math.min(history.numMerges, frontier);
    this.step = Math.max(0, Math.min(this.limit, start));
    this.quiz = new Quiz(ties, scoreOf(key), () => this.reveal());
    this.showNotice('');
    this.desk.classList.add('ready');
    this.$('.stage').hidden = false;
    const title = trn('Tokenizer {name}: {n} merge', 'Tokenizer {name}: {n} merges', history.numMerges, { name });
    setText(this.$('.title'), title);
    const bytes = trn('{n} byte', '{n} bytes', corpusBytes);
    const characters = trn('{n} character', '{n} characters', corpusCharacters);
    setText(this.$('.corpus'), tr('learned from {bytes}, {characters}', { bytes, characters }));
    this.scrubber.place('.fork', parent ? parent.at : null, history.numMerges);
    this.scrubber.place('.lift', history.lift, history.numMerges);
    this.showLimit();
    this.showText(recut);
    if (this.data.isNew && !this.step) this.playNew();
  }

  playNew() {
    this.player.move(-Infinity);
    if (!prefersReducedMotion()) this.player.play();
  }

  showText(recut) {
    this.recut = recut;
    this.desk.classList.toggle('leftward', RIGHT_TO_LEFT.test(recut.text));
    this.$('.empty').hidden = recut.text.length > 0;
    this.pointer.clear();
    this.lane.show(recut, this.step);
    this.draw();
  }

  get limit() {
    return this.frontier ?? this.history?.numMerges ?? 0;
  }

  go(step) {
    if (!this.history || Number.isNaN(step)) return;
    const next = Math.max(0, Math.min(this.limit, Math.round(step)));
    // the slider may have moved too far
    if (next === this.step) return void this.scrubber.show(next, this.screen.words());
    this.isStep = !this.drawFrame && Math.abs(next - this.step) === 1;
    this.step = next;
    this.drawFrame ||= requestAnimationFrame(() => this.draw()); // many steps, one drawing per frame
  }

  draw() {
    cancelAnimationFrame(this.drawFrame);
    this.drawFrame = 0;
    if (!this.recut) return;
    updateTab({ steps: { ...tabState().steps, [this.historyKey]: this.step } });
    this.storeFrontier();
    this.screen.draw(this.isStep);
  }

  /** Stops playing when the keyboard enters from outside, or the pointer is on a button of the panel. */
  stopOnFocusOrPointer() {
    this.desk.addEventListener('focusin', ({ target, relatedTarget }) => {
      if (target.matches(':focus-visible') && !this.desk.contains(relatedTarget)) this.player.toggle(false);
    });
    this.$('.panel').addEventListener('pointerover', ({ target }) => {
      if (target.closest('button')) this.player.toggle(false);
    });
  }

  get isAsking() {
    return this.frontier !== null && this.step === this.frontier && this.step < this.history.numMerges;
  }

  togglePredicting() { this.predict(this.frontier === null); }

  predict(isOn) {
    if (!this.history) return;
    this.player.toggle(false);
    this.frontier = isOn ? Math.min(this.step, Math.max(0, this.history.numMerges - 1)) : null;
    this.step = Math.min(this.step, this.limit);
    this.quiz.step = -1;
    this.isStep = false;
    this.showLimit();
    this.draw();
  }

  pick(k) {
    if (!this.isAsking || !this.quiz.pick(k)) return;
    storeScore(this.historyKey, this.quiz.score);
    this.storeFrontier();
    this.screen.drawPanel();
    this.$('.panel .next')?.focus({ preventScroll: true });
    this.player.announce(`${this.$('.verdict').textContent} ${this.$('.score').textContent}`);
  }

  // Answered questions are not asked again.
  storeFrontier() {
    const { historyKey, frontier, quiz } = this, isOver = quiz.step === frontier && quiz.picked !== null;
    const next = frontier === null ? undefined : frontier + isOver;
    updateTab({ frontiers: { ...tabState().frontiers, [historyKey]: next } });
  }

  /** Continues with the next question: the merge is made. */
  reveal() {
    this.frontier = Math.min(this.history.numMerges, this.frontier + 1);
    this.showLimit();
    this.go(this.frontier);
  }

  showLimit() {
    this.scrubber.load(this.history, this.other, this.limit);
    this.tools.showPredict(this.frontier !== null);
  }

  fork(at, { left, right }) {
    this.player.toggle(false);
    this.component.setTriggerValue('fork', { step: at, left, right });
    this.showNotice(
      tr('Training again from merge {merge}, which joins {pair} instead …', {
        merge: at + 1, pair: pairInWords(this.history, { left, right }),
      }),
    );
  }

  /** Opens the page that explains the cut at a byte of the text. */
  askWhy(at) {
    this.component.setTriggerValue('why', { key: this.historyKey, at, text: this.recut.text });
  }

  onPress(button) {
    const action = button.dataset.do;
    if (action === 'predict') this.togglePredicting();
    else if (!this.player.runAction(action)) this.tools.runAction(action);
  }

  onKey(event) {
    const focus = this.focusOf(event.target);
    const waits = this.isAsking && this.quiz.isAsking;
    const action = this.history ? actionOf(event, focus, Boolean(this.pointer.hit), waits) : null;
    if (action === null || (action === 'next' && this.frontier === null)) return;
    if (action === 'escape') return void this.pointer.clear();
    event.preventDefault();
    if (this.player.runAction(action)) return;
    if (action === 'next') this.proceed();
    else if (action === 'predict') { if (!event.repeat) this.togglePredicting(); }
    else if (action === 'pin') this.pointer.open(this.pointer.hit);
    else if ('token' in action) this.pointer.go(action.token);
    else this.pick(action.pick);
  }

  focusOf(target) {
    if (target.closest('.loupe')) return 'field'; // the loupe handles its keys itself
    if (target === this.lane.element) return 'lane';
    if (target.type === 'range') return 'range';
    if (target.matches('textarea, input')) return 'field';
    return ['select', 'button'].find((tag) => target.matches(tag)) ?? '';
  }

  // While predicting: continues after the answer, or returns to the question.
  proceed() {
    if (this.step < this.frontier) this.go(this.frontier);
    else if (this.isAsking && !this.quiz.isAsking) this.reveal();
  }

  fail(error) {
    const isRefused = error.isRefusal;
    if (!isRefused) console.warn(error);
    const failed = tr('The merges could not be loaded ({reason}). Reload the page when the server is back.', {
      reason: error.message,
    });
    this.showNotice(isRefused ? error.message : failed, true);
  }

  showNotice(text, isAlert = false) {
    const notice = this.$('.notice');
    notice.hidden = !text;
    notice.classList.toggle('alert', isAlert);
    setText(notice, text);
  }

  destroy() {
    this.epoch++;
    this.player.destroy();
    cancelAnimationFrame(this.drawFrame);
    this.screen.close();
    this.tools.close();
    this.client?.close();
    this.windowListeners.abort();
  }
}

export default mount(Timeline);
