// One token of the lane, under the pointer or the keyboard: what it is, and when it was made.
import { isSelecting, placeTip } from '../../../kit/js/dom.js';
import { Lights } from '../../../kit/js/lights.js';
import { hex } from '../../../kit/js/paint.js';
import { fillRows, grouped, setText, textOf } from '../../../kit/js/readout.js';
import { nameOfBytes, nameOfSymbol } from '../../../kit/js/box.js';

const MOST_BYTES_SHOWN = 24;

export class Hover {
  constructor(timeline) {
    Object.assign(this, { timeline, tip: timeline.$('.tip'), lights: new Lights() });
    this.hit = null;     // the token that is shown
    this.pinned = null;  // the same, where it stays, with what can be done with it
    this.isHeld = false; // it is shown beside its token, not beside the pointer
    const { element } = timeline.lane;
    for (const kind of ['pointermove', 'pointerdown']) element.addEventListener(kind, (event) => this.point(timeline.lane.at(event), event));
    for (const kind of ['pointerleave', 'blur']) element.addEventListener(kind, () => this.point(null));
    element.addEventListener('click', (event) => this.click(timeline.lane.at(event)));
    element.addEventListener('scroll', () => this.scrolled(), { passive: true });
    timeline.desk.addEventListener('pointerdown', (event) => { if (this.pinned && !event.composedPath().some((one) => one === this.tip || one === element)) this.clear(); });
  }

  point(hit, event) {
    if (this.pinned) return;
    if (!hit) return void this.clear();
    if (!isSame(hit, this.hit)) this.show(hit);
    this.isHeld = false;
    placeTip(this.tip, this.timeline.desk, event.clientX + 14, event.clientY);
  }

  // The token itself is as good a handle as the button that lets go; a click beside all tokens lets go, too.
  click(hit) {
    if (isSelecting(this.timeline.lane.element)) return;
    if (!hit || isSame(hit, this.pinned)) return void this.clear();
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
    setText(this.timeline.$('.live'), Array.from(this.tip.querySelectorAll('.head, dt, dd'), (one) => one.textContent).join(' '));
  }

  /** Keeps the token that is shown until it is let go, or the text is cut anew. */
  pin(takesFocus = true) {
    if (!this.hit) return;
    this.pinned = this.hit;
    this.dress();
    this.hold();
    if (takesFocus) this.tip.querySelector('[data-do="why"]').focus({ preventScroll: true });
  }

  show(hit) {
    this.clear();
    this.hit = hit;
    this.lights.set('lit', this.lit);
    const facts = factsOf(this.timeline.story, hit);
    setText(this.tip.querySelector('.head'), facts.head);
    fillRows(this.tip.querySelector('dl'), facts.rows);
    this.tip.hidden = false;
  }

  // What Lights takes of the token that is shown.
  get lit() {
    const { block, k } = this.hit;
    return [{ elements: block.index[k], from: k, to: k + 1 }];
  }

  get box() {
    return this.lit[0].elements[0].getBoundingClientRect();
  }

  // What is shown beside its token stays there while the text scrolls, as long as that is in view.
  scrolled() {
    if (!this.isHeld) return void this.clear();
    const view = this.timeline.lane.element.getBoundingClientRect(), { box } = this;
    if (box.bottom < view.top || box.top > view.bottom) this.clear(); else this.hold();
  }

  hold() {
    this.isHeld = true;
    placeTip(this.tip, this.timeline.desk, this.box.left, this.box.bottom, 6);
  }

  /** Shows none any more; who was in the card goes back to the text. */
  clear() {
    const held = this.tip.contains(this.tip.getRootNode().activeElement ?? null);
    Object.assign(this, { hit: null, pinned: null, isHeld: false });
    this.tip.hidden = true;
    this.lights.set('lit', []);
    this.dress();
    if (held) this.timeline.lane.element.focus({ preventScroll: true });
  }

  // A pinned token is a card that takes clicks, no tooltip.
  dress() {
    const { tip, pinned } = this;
    this.lights.set('pinned', pinned ? this.lit : []);
    tip.classList.toggle('pinned', Boolean(pinned));
    tip.setAttribute('role', pinned ? 'group' : 'tooltip');
    tip.ariaLabel = pinned ? 'Pinned token' : null;
    tip.querySelector('.doing').hidden = !pinned;
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
