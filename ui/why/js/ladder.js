// Explains one split: the pieces, the facts about the chosen one, and its ladder of merges at one step.
import { make } from '../../../web/js/dom/elements.js';
import { setText } from '../../../web/js/tokens/readout.js';
import { actionOf } from '../../../web/js/dom/key-bindings.js';
import { mount, Component } from '../../../web/js/dom/component.js';
import { pinnedByte } from '../../../web/js/editor/tab-state.js';
import { Player } from '../../../web/js/loupe/player.js';
import { Merges } from '../../../web/js/loupe/merges.js';
import { tr } from '../../../web/js/dom/i18n.js';
import { Scene } from './scene.js';
import { Tabs } from './tabs.js';
import { characterList, fillText, matchRows, outcomeList, rivalList, stateWords, titleOf } from './sentences.js';

class Ladder extends Component {
  constructor(root) {
    super(root);
    this.form = 'ladder';
    this.tabs = new Tabs(this.$('.pieces'), (at) => this.choose(at));
    this.scene = new Scene(this.$('.scene'));
    this.player = new Player(this.$, this);
  }

  /** Applies the data of a rerun; unchanged data has no effect. */
  update(component) {
    this.component = component;
    const json = JSON.stringify(component.data);
    if (json === this.json || this.tabs.timer) return; // another piece was chosen since; its answer follows
    this.json = json;
    const pinned = component.data.isOpening ? pinnedByte() : undefined;
    if (pinned === undefined || this.hasFollowedPin) return this.open(component.data);
    this.hasFollowedPin = true;
    this.choose(pinned);
  }

  choose(at) {
    this.desk.classList.add('stale');
    this.json = null; // the answer may be the same data
    this.component.setTriggerValue('choose', { at });
  }

  open(data) {
    const { piece, chosen, numPieces, ends, note, problem } = data;
    this.player.toggle(false);
    this.desk.classList.remove('stale');
    this.desk.dataset.text = data.pieces.map(([text]) => text).join('');
    this.tabs.show(data);
    fillText(
      this.$('.chosen'), piece.text.length > 60 ? `${Array.from(piece.text).slice(0, 40).join('')}…` : piece.text,
    );
    setText(this.$('.which'), tr('pre-token {number} of {total}', { number: chosen + 1, total: numPieces }));
    this.$('.characters').replaceWith(characterList(piece));
    this.$('.match').replaceChildren(
      ...matchRows(piece).flatMap(([name, value]) => [make('dt', '', name), make('dd', '', value)]),
    );
    setText(this.$('.plain'), data.plain);
    this.$('.why').replaceChildren(...data.why.map((sentence, i) => make('p', i ? '' : 'first', sentence)));
    const alert = this.$('.notice');
    alert.hidden = !problem;
    alert.classList.toggle('alert', Boolean(data.isAlert));
    setText(alert, problem ?? '');
    this.$('.merging').hidden = Boolean(problem);
    if (!problem) this.openMerges(new Merges(data.rungs), ends, data.encoding, note);
  }

  openMerges(merges, ends, encoding, note) {
    Object.assign(this, { merges, ends });
    this.step = merges.numSteps;
    setText(this.$('.title'), `${encoding}: ${titleOf(merges)}`);
    setText(this.$('.note'), note);
    this.$('.note').hidden = !note;
    this.$('.outcome').replaceWith(outcomeList(merges, ends));
    this.desk.dataset.ids = merges.tokens.map(([id]) => id).join(' ');
    this.scene.show(merges, ends, this.form);
    this.draw(false);
  }

  get limit() {
    return this.merges?.numSteps ?? 0;
  }

  go(to) {
    const next = Math.max(0, Math.min(this.limit, to)), isStep = next - this.step === 1;
    if (!this.merges || next === this.step) return;
    this.step = next;
    this.draw(isStep);
  }

  draw(isStep) {
    const { merges, step } = this, { head, sentence, rivals } = stateWords(merges, step);
    this.desk.dataset.state = step;
    this.scene.move(step, isStep);
    setText(this.$('.head'), head);
    setText(this.$('.sentence'), sentence);
    this.$('.rivals').replaceWith(rivalList(merges, step, rivals));
    this.player.show(`${head}. ${sentence}`);
  }

  onPress(button) {
    if (this.merges && !this.player.runAction(button.dataset.do)) this.setForm(button.dataset.do);
  }

  setForm(form) {
    this.form = form;
    for (const button of this.root.querySelectorAll('.forms button'))
      button.setAttribute('aria-pressed', String(button.dataset.do === form));
    this.scene.show(this.merges, this.ends, form);
    this.draw(false);
  }

  onKey(event) {
    const focus = event.target.matches('select') ? 'select' : event.target.matches('button') ? 'button' : '';
    if (this.player.runAction(actionOf(event, focus))) event.preventDefault();
  }

  destroy() {
    this.player.destroy();
    this.tabs.close();
    this.scene.close();
  }
}

export default mount(Ladder);
