// Encodings side by side: one text, a column for each encoding, and what is true of all columns together.
import { Door } from '../../kit/js/door.js';
import { Notice } from '../../kit/js/notice.js';
import { grouped, setText } from '../../kit/js/readout.js';
import { Writing } from '../../kit/js/writing.js';
import { Bar } from './bar.js';
import { Boundaries } from './boundaries.js';
import { Column } from './column.js';
import { Linked } from './linked.js';
import { markHeat, markOdd } from './marks.js';
import { ScrollLock } from './scroll-lock.js';
import { Together } from './together.js';

export class Compare {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.desk = this.$('.compare');
    this.columns = [];
    this.boundaries = new Boundaries();
    this.isAgreed = false; // whether the boundaries are those of what is shown
    this.notice = new Notice(this.$('.notice'));
    this.writing = new Writing(this.$('textarea'), this.notice, {
      moved: () => this.pump(this.columns),
      send: (commit) => this.component.setTriggerValue('commit', commit),
    });
    this.lock = new ScrollLock(() => this.columns);
    this.linked = new Linked(this);
    this.bar = new Bar(this);
  }

  askWhy(key, at) {
    if (this.writing.reading.tooLong) return; // the tokens are of an older text
    this.component.setTriggerValue('why', this.writing.asWhy(key, at));
  }

  /** Takes what a rerun of the page says; `component` is Streamlit's, new every time. */
  update(component) {
    const { data } = component;
    this.component = component;
    this.door ??= new Door(data.url);
    this.together ??= new Together(this.door);
    this.door.update(component, this.notice);
    const changed = this.arrange(data.encodings);
    this.setBaseline(data.baseline);
    this.writing.receive(data.push);
    if (this.writing.isOpen) this.pump(changed);
  }

  pump(columns) {
    for (const column of columns) column.reader.pump();
  }

  // ---- columns ----

  /** Has a column for each encoding, in order; returns those that must read anew. Others stay as they are. */
  arrange(encodings) {
    const before = this.columns, known = new Map(before.map((column) => [column.key, column]));
    const isFirst = ({ key }, i) => encodings.findIndex((other) => other.key === key) === i;
    const wanted = encodings.filter(isFirst);
    this.columns = wanted.map(({ key }) => known.get(key) ?? this.add());
    for (const column of before) if (!this.columns.includes(column)) column.leave();
    this.order();
    const changed = this.columns.filter((column, i) => column.use(wanted[i]));
    if (changed.length) this.setAgreed(false);
    if (changed.includes(this.linked.pinned?.column)) this.linked.unpin();
    if (!changed.length && (before.length !== this.columns.length || before.some((column, i) => column !== this.columns[i]))) this.settled();
    return changed;
  }

  add() {
    const column = new Column(this);
    this.linked.watch(column);
    this.lock.watch(column);
    return column;
  }

  /** The column that the others have their ratios to. */
  get baseline() {
    return this.columns.find(({ key }) => key === this.baselineKey) ?? this.columns[0];
  }

  setBaseline(key) {
    if (this.baselineKey === key) return;
    this.baselineKey = key;
    if (this.isAgreed) this.showRatios();
  }

  showRatios() {
    for (const column of this.columns) column.showRatio(this.baseline);
  }

  // Elements that are moved lose where they were scrolled to, so only those are that must be.
  order() {
    const there = this.$('.columns');
    this.columns.forEach(({ place, view }, i) => {
      const { scrollTop } = view;
      if (there.children[i] !== place) there.insertBefore(place, there.children[i] ?? null);
      view.scrollTop = scrollTop;
    });
    there.dataset.columns = this.columns.length;
  }

  // ---- what the columns tell ----

  edited(doc) {
    this.setAgreed(false);
    this.desk.classList.toggle('leftward', doc.chunks.some((chunk) => chunk.leftward));
  }

  /** Called when a column has all its tokens; what is said of all waits for the last of them. */
  settled() {
    const { reading } = this.writing;
    this.notice.show(reading, this.columns.map(({ spelled }) => spelled));
    setText(this.$('.badge .way'), this.door.wayInWords);
    const [first] = this.columns;
    if (!first || this.columns.some(({ reader, doc }) => reader.isStale || doc.text !== first.doc.text)) return;
    this.agree();
  }

  agree() {
    const changed = this.boundaries.update(this.columns.map(({ doc }) => doc));
    this.setAgreed(true);
    for (const { reader } of this.columns) for (const part of reader.tokens.paintedParts(changed)) markOdd(part, this.boundaries.odds);
    this.showRatios();
    this.bar.count(this.boundaries);
    this.badge();
    this.linked.refresh();
  }

  // What is said of all columns is of an older text: the style fades it when that lasts.
  setAgreed(isAgreed) {
    this.isAgreed = isAgreed;
    this.desk.classList.toggle('unsure', !isAgreed);
  }

  badge() {
    const bytes = this.columns[0].doc.chunks.reduce((n, chunk) => n + chunk.bytes.length, 0), lost = this.columns.map((column) => column.lost).filter(Boolean);
    setText(this.$('.badge .state'), !bytes ? 'nothing to check yet' : lost.length ? lost.join('; ')
      : `round trip holds for ${grouped(bytes)} byte${bytes === 1 ? '' : 's'} in every column`);
  }

  // ---- switches ----

  isOn(name) {
    return this.$(`[data-do="${name}"]`).getAttribute('aria-pressed') === 'true';
  }

  switched(name) {
    const isOn = this.isOn(name);
    this.$('.columns').classList.toggle(name, isOn);
    if (name === 'heat') this.$('.legend').hidden = !isOn;
    if (name === 'heat' && isOn) for (const { doc, reader } of this.columns) for (const part of reader.tokens.paintedParts(doc.chunks)) markHeat(part);
    if (name !== 'bytes') return;
    for (const column of this.columns) column.reader.tokens.repaint(column.doc.chunks);
    this.linked.refresh();
  }

  leave() {
    this.writing.leave();
    for (const column of this.columns) column.reader.leave();
    cancelAnimationFrame(this.lock.wanted);
    this.door?.close();
  }
}
