// Compares encodings: one text, a column per encoding, and facts about all columns.
import { mount } from '../../js/dom/component.js';
import { pauseNote, specialTokenNotes } from '../../js/editor/notice.js';
import { TextComponent } from '../../js/editor/text-component.js';
import { trn } from '../../js/dom/i18n.js';
import { Boundaries } from './boundaries.js';
import { Column } from './column.js';
import { CountedColumns } from './counted.js';
import { Disagreements } from './disagreements.js';
import { LinkedColumns } from './linked-columns.js';
import { markHeat, markDisputed } from './marks.js';
import { ScrollLock } from './scroll-lock.js';
import { BatchRequests } from './batch-requests.js';

const MAX_COLUMNS_BESIDE_DOCK = 3; // more would be too narrow

export class Compare extends TextComponent {
  constructor(root) {
    super(root);
    this.columns = [];
    this.counted = new CountedColumns(this.$('.columns'));
    this.boundaries = new Boundaries();
    this.isAgreed = false; // whether the boundaries are those of the shown tokens
    this.scrollLock = new ScrollLock(() => this.columns);
    this.pointer = new LinkedColumns(this);
    this.disagreements = new Disagreements(this);
  }

  get tokenizedTexts() {
    return this.columns.map(({ tokenized }) => tokenized);
  }

  applyData(data) {
    this.batchClient ??= new BatchRequests(this.client);
    this.counted.setCounts(data.counted ?? [], data.push.holds);
    const changed = this.setEncodings(data.encodings);
    this.baselineKey = data.baseline;
    this.desk.classList.toggle('few', Boolean(data.few));
    if (this.isAgreed) this.showRatios();
    return changed.map(({ tokenized }) => tokenized);
  }

  /** Creates a column per encoding, in order; returns those that must tokenize again. */
  setEncodings(encodings) {
    const before = this.columns, known = new Map(before.map((column) => [column.key, column]));
    const isFirst = ({ key }, i) => encodings.findIndex((other) => other.key === key) === i;
    const wanted = encodings.filter(isFirst);
    this.columns = wanted.map(({ key }) => known.get(key) ?? this.add());
    for (const column of before) if (!this.columns.includes(column)) column.destroy();
    this.placeColumns();
    const changed = this.columns.filter((column, i) => column.setEncoding(wanted[i]));
    if (changed.length) this.setAgreed(false);
    if (changed.includes(this.pointer.pinned?.tokenized.host)) this.pointer.unpin();
    const isReordered = before.length !== this.columns.length || before.some((one, i) => one !== this.columns[i]);
    if (!changed.length && isReordered) this.onSettled();
    return changed;
  }

  add() {
    const column = new Column(this);
    this.pointer.watch(column.tokenized, column.tokenized.tokens);
    this.scrollLock.watch(column);
    return column;
  }

  get baseline() {
    return this.columns.find(({ key }) => key === this.baselineKey) ?? this.columns[0];
  }

  showRatios() {
    const maxTokens = Math.max(this.counted.maxTokens, ...this.columns.map(({ counts }) => counts.tokens));
    for (const column of this.columns) column.showRatio(this.baseline, maxTokens);
    this.counted.showRatios(this.baseline, maxTokens);
  }

  // A moved element loses its scroll position, so only columns in the wrong place are moved.
  placeColumns() {
    const container = this.$('.columns');
    this.columns.forEach(({ place, view }, i) => {
      const { scrollTop } = view;
      if (container.children[i] !== place) container.insertBefore(place, container.children[i] ?? null);
      view.scrollTop = scrollTop;
    });
    const numColumns = this.columns.length + this.counted.columns.length;
    container.dataset.columns = numColumns;
    this.desk.classList.toggle('roomy', numColumns <= MAX_COLUMNS_BESIDE_DOCK);
  }

  onEdit() {
    this.setAgreed(false);
    this.counted.fade();
    this.desk.classList.toggle('leftward', this.columns.some(({ place }) => place.matches('.leftward')));
  }

  /** Runs when a column has all its tokens; facts about all columns wait for the last one. */
  onSettled() {
    const { reading } = this.textEditor;
    const special = specialTokenNotes(this.columns.map(({ encoding, counts }) => [encoding, counts]));
    this.notice.show(reading, [special, ...this.columns.map(({ encoding, doc }) => pauseNote(encoding, doc))]);
    const [first] = this.columns;
    if (!first || this.columns.some(({ tokenized, doc }) => tokenized.isStale || doc.text !== first.doc.text)) return;
    this.compareBoundaries();
  }

  compareBoundaries() {
    const changed = this.boundaries.update(this.columns.map(({ doc }) => doc));
    this.setAgreed(true);
    for (const { tokenized } of this.columns)
      for (const part of tokenized.tokens.paintedParts(changed)) markDisputed(part, this.boundaries.disputed);
    this.showRatios();
    this.disagreements.count();
    this.showRoundTrip(
      this.columns[0].doc.chunks.reduce((n, chunk) => n + chunk.bytes.length, 0),
      this.columns.map(({ roundTripProblem }) => roundTripProblem).filter(Boolean),
      (n) => trn('every round trip returns {n} byte', 'every round trip returns all {n} bytes', n),
    );
    this.pointer.onSettled();
  }

  // Marks the facts about all columns as outdated; the style fades them if that lasts.
  setAgreed(isAgreed) {
    this.isAgreed = isAgreed;
    this.desk.classList.toggle('unsure', !isAgreed);
  }

  onKey(event) {
    this.disagreements.onKey(event);
  }

  runAction(action) {
    this.disagreements.go(action === 'next');
  }

  onSwitch(name) {
    const isOn = this.isOn(name);
    this.$('.columns').classList.toggle(name, isOn);
    if (name === 'heat') this.$('.legend').hidden = !isOn;
    if (name === 'heat' && isOn)
      for (const { doc, tokenized } of this.columns)
        for (const part of tokenized.tokens.paintedParts(doc.chunks)) markHeat(part);
    if (name !== 'bytes') return;
    for (const column of this.columns) column.tokenized.tokens.repaint(column.doc.chunks);
    this.pointer.refresh();
  }

  /** Returns the choices for the address; the first encoding is the baseline unless another is named. */
  query() {
    const { baseline, columns } = this;
    const keys = [...columns, ...this.counted.columns].map(({ key }) => encodeURIComponent(key));
    const base = baseline === columns[0] ? '' : `&baseline=${encodeURIComponent(baseline.key)}`;
    return `encodings=${keys.join(',')}${base}&special=${columns[0]?.encoding.special ?? 'text'}`;
  }

  destroy() {
    super.destroy();
    cancelAnimationFrame(this.scrollLock.wanted);
  }
}

export default mount(Compare);
