// Why this split: the pieces, the story of the chosen one, and its ladder of merges with one number, the state.
import { make } from '../../kit/js/dom.js';
import { counted, setText } from '../../kit/js/readout.js';
import { meaning } from '../../kit/js/keys.js';
import { Player } from '../../kit/js/player.js';
import { Merges } from './merges.js';
import { Scene } from './scene.js';
import { Tabs } from './tabs.js';
import { characterList, fillText, matchRows, outcomeList, rivalList, stateWords } from './words.js';

const SPOKEN_AFTER = 500; // ms without a step until it is spoken

export class Ladder {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.desk = this.$('.ladder');
    this.form = 'ladder';
    this.tabs = new Tabs(this.$('.pieces'), (at) => this.choose(at));
    this.scene = new Scene(this.$('.scene'));
    this.player = new Player(this.$, (n) => this.advance(n));
    this.desk.addEventListener('click', (event) => this.press(event.target.closest?.('[data-do]')));
    this.desk.addEventListener('keydown', (event) => this.key(event));
  }

  /** Takes what a rerun of the page says; the same again disturbs nothing. */
  update(component) {
    this.component = component;
    const { data } = component, said = JSON.stringify(data);
    if (said === this.said || this.tabs.isChoosing) return; // another piece was taken since: its story comes next
    this.said = said;
    this.open(data);
  }

  choose(at) {
    this.desk.classList.add('stale');
    this.said = null; // the same story may be the answer
    this.component.setTriggerValue('choose', { at });
  }

  open(data) {
    const { piece, chosen, numPieces, ends, note, problem } = data;
    this.player.toggle(false);
    this.desk.classList.remove('stale');
    this.desk.dataset.text = data.pieces.map(([text]) => text).join('');
    this.tabs.show(data);
    fillText(this.$('.chosen'), piece.text.length > 60 ? `${Array.from(piece.text).slice(0, 40).join('')}…` : piece.text);
    setText(this.$('.which'), `pre-token ${chosen + 1} of ${numPieces}`);
    this.$('.characters').replaceWith(characterList(piece));
    this.$('.match').replaceChildren(...matchRows(piece).flatMap(([name, value]) => [make('dt', '', name), detail(value)]));
    this.$('.why').replaceChildren(...data.why.map((sentence, i) => make('p', i ? '' : 'first', sentence)));
    const alert = this.$('.notice');
    alert.hidden = !problem;
    setText(alert, problem ?? '');
    this.$('.merging').hidden = Boolean(problem);
    if (!problem) this.openMerges(new Merges(data.rungs), ends, data.encoding, note);
  }

  openMerges(merges, ends, encoding, note) {
    Object.assign(this, { merges, ends });
    this.state = merges.numSteps;
    const { isBytes } = merges;
    setText(this.$('.title'), `${encoding}: ${isBytes ? '' : `${counted(merges.numUnits, 'character')}, `}${counted(merges.bytes.length, 'byte')}, ${counted(merges.numSteps, 'merge')}, ${counted(merges.tokens.length, 'token')}`);
    setText(this.$('.note'), note);
    this.$('.note').hidden = !note;
    this.$('.outcome').replaceWith(outcomeList(merges, ends));
    this.desk.dataset.ids = merges.tokens.map(([id]) => id).join(' ');
    this.scene.show(merges, ends, this.form);
    this.draw(false);
  }

  // ---- steps ----

  advance(n) {
    this.go(this.state + n);
    return this.state < this.merges.numSteps;
  }

  go(to) {
    if (!this.merges) return;
    const next = Math.max(0, Math.min(this.merges.numSteps, to)), isStep = next - this.state === 1;
    if (next === this.state) return;
    this.state = next;
    this.draw(isStep);
  }

  move(by) {
    this.player.toggle(false);
    this.go(by === -Infinity ? 0 : by === Infinity ? this.merges.numSteps : this.state + by);
  }

  play() {
    if (!this.merges?.numSteps) return;
    if (this.state === this.merges.numSteps) this.go(0); // from the end it plays again
    this.player.toggle();
  }

  draw(isStep) {
    const { merges, state } = this, { head, says, rivals } = stateWords(merges, state);
    this.desk.dataset.state = state;
    this.scene.move(state, isStep);
    setText(this.$('.head'), head);
    setText(this.$('.says'), says);
    this.$('.rivals').replaceWith(rivalList(merges, state, rivals));
    this.player.showSteps(!state, state === merges.numSteps, !merges.numSteps);
    clearTimeout(this.spoken);
    this.spoken = setTimeout(() => setText(this.$('.live'), this.player.playing ? '' : `${head}. ${says}`), SPOKEN_AFTER);
  }

  // ---- buttons and keys ----

  press(button) {
    if (!button || !this.merges) return;
    const action = button.dataset.do;
    if (action in Player.moves) this.move(Player.moves[action]);
    else if (action === 'play') this.play();
    else this.turn(action);
  }

  turn(form) {
    this.form = form;
    for (const button of this.root.querySelectorAll('.forms button')) button.setAttribute('aria-pressed', String(button.dataset.do === form));
    this.scene.show(this.merges, this.ends, form);
    this.draw(false);
  }

  key(event) {
    if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation(); // Streamlit has hotkeys of its own: r, c
    const { target } = event, focus = target.matches('select') ? 'select' : target.matches('button') ? 'button' : '';
    const sense = this.merges ? meaning(event, focus) : null;
    if (sense === null || !(sense === 'play' || 'move' in Object(sense) || 'speed' in Object(sense))) return;
    event.preventDefault();
    if (sense === 'play') this.play();
    else if ('speed' in sense) this.player.change(sense.speed);
    else this.move(sense.move);
  }

  leave() {
    clearTimeout(this.spoken);
    this.player.toggle(false);
    this.tabs.close();
    this.scene.close();
  }
}

function detail(value) {
  const element = make('dd', '');
  element.append(value);
  return element;
}
