// Playing: so many merges a second, counted by the clock, so that a slow frame skips merges instead of falling behind.

export const SPEEDS = [0.5, 1, 2, 5, 20]; // merges a second

export class Player {
  /** `advance(n)` moves on by n merges and says whether there are more. */
  constructor(advance, changed) {
    Object.assign(this, { advance, changed, playing: false, speed: 1 });
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

  /** The next slower or faster speed, or one of SPEEDS. */
  setSpeed(speed) {
    this.speed = speed;
    this.since = Math.max(this.since ?? 0, performance.now() - 1000 / speed);
    this.changed();
  }

  change(direction) {
    const i = SPEEDS.indexOf(this.speed) + direction;
    if (SPEEDS[i]) this.setSpeed(SPEEDS[i]);
  }
}
