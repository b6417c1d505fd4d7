// Steps through merges by button and key, and plays them at a rate per second by the clock, so that a slow frame skips
// merges instead of falling behind.
import { setText } from '../tokens/readout.js';
import { tr } from '../dom/i18n.js';

const SPEEDS = [0.5, 1, 2, 5, 20]; // merges per second
const ANNOUNCE_DELAY_MS = 500; // without a step
const MOVES = { first: -Infinity, back: -1, forward: 1, last: Infinity }; // merges per button

export class Player {
  /** The `host` has a `step` up to its `limit`, and `go(step)`; while it `isAsking`, `proceed()` handles the next step.
   *  `$` finds the buttons, the list of speeds, and the live region. */
  constructor($, host) {
    Object.assign(this, { $, host, playing: false, speed: 1, isDisabled: true });
    $('.speed').addEventListener('change', (event) => this.setSpeed(Number(event.target.value)));
  }

  /** Runs the action of a key (see key-bindings.js) or a button; returns whether it is one of the player's. */
  runAction(action) {
    const { move, speed } = action in MOVES ? { move: MOVES[action] } : Object(action);
    if (action === 'play') this.play();
    else if (speed) this.changeSpeed(speed);
    else if (move) this.move(move);
    else return false;
    return true;
  }

  move(by) {
    this.toggle(false);
    if (by > 0 && this.host.isAsking) this.host.proceed(); else this.host.go(this.host.step + by);
  }

  play() {
    const { host } = this;
    if (this.isDisabled) return;
    if (host.step >= host.limit) host.go(0); // at the end, play from the start
    this.toggle();
  }

  /** Enables the buttons that lead somewhere, and announces the step once the player rests. */
  show(words, isDisabled = false) {
    const { step, limit } = this.host, isFirst = !step, isLast = step >= limit;
    this.isDisabled = isDisabled || !limit;
    const isOff = { first: isFirst, back: isFirst, forward: isLast, last: isLast, play: this.isDisabled };
    for (const name in isOff) this.$(`[data-do="${name}"]`).setAttribute('aria-disabled', String(isOff[name]));
    clearTimeout(this.announceTimer);
    this.announceTimer = setTimeout(() => this.announce(this.playing ? '' : words), ANNOUNCE_DELAY_MS);
  }

  /** Announces something else at once; a pending announcement of the step does not interrupt it. */
  announce(words) {
    clearTimeout(this.announceTimer);
    setText(this.$('.live'), words);
  }

  drawButtons() {
    const button = this.$('[data-do="play"]');
    const [label, title] = this.playing ? [tr('Pause'), tr('Pause (space)')] : [tr('Play'), tr('Play (space)')];
    Object.assign(button, { ariaLabel: label, title });
    button.classList.toggle('playing', this.playing);
    this.$('.speed').value = String(this.speed);
  }

  toggle(playing = !this.playing) {
    if (playing === this.playing) return;
    this.playing = playing;
    cancelAnimationFrame(this.frame);
    if (playing) {
      this.since = performance.now() - 1000 / this.speed + 150; // almost no delay before the first merge
      this.tick(performance.now());
    }
    this.drawButtons();
  }

  tick(now) {
    if (!this.playing) return;
    const due = Math.floor(((now - this.since) * this.speed) / 1000);
    if (due > 0) {
      this.since += (due * 1000) / this.speed;
      this.host.go(this.host.step + due);
      if (this.host.step >= this.host.limit) return this.toggle(false);
    }
    this.frame = requestAnimationFrame((time) => this.tick(time));
  }

  setSpeed(speed) {
    this.speed = speed;
    this.since = Math.max(this.since ?? 0, performance.now() - 1000 / speed);
    this.drawButtons();
  }

  changeSpeed(direction) {
    const i = SPEEDS.indexOf(this.speed) + direction;
    if (SPEEDS[i]) this.setSpeed(SPEEDS[i]);
  }

  destroy() {
    this.toggle(false);
    clearTimeout(this.announceTimer);
  }
}
