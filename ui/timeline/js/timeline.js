// The merge timeline: one number, the step, and everything that is shown of it.
import { Door, Refused } from '../../editor/js/door.js';
import { grouped, setText } from '../../editor/js/readout.js';
import { wellFormed } from '../../editor/js/text.js';
import { question, rows } from '../../editor/js/wire.js';
import { pairInWords } from './box.js';
import { Score } from './guess.js';
import { Hover } from './hover.js';
import { meaning } from './keys.js';
import { Lane } from './lane.js';
import { mergePanel } from './panel.js';
import { Player } from './player.js';
import { Quiz } from './quiz.js';
import { Recut } from './recut.js';
import { Scrubber } from './scrubber.js';
import { Story } from './story.js';
import { stepInLink, Tools } from './tools.js';
import { comparison, counted, percent, ratio, stepInWords } from './words.js';

const LONGEST_TEXT = 3000; // characters
const FOLLOW_AFTER = 160;  // ms without a step until a scrubbed lane follows the newest token
const SPEAK_AFTER = 500;
const visits = new Map();  // key of a story -> { step, score }: where one was, for as long as the tab is open

export class Timeline {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.desk = this.$('.timeline');
    this.epoch = 0;       // grows when another story or text is asked for: answers for an older one are dropped
    this.step = 0;
    this.frontier = null; // the furthest step while one predicts
    this.own = null;      // the reader's own text
    this.window = new AbortController();
    this.lane = new Lane(this.$('.tokens'));
    this.hover = new Hover(this);
    this.scrubber = new Scrubber(this.$('.way'), (step) => { this.player.toggle(false); this.go(step); });
    this.player = new Player((n) => this.advance(n), () => this.tools.showPlayer());
    this.tools = new Tools(this);
    this.desk.addEventListener('keydown', (event) => this.key(event));
    addEventListener('hashchange', () => this.go(stepInLink() ?? this.step), { signal: this.window.signal });
  }

  // ---- from the page ----

  update(component) {
    const { answer, ...data } = component.data, before = this.data;
    this.component = component;
    this.door ??= new Door(data.url);
    this.door.send = (ask) => this.component.setTriggerValue('ask', ask);
    this.door.receive(answer);
    if (JSON.stringify(before) === JSON.stringify(data)) return;
    this.data = data;
    if (before?.key !== data.key) this.load(before);
    else if (before.text !== data.text && this.own === null) this.cut(data.text);
  }

  async load(before) {
    const { key, name, parent, text } = this.data, epoch = ++this.epoch;
    this.player.toggle(false);
    this.say(`Reading the merges of ${name} …`);
    try {
      const [story, other, recut] = await Promise.all([this.askStory(key), parent && this.askStory(parent.key).catch(() => null), this.askRecut(this.own ?? text)]);
      if (epoch === this.epoch) this.open(story, other, recut, before);
    } catch (error) {
      if (epoch === this.epoch) this.fail(error);
    }
  }

  async askStory(key) {
    if (key === this.storyKey) return this.story; // a fork's parent is mostly the story that was shown
    return new Story(rows(await this.door.ask('story', { encoding: key, special: 'text' }, question([]))));
  }

  async askRecut(text) {
    const characters = Array.from(wellFormed(text)), shown = characters.slice(0, LONGEST_TEXT).join(''), bytes = new TextEncoder().encode(shown);
    const [ends, closings] = rows(await this.door.ask('recut', { encoding: this.data.key, special: 'text' }, question([{ bytes }])));
    return Object.assign(new Recut(shown, ends, closings), { left: Math.max(0, characters.length - LONGEST_TEXT) });
  }

  /** Cuts another text; what is shown stays until it is there. */
  async cut(text) {
    const epoch = ++this.epoch;
    try {
      const recut = await this.askRecut(text);
      if (epoch !== this.epoch || !this.story) return;
      this.say('');
      this.showText(recut);
    } catch (error) {
      if (epoch === this.epoch) this.fail(error);
    }
  }

  open(story, other, recut, before) {
    const { key, name, ties, parent } = this.data, visit = visits.get(key) ?? { step: 0, score: new Score() };
    visits.set(key, visit);
    Object.assign(this, { story, other, storyKey: key, visit, frontier: null });
    const isFork = before && parent?.key === before.key, start = (before ? null : stepInLink()) ?? (isFork ? parent.at + 1 : visit.step);
    this.step = Math.max(0, Math.min(story.numMerges, start));
    this.quiz = new Quiz(ties, visit.score, () => { this.frontier = Math.min(story.numMerges, this.frontier + 1); this.reload(); this.go(this.frontier); });
    this.say('');
    this.desk.classList.add('ready');
    this.$('.stage').hidden = false;
    setText(this.$('.title'), `${name}: ${counted(story.numMerges, 'merge')}`);
    this.scrubber.markFork(parent ? parent.at : null);
    this.reload();
    this.showText(recut);
  }

  /** Draws anew what depends on how much may be seen. */
  reload() {
    this.scrubber.load(this.story, this.other, this.limit);
    this.tools.showPredict(this.frontier !== null);
  }

  showText(recut) {
    this.recut = recut;
    this.desk.classList.toggle('leftward', /\p{Script=Arabic}|\p{Script=Hebrew}/u.test(recut.text));
    this.$('.empty').hidden = recut.text.length > 0;
    this.hover.clear();
    this.lane.show(recut, this.step);
    this.draw();
  }

  get limit() {
    return this.frontier ?? this.story.numMerges;
  }

  // ---- steps ----

  advance(n) {
    this.go(this.step + n);
    return this.step < this.limit;
  }

  go(step) {
    if (!this.story || Number.isNaN(step)) return;
    const next = Math.max(0, Math.min(this.limit, Math.round(step)));
    if (next === this.step) return void this.scrubber.show(next, this.words()); // the slider may have been dragged too far
    this.isStep = Math.abs(next - this.step) === 1;
    this.step = this.visit.step = next;
    this.wanted ??= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.wanted = null;
    if (!this.recut) return;
    const { step, story, recut } = this;
    this.hover.clear();
    this.lane.move(step);
    this.scrubber.show(step, this.words());
    this.drawPanel();
    this.drawCounts();
    this.tools.showStep();
    this.lane.element.dataset.step = step;
    setText(this.$('.newest-says'), this.newestInWords(recut.countNewest(step)));
    clearTimeout(this.followTimer);
    clearTimeout(this.speakTimer);
    if (this.isStep && this.player.speed < 20) this.lane.follow();
    else this.followTimer = setTimeout(() => this.lane.follow(), FOLLOW_AFTER);
    this.speakTimer = setTimeout(() => setText(this.$('.live'), story.numMerges && !this.player.playing ? this.words() : ''), SPEAK_AFTER);
  }

  words() {
    const { story, step } = this;
    return stepInWords(step, story.numMerges, step ? pairInWords(story, story.candidates(step - 1)[0]) : '');
  }

  newestInWords(n) {
    const left = this.recut.left ? ` Shown: the first ${grouped(LONGEST_TEXT)} characters.` : '';
    if (!this.step) return `No merge yet.${left}`;
    return `${n ? `Newest token: ${n === 1 ? 'once' : `${grouped(n)} times`} in this text` : 'The newest token does not stand in this text'}.${left}`;
  }

  drawPanel() {
    const panel = this.$('.panel'), held = panel.contains(this.root.getRootNode().activeElement ?? null), { story, step } = this;
    if (!story.numMerges) return void setText(panel, 'This vocabulary has no merges: its tokens are the base symbols.');
    const asks = this.frontier !== null && step === this.frontier && step < story.numMerges;
    if (asks) this.quiz.ask(story, step);
    panel.replaceChildren(...(asks ? this.quiz.draw((k) => this.pick(k)) : mergePanel({
      story, step, ties: this.data.ties, forkedAt: this.data.parent?.at, whatIf: (at, pair) => this.fork(at, pair),
    })));
    if (held) (panel.querySelector('.next') ?? this.desk).focus({ preventScroll: true });
  }

  drawCounts() {
    const { story, step, other, recut } = this, tokens = story.tokens[step];
    const texts = {
      corpus: grouped(tokens), ratio: ratio(story.bytesPerToken(step)), share: percent(tokens / story.tokens[0]), text: grouped(recut.count(step)),
      compare: other && step <= other.numMerges ? comparison(step, tokens, other.tokens[step]) : '',
    };
    for (const [name, text] of Object.entries(texts)) setText(this.$(`[data-count="${name}"]`), text);
  }

  // ---- predict, what if ----

  predict(isOn) {
    if (!this.story) return;
    this.player.toggle(false);
    this.frontier = isOn ? Math.min(this.step, Math.max(0, this.story.numMerges - 1)) : null;
    this.step = Math.min(this.step, this.limit);
    this.quiz.at = -1;
    this.reload();
    this.lane.move(this.step);
    this.draw();
  }

  pick(k) {
    if (this.frontier === null || this.step !== this.frontier || !this.quiz.pick(k)) return;
    this.drawPanel();
    this.$('.panel .next')?.focus({ preventScroll: true });
    setText(this.$('.live'), `${this.$('.verdict').textContent} ${this.$('.score').textContent}`);
  }

  fork(at, { left, right }) {
    this.player.toggle(false);
    this.component.setTriggerValue('fork', { step: at, left, right });
    this.say(`Training a fork: merge ${grouped(at + 1)} joins ${pairInWords(this.story, { left, right })} instead …`);
  }

  // ---- keys, words ----

  key(event) {
    if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation(); // Streamlit has hotkeys of its own: r, c
    const { target } = event, isRange = target.type === 'range';
    const focus = isRange ? 'range' : target.matches('textarea, input') ? 'field' : target.matches('select') ? 'select'
      : target.matches('button') ? 'button' : target === this.lane.element ? 'lane' : '';
    const sense = this.story ? meaning(event, focus) : null;
    if (sense === null || (sense === 'next' && this.frontier === null)) return;
    if (sense === 'escape') return this.hover.clear();
    event.preventDefault();
    if (sense === 'play') this.player.toggle();
    else if (sense === 'next') this.goOn();
    else if ('token' in sense) this.hover.go(sense.token);
    else if ('speed' in sense) this.player.change(sense.speed);
    else if ('pick' in sense) this.pick(sense.pick);
    else this.tools.move(sense.move);
  }

  // Enter, while one predicts: on from what was revealed, or back to the question.
  goOn() {
    if (this.step < this.frontier) this.go(this.frontier);
    else if (!this.quiz.isAsking) this.quiz.next();
  }

  fail(error) {
    this.say(error instanceof Refused ? error.message : `The merges could not be fetched (${error.message}). Load the page again when the server is back.`, true);
  }

  say(text, isAlert = false) {
    const notice = this.$('.notice');
    notice.hidden = !text;
    notice.classList.toggle('alert', isAlert);
    setText(notice, text);
  }

  leave() {
    this.player.toggle(false);
    cancelAnimationFrame(this.wanted);
    clearTimeout(this.followTimer);
    clearTimeout(this.speakTimer);
    this.tools.close();
    this.epoch++;
    this.door?.close();
    this.window.abort();
  }
}
