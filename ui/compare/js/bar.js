// The buttons over the columns: switches, disagreements, the link.
import { copyLink } from '../../kit/js/clipboard.js';
import { grouped, setText } from '../../kit/js/readout.js';
import { topOf } from './scroll-lock.js';

export class Bar {
  constructor(compare) {
    this.compare = compare;
    compare.desk.addEventListener('click', (event) => this.press(event.target.closest?.('[data-do]')));
    compare.desk.addEventListener('keydown', (event) => this.key(event));
  }

  async press(button) {
    if (!button) return;
    const action = button.dataset.do;
    try {
      if (button.hasAttribute('aria-pressed')) this.toggle(button, action);
      else if (action === 'unpin') this.compare.linked.unpin();
      else if (action === 'link') await copyLink(this.compare.writing.reading.text, this.query(), 'encodings', this.compare.notice, this.compare.desk, this.compare.$('.done'));
      else this.go(action === 'next');
    } catch (error) {
      this.compare.notice.say(`This did not work: ${error.message}`);
    }
  }

  key(event) {
    if (event.target.matches('textarea') || event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return;
    event.stopPropagation(); // Streamlit has hotkeys of its own: r, c
    if (event.key === 'n' || event.key === 'p') this.go(event.key === 'n');
  }

  toggle(button, name) {
    button.setAttribute('aria-pressed', String(!this.compare.isOn(name)));
    this.compare.switched(name);
  }

  // ---- disagreements ----

  /** Goes to the next disagreement or to the previous one; after the last comes the first. */
  go(isNext) {
    const { boundaries, linked, lock, columns } = this.compare;
    if (!this.compare.isAgreed || !boundaries.some) return void this.say(this.noneInWords());
    const top = topOf(columns[0])?.byte ?? 0, from = linked.place(isNext ? top - 1 : top + 1);
    const found = isNext ? boundaries.after(from) ?? boundaries.after(0) : boundaries.before(from) ?? boundaries.before(Infinity);
    this.compare.$('.columns').scrollIntoView({ block: 'nearest' });
    lock.bring(found.byte);
    linked.show(found.byte);
    this.say(`${grouped(found.number)} of ${grouped(boundaries.some)}, ${this.inWords(found)}`);
  }

  inWords({ byte, mask }) {
    const names = (cut) => this.compare.columns.filter((_, d) => Boolean(mask & (1 << d)) === cut).map(({ encoding }) => encoding.name);
    const here = names(true), not = names(false);
    return `byte ${grouped(byte)}: ${here.join(', ')} ${here.length > 1 ? 'cut' : 'cuts'} here; ${not.join(', ')} ${not.length > 1 ? 'do' : 'does'} not`;
  }

  noneInWords() {
    if (!this.compare.isAgreed) return 'The tokens are still to come.';
    return this.compare.columns.length > 1 ? 'No disagreement: all cut this text alike.' : 'One encoding alone has nobody to disagree with.';
  }

  say(text) {
    setText(this.compare.$('.where'), text);
    setText(this.compare.$('.live'), text);
  }

  /** Says how many boundaries all share and how many only some have. */
  count({ shared, some }) {
    const numbers = this.compare.$('.numbers');
    numbers.hidden = this.compare.columns.length < 2;
    setText(numbers.querySelector('.shared'), grouped(shared));
    setText(numbers.querySelector('.some'), grouped(some));
  }

  // ---- the link ----

  /** The choices, as an address spells them; the first encoding is the baseline unless another is named. */
  query() {
    const { baseline, columns } = this.compare, keys = columns.map(({ key }) => encodeURIComponent(key));
    const base = baseline === columns[0] ? '' : `&baseline=${encodeURIComponent(baseline.key)}`;
    return `encodings=${keys.join(',')}${base}&special=${columns[0]?.encoding.special ?? 'text'}`;
  }
}
