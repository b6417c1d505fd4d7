// Playing: so many merges a second, counted by the clock, so that a slow frame skips merges instead of falling behind.

const SPEEDS = [0.5, 1, 2, 5, 20]; // merges a second

export class Player {
  /** `advance(n)` moves on by n merges and says whether there are more; `$` finds the button and the list of speeds. */
  constructor($, advance) {
    Object.assign(this, { $, advance, playing: false, speed: 1 });
    $('.speed').addEventListener('change', (event) => this.setSpeed(Number(event.target.value)));
  }

  /** What the buttons for steps do: how many merges each goes on. */
  static moves = { first: -Infinity, back: -1, forward: 1, last: Infinity };

  /** Shows which of the buttons lead somewhere. */
  showSteps(isFirst, isLast, isIdle) {
    for (const [name, isOff] of Object.entries({ first: isFirst, back: isFirst, forward: isLast, last: isLast, play: isIdle })) {
      this.$(`[data-do="${name}"]`).setAttribute('aria-disabled', String(isOff));
    }
  }

  changed() {
    const button = this.$('[data-do="play"]'), does = this.playing ? 'Pause' : 'Play';
    button.setAttribute('aria-label', does);
    button.title = `${does} (space)`;
    button.classList.toggle('playing', this.playing);
    this.$('.speed').value = String(this.speed);
  }

  toggle(playing = !this.playing) {
    if (playing === this.playing) return;
    this.playing = playing;
    cancelAnimationFrame(this.frame);
    if (playing) {
      this.since = performance.now() - 1000 / this.speed + 150; // the first merge comes at once, or nearly so
      this.tick(performance.now());
    }
    this.changed();
  }

  tick(now) {
    if (!this.playing) return;
    const due = Math.floor(((now - this.since) * this.speed) / 1000);
    if (due > 0) {
      this.since += (due * 1000) / this.speed;
      if (!this.advance(due)) return this.toggle(false);
    }
    this.frame = requestAnimationFrame((time) => this.tick(time));
  }

  setSpeed(speed) {
    this.speed = speed;
    this.since = Math.max(this.since ?? 0, performance.now() - 1000 / speed);
    this.changed();
  }

  /** The next slower or faster speed. */
  change(direction) {
    const i = SPEEDS.indexOf(this.speed) + direction;
    if (SPEEDS[i]) this.setSpeed(SPEEDS[i]);
  }
}
