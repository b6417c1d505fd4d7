// One token of the lane, under the pointer or the keyboard: what it is, and when it was made.
import { isSelecting, placeTip } from '../../../kit/js/dom.js';
import { Lights } from '../../../kit/js/lights.js';
import { hex } from '../../../kit/js/paint.js';
import { fillRows, grouped, setText, textOf } from '../../../kit/js/readout.js';
import { nameOfBytes, nameOfSymbol } from '../../../kit/js/box.js';

const MOST_BYTES_SHOWN = 24;

export class Hover {
  constructor(timeline) {
    this.timeline = timeline;
    this.tip = timeline.$('.tip');
    this.lights = new Lights();
    this.hit = null;       // the token that is shown
    this.isPinned = false; // it stays, with what can be done with it
    this.isHeld = false;   // it is shown beside its token, not beside the pointer
    const { element } = timeline.lane;
    element.addEventListener('pointermove', (event) => this.point(timeline.lane.at(event), event));
    element.addEventListener('pointerdown', (event) => this.point(timeline.lane.at(event), event));
    element.addEventListener('click', (event) => this.click(timeline.lane.at(event)));
    element.addEventListener('pointerleave', () => { if (!this.isPinned) this.clear(); });
    element.addEventListener('blur', () => { if (!this.isPinned) this.clear(); });
    element.addEventListener('scroll', () => this.scrolled(), { passive: true });
    timeline.desk.addEventListener('pointerdown', (event) => { if (this.isPinned && !event.composedPath().some((one) => one === this.tip || one === element)) this.clear(); });
  }

  /** The pinned token, or null. */
  get pinned() {
    return this.isPinned ? this.hit : null;
  }

  point(hit, event) {
    if (this.isPinned) return undefined;
    if (!hit) return this.clear();
    if (!isSame(hit, this.hit)) this.show(hit);
    this.isHeld = false;
    return placeTip(this.tip, this.timeline.desk, event.clientX + 14, event.clientY);
  }

  // The token itself is as good a handle as the button that lets go; a click beside all tokens lets go, too.
  click(hit) {
    if (isSelecting(this.timeline.lane.element)) return;
    if (!hit || (this.isPinned && isSame(hit, this.hit))) return void this.clear();
    this.show(hit);
    this.pin(false);
  }

  /** Goes on by some tokens, from the one that is shown. */
  go(by) {
    const hit = this.timeline.lane.neighbor(this.hit, by);
    if (!hit) return;
    hit.block.index[hit.k][0].scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.show(hit);
    this.hold();
    setText(this.timeline.$('.live'), this.inWords());
  }

  /** Keeps the token that is shown until it is let go, or the text is cut anew. */
  pin(takesFocus = true) {
    if (!this.hit) return;
    this.isPinned = true;
    this.light('pinned', this.hit);
    this.tip.classList.add('pinned');
    this.tip.setAttribute('role', 'group');
    this.tip.setAttribute('aria-label', 'Pinned token');
    this.tip.querySelector('.doing').hidden = false;
    this.hold();
    if (takesFocus) this.tip.querySelector('[data-do="why"]').focus({ preventScroll: true });
  }

  show(hit) {
    this.clear();
    this.hit = hit;
    this.lit = hit.block.index[hit.k];
    this.light('lit', hit);
    const facts = factsOf(this.timeline.story, hit);
    setText(this.tip.querySelector('.head'), facts.head);
    fillRows(this.tip.querySelector('dl'), facts.rows);
    this.tip.hidden = false;
  }

  light(mark, hit) {
    this.lights.set(mark, hit ? [{ elements: this.lit, from: hit.k, to: hit.k + 1 }] : []);
  }

  inWords() {
    return Array.from(this.tip.querySelectorAll('.head, dt, dd'), (one) => one.textContent).join(' ');
  }

  // What is shown beside its token stays there while the text scrolls, as long as that is in view.
  scrolled() {
    if (!this.isHeld) return void this.clear();
    const view = this.timeline.lane.element.getBoundingClientRect(), box = this.lit[0].getBoundingClientRect();
    if (box.bottom < view.top || box.top > view.bottom) this.clear(); else this.hold();
  }

  hold() {
    const box = this.lit[0].getBoundingClientRect();
    this.isHeld = true;
    placeTip(this.tip, this.timeline.desk, box.left, box.bottom, 6);
  }

  /** Shows none any more; who was in the card goes back to the text. */
  clear() {
    const held = this.tip.contains(this.tip.getRootNode().activeElement ?? null);
    for (const mark of ['lit', 'pinned']) this.light(mark, null);
    [this.lit, this.hit, this.isPinned, this.isHeld] = [null, null, false, false];
    this.tip.hidden = true;
    this.tip.classList.remove('pinned');
    this.tip.setAttribute('role', 'tooltip');
    this.tip.removeAttribute('aria-label');
    this.tip.querySelector('.doing').hidden = true;
    if (held) this.timeline.lane.element.focus({ preventScroll: true });
  }
}

const isSame = (one, other) => one.block === other?.block && one.k === other.k;

/** The byte of the text at which a token begins. */
export const byteOf = ({ block, k }) => block.offset + (k ? block.ends[k - 1] : 0);

/** What is said of a token: { head, rows }. */
export function factsOf(story, { block, k }) {
  const bytes = block.bytes.subarray(k ? block.ends[k - 1] : 0, block.ends[k]), text = textOf(bytes), merge = block.made[k];
  const symbol = merge < 0 ? story.baseSymbol(bytes) : story.numBase + merge;
  const shown = hex(bytes.subarray(0, MOST_BYTES_SHOWN)) + (bytes.length > MOST_BYTES_SHOWN ? ' …' : '');
  const rows = [['bytes', shown], ['id', symbol === null ? 'none: this character was not in the training text' : String(symbol)]];
  if (merge < 0) rows.push(['made', symbol === null ? 'never' : 'a base symbol: there before the first merge']);
  else rows.push(['made by', `merge ${grouped(merge + 1)}`], ['of', `${nameOfSymbol(story, story.left[merge])} + ${nameOfSymbol(story, story.right[merge])}`]);
  return { head: text === null ? `${nameOfBytes(bytes)}: not whole characters` : `“${nameOfBytes(bytes)}”`, rows };
}
