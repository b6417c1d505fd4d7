// One token of the lane, under the pointer or the keyboard: what it is, and when it was made.
import { hex } from '../../editor/js/paint.js';
import { fillRows, grouped, setText } from '../../editor/js/readout.js';
import { nameOfBytes, nameOfSymbol, textOf } from './box.js';

const MOST_BYTES_SHOWN = 24;

export class Hover {
  constructor(timeline) {
    this.timeline = timeline;
    this.tip = timeline.$('.tip');
    this.hit = null;
    const { element } = timeline.lane;
    element.addEventListener('pointermove', (event) => this.point(timeline.lane.at(event), event));
    element.addEventListener('pointerdown', (event) => this.point(timeline.lane.at(event), event));
    element.addEventListener('pointerleave', () => this.clear());
    element.addEventListener('blur', () => this.clear());
    element.addEventListener('scroll', () => this.clear(), { passive: true });
  }

  point(hit, event) {
    if (!hit) return this.clear();
    if (hit.block !== this.hit?.block || hit.k !== this.hit.k) this.show(hit);
    return this.place(event.clientX + 14, event.clientY, 20);
  }

  /** Goes on by some tokens, from the one that is shown. */
  go(by) {
    const hit = this.timeline.lane.neighbor(this.hit, by);
    if (!hit) return;
    const element = hit.block.index[hit.k][0];
    element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.show(hit);
    const box = element.getBoundingClientRect();
    this.place(box.left, box.bottom, 6);
    setText(this.timeline.$('.live'), this.inWords());
  }

  show(hit) {
    this.clear();
    this.hit = hit;
    this.lit = hit.block.index[hit.k];
    for (const element of this.lit) {
      const n = Number(element.dataset.n ?? 1), band = hit.k - Number(element.dataset.k);
      element.classList.add('lit');
      if (n > 1) element.style.setProperty('--lit', 'leftward' in element.dataset ? n - 1 - band : band);
    }
    const facts = factsOf(this.timeline.story, hit);
    setText(this.tip.querySelector('.head'), facts.head);
    fillRows(this.tip.querySelector('dl'), facts.rows);
    this.tip.hidden = false;
  }

  inWords() {
    return Array.from(this.tip.querySelectorAll('.head, dt, dd'), (one) => one.textContent).join(' ');
  }

  place(clientX, clientY, gap) {
    const { tip } = this, box = this.timeline.desk.getBoundingClientRect();
    const x = Math.max(0, Math.min(clientX - box.left, box.width - tip.offsetWidth - 4));
    const below = clientY + gap + tip.offsetHeight < innerHeight;
    tip.style.transform = `translate(${x}px, ${clientY - box.top + (below ? gap : -tip.offsetHeight - 16)}px)`;
  }

  clear() {
    for (const element of this.lit ?? []) element.classList.remove('lit');
    [this.lit, this.hit] = [null, null];
    this.tip.hidden = true;
  }
}

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
