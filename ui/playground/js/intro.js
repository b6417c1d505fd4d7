// The first visit: over the tokens, an example sentence moves through the years, once. Any key, click, paste or file
// ends it at once, and has its usual effect.
import { delay, make, prefersReducedMotion } from '../../../web/js/dom/elements.js';
import { read, write } from '../../../web/js/dom/storage.js';
import { Document } from '../../../web/js/editor/document.js';
import { recolorCut } from '../../../web/js/tokens/colors.js';
import { TokenMotion } from '../../../web/js/tokens/token-motion.js';
import { TokensView } from '../../../web/js/tokens/tokens-view.js';
import { setText } from '../../../web/js/tokens/readout.js';
import { tr } from '../../../web/js/dom/i18n.js';

const PLAYED_KEY = 'tokenloupe.intro'; // in localStorage
const START_DELAY_MS = 600; // after the first tokens
const STOP_MS = 1350; // on each of the three stops
const ENDING = [
  'keydown', 'pointerdown', 'input', 'paste', 'dragenter', 'wheel', 'touchstart', 'resize', 'tokenloupe-stage',
];
const FADE_MS = 250;

export class Intro {
  /** Draws over the element `frame`, and says in `hint` that the visitor can type now. */
  constructor(frame, hint, { startDelayMs = START_DELAY_MS, stopMs = STOP_MS } = {}) {
    Object.assign(this, { frame, hint, startDelayMs, stopMs });
  }

  /** Plays { text, stops: [{ label, ends }], words }, unless it was played in this browser before, or something is done
   *  meanwhile. */
  async play({ text, stops, words }) {
    if (read('localStorage', PLAYED_KEY)) return;
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    for (const kind of ENDING) addEventListener(kind, () => this.end(), { capture: true, passive: true, signal });
    await delay(this.startDelayMs);
    // without a record it would play on each visit
    if (signal.aborted || document.hidden || !write('localStorage', PLAYED_KEY, '1')) return this.end();
    const show = this.draw(text);
    for (const stop of stops) {
      show(stop, stop === stops[stops.length - 1] ? words : '');
      await delay(this.stopMs);
      if (signal.aborted) return;
    }
    setText(this.hint, tr('Now type your own text here.'));
    await this.fade();
    this.layer?.remove();
  }

  // Draws the layer; returns a function that shows a stop.
  draw(text) {
    const view = make('div', 'example'), caption = make('p'), doc = new Document();
    doc.hasSafeCuts = false; // one chunk
    const [chunk] = doc.edit(text).added;
    this.layer = make('div', `intro${chunk.hasRtl ? ' leftward' : ''}`, make('div', '', view), caption);
    this.layer.setAttribute('aria-hidden', 'true');
    this.frame.append(this.layer);
    this.view = new TokensView(view, () => ({ names: new Map(), withBytes: false }));
    const motion = new TokenMotion(this.view);
    return ({ label, ends }, words) => {
      const starts = Uint32Array.from(ends, (_, k) => (k ? ends[k - 1] : 0)), ids = new Uint32Array(ends.length);
      const colors = chunk.ids ? recolorCut({ starts, ends }, chunk, -1, -1) : ids.map((_, k) => k % 7);
      if (chunk.ids) motion.capture(doc);
      doc.setTokens(
        chunk, { ids, starts, ends: Uint32Array.from(ends), kinds: null, otherCount: 0, roundTrip: true }, colors,
      );
      this.view.replace([], [chunk], doc.chunks, true);
      motion.play(doc);
      caption.replaceChildren(make('b', '', label), words && ` ${words}`);
    };
  }

  async fade() {
    if (prefersReducedMotion()) return;
    await this.layer.animate({ opacity: [1, 0] }, { duration: FADE_MS, fill: 'forwards' }).finished.catch(() => {});
  }

  /** Ends it at once. */
  end() {
    this.listeners?.abort();
    this.layer?.remove();
    this.view?.close();
    setText(this.hint, '');
  }
}
