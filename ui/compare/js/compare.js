// Compares encodings: one text, a column per encoding, and facts about all columns.
import { mount } from '../../components/js/dom/component.js';
import { waits } from '../../components/js/editor/notice.js';
import { TextComponent } from '../../components/js/editor/text-component.js';
import { trn } from '../../components/js/dom/i18n.js';
import { Boundaries } from './boundaries.js';
import { Column } from './column.js';
import { Counted } from './counted.js';
import { Disagreements } from './disagreements.js';
import { LinkedColumns } from './linked-columns.js';
import { markHeat, markOdd } from './marks.js';
import { ScrollLock } from './scroll-lock.js';
import { BatchRequests } from './batch-requests.js';

export class Compare extends TextComponent {
  constructor(root) {
    super(root);
    this.columns = [];
    this.counted = new Counted(this.$('.columns'));
    this.boundaries = new Boundaries();
    this.isAgreed = false; // whether the boundaries are those of the shown tokens
    this.lock = new ScrollLock(() => this.columns);
    this.pointing = new LinkedColumns(this);
    this.disagreements = new Disagreements(this);
  }

  get readers() {
    return this.columns.map(({ reader }) => reader);
  }

  take(data) {
    this.together ??= new BatchRequests(this.client);
    this.counted.take(data.counted ?? [], data.push.holds);
    const changed = this.arrange(data.encodings);
    this.baselineKey = data.baseline;
    if (this.isAgreed) this.showRatios();
    return changed.map(({ reader }) => reader);
  }

  // ---- columns ----

  /** Creates a column per encoding, in order; returns those that must tokenize again. */
  arrange(encodings) {
    const before = this.columns, known = new Map(before.map((column) => [column.key, column]));
    const isFirst = ({ key }, i) => encodings.findIndex((other) => other.key === key) === i;
    const wanted = encodings.filter(isFirst);
    this.columns = wanted.map(({ key }) => known.get(key) ?? this.add());
    for (const column of before) if (!this.columns.includes(column)) column.leave();
    this.order();
    const changed = this.columns.filter((column, i) => column.use(wanted[i]));
    if (changed.length) this.setAgreed(false);
    if (changed.includes(this.pointing.pinned?.reader.host)) this.pointing.unpin();
    const isReordered = before.length !== this.columns.length || before.some((one, i) => one !== this.columns[i]);
    if (!changed.length && isReordered) this.settled();
    return changed;
  }

  add() {
    const column = new Column(this);
    this.pointing.watch(column.reader, column.reader.tokens);
    this.lock.watch(column);
    return column;
  }

  /** The column that ratios refer to. */
  get baseline() {
    return this.columns.find(({ key }) => key === this.baselineKey) ?? this.columns[0];
  }

  showRatios() {
    const most = Math.max(this.counted.most, ...this.columns.map(({ counts }) => counts.tokens));
    for (const column of this.columns) column.showRatio(this.baseline, most);
    this.counted.showRatios(this.baseline, most);
  }

  // A moved element loses its scroll position, so only columns in the wrong place are moved.
  order() {
    const there = this.$('.columns');
    this.columns.forEach(({ place, view }, i) => {
      const { scrollTop } = view;
      if (there.children[i] !== place) there.insertBefore(place, there.children[i] ?? null);
      view.scrollTop = scrollTop;
    });
    there.dataset.columns = this.columns.length + this.counted.columns.length;
  }

  // ---- events of the columns ----

  edited() {
    this.setAgreed(false);
    this.counted.fade();
    this.desk.classList.toggle('leftward', this.columns.some(({ place }) => place.matches('.leftward')));
  }

  /** Runs when a column has all its tokens; facts about all columns wait for the last one. */
  settled() {
    const { reading } = this.writing;
    this.notice.show(reading, this.columns.flatMap(({ spelled, encoding, doc }) => [spelled, waits(encoding, doc)]));
    const [first] = this.columns;
    if (!first || this.columns.some(({ reader, doc }) => reader.isStale || doc.text !== first.doc.text)) return;
    this.agree();
  }

  agree() {
    const changed = this.boundaries.update(this.columns.map(({ doc }) => doc));
    this.setAgreed(true);
    for (const { reader } of this.columns)
      for (const part of reader.tokens.paintedParts(changed)) markOdd(part, this.boundaries.odds);
    this.showRatios();
    this.disagreements.count();
    this.badge(
      this.columns[0].doc.chunks.reduce((n, chunk) => n + chunk.bytes.length, 0),
      this.columns.map(({ lost }) => lost).filter(Boolean),
      (n) => trn('round trip holds for {n} byte in every column', 'round trip holds for {n} bytes in every column', n),
    );
    this.pointing.settled();
  }

  // Marks the facts about all columns as outdated; the style fades them if that lasts.
  setAgreed(isAgreed) {
    this.isAgreed = isAgreed;
    this.desk.classList.toggle('unsure', !isAgreed);
  }

  // ---- buttons ----

  key(event) {
    this.disagreements.key(event);
  }

  press(action) {
    this.disagreements.go(action === 'next');
  }

  switched(name) {
    const isOn = this.isOn(name);
    this.$('.columns').classList.toggle(name, isOn);
    if (name === 'heat') this.$('.legend').hidden = !isOn;
    if (name === 'heat' && isOn)
      for (const { doc, reader } of this.columns)
        for (const part of reader.tokens.paintedParts(doc.chunks)) markHeat(part);
    if (name !== 'bytes') return;
    for (const column of this.columns) column.reader.tokens.repaint(column.doc.chunks);
    this.pointing.refresh();
  }

  /** Returns the choices for the address; the first encoding is the baseline unless another is named. */
  query() {
    const { baseline, columns } = this;
    const keys = [...columns, ...this.counted.columns].map(({ key }) => encodeURIComponent(key));
    const base = baseline === columns[0] ? '' : `&baseline=${encodeURIComponent(baseline.key)}`;
    return `encodings=${keys.join(',')}${base}&special=${columns[0]?.encoding.special ?? 'text'}`;
  }

  leave() {
    super.leave();
    cancelAnimationFrame(this.lock.wanted);
  }
}

export default mount(Compare);
