// Draws the ladder or the tree: a column per unit, a row per merge, bottom up. Only the visible part is in the
// document.
import { nameOfBytes, runsOf } from '../../../web/js/tokens/token-chip.js';
import { make } from '../../../web/js/dom/elements.js';
import { tr, trn } from '../../../web/js/dom/i18n.js';

const ROW_EM = 3, BOX_EM = 2.625; // distance of the rows, and height of a box
const MIN_COLUMN_EM = 2.1, MAX_COLUMN_EM = 5;
const LABEL_EM = 8.5; // width of the rows' labels, left of the columns
const TOP_EM = 3.375; // space above the last row for the ranks of the possible merges
const MARGIN_CELLS = 6; // rows and columns outside the view that are drawn too

export class Scene {
  constructor(element) {
    this.element = element;
    this.space = make('div', 'space');
    element.replaceChildren(this.space);
    element.addEventListener('scroll', () => { this.drawFrame ||= requestAnimationFrame(() => this.draw()); });
    this.resizeObserver = new ResizeObserver(() => this.resize());
    this.resizeObserver.observe(element);
  }

  show(merges, ends, form) {
    const isOther = this.merges !== merges || this.form !== form;
    Object.assign(this, { merges, ends, form });
    if (!isOther) return;
    this.state = undefined; // the state of the previous merges
    this.numRows = 1 + (form === 'tree' ? Math.max(0, ...merges.nodes().map((node) => node.level)) : merges.numSteps);
    this.resize();
  }

  resize() {
    // during navigation the element is detached and has no size
    if (!this.merges || !this.element.isConnected) return;
    const was = this.em, em = parseFloat(getComputedStyle(this.element).fontSize);
    const room = this.element.clientWidth / em - LABEL_EM - 2;
    this.em = em;
    this.width = Math.max(MIN_COLUMN_EM, Math.min(MAX_COLUMN_EM, room / Math.max(1, this.merges.numUnits)));
    this.place(this.space, {
      width: LABEL_EM + this.width * this.merges.numUnits + 2, height: TOP_EM + ROW_EM * this.numRows,
    });
    if (was !== em && this.state !== undefined) this.follow(); // the stage enlarges it, which may hide what was visible
    this.draw();
  }

  // Places an element, in em of the scene.
  place(element, box) {
    for (const [side, em] of Object.entries(box)) element.style[side] = `${em * this.em}px`;
    return element;
  }

  /** Moves to a state; `isStep` if it is one merge away. */
  move(state, isStep) {
    this.state = state;
    this.isStep = isStep;
    if (this.em) this.follow();
    this.draw();
  }

  draw() {
    cancelAnimationFrame(this.drawFrame);
    this.drawFrame = 0;
    if (!this.em || this.state === undefined) return;
    const inView = this.inView();
    this.space.replaceChildren(
      ...this.walls(), ...(this.form === 'tree' ? this.tree(inView) : this.rungs(inView)),
      ...this.rankLabels(inView),
    );
    this.isStep = false;
  }

  inView() {
    const { element, em, width, numRows, merges } = this;
    const top = element.scrollTop / em - TOP_EM, left = element.scrollLeft / em - LABEL_EM;
    const fromTop = Math.floor(top / ROW_EM) - MARGIN_CELLS;
    const rows = Math.ceil(element.clientHeight / em / ROW_EM) + 2 * MARGIN_CELLS;
    const column = Math.floor(left / width) - MARGIN_CELLS;
    const columns = Math.ceil(element.clientWidth / em / width) + 2 * MARGIN_CELLS;
    return {
      from: Math.max(0, column), to: Math.min(merges.numUnits, column + columns),
      low: Math.max(0, numRows - fromTop - rows), high: Math.min(numRows - 1, numRows - 1 - fromTop),
    };
  }

  follow() {
    const { element, merges, state, em } = this, [from, , to] = merges.made[state - 1] ?? [0, 0, 1];
    const top = (TOP_EM + ROW_EM * (this.numRows - 1 - this.rowOf(state))) * em;
    const x = (LABEL_EM + this.width * (from + to) / 2) * em;
    if (top - 3 * em < element.scrollTop || top + ROW_EM * em > element.scrollTop + element.clientHeight)
      element.scrollTop = top - TOP_EM * em;
    if (x - 10 * em < element.scrollLeft || x + 3 * em > element.scrollLeft + element.clientWidth)
      element.scrollLeft = Math.max(0, x - element.clientWidth / 2);
  }

  rowOf(state) {
    return this.form === 'tree' ? (state ? this.nodeOf(state - 1).level : 0) : state;
  }

  nodeOf(step) {
    return this.merges.nodes()[this.merges.numUnits + step];
  }

  rungs({ from, to, low, high }) {
    const out = [];
    for (let row = low; row <= Math.min(high, this.state); row++) {
      const isNow = row === this.state;
      out.push(this.rowLabel(row, isNow));
      for (const part of this.merges.parts(row, from, to))
        out.push(
          this.box(part, row, `${isNow ? 'now' : row ? 'kept' : ''} ${row && part.step === row - 1 ? 'newest' : ''}`),
        );
    }
    return out;
  }

  tree({ from, to, low, high }) {
    const out = [];
    for (const node of this.merges.nodes()) {
      if (node.to <= from || node.from >= to || node.step >= this.state) continue;
      const isMerged = node.up >= 0 && node.up < this.state, top = isMerged ? this.nodeOf(node.up).level : node.level;
      if (top < low || node.level > high) continue;
      if (isMerged) out.push(this.line(node, this.nodeOf(node.up)));
      out.push(
        this.box(
          node, node.level,
          `node ${isMerged ? 'held' : 'now'} ${node.step >= 0 && node.step === this.state - 1 ? 'newest' : ''}`,
        ),
      );
    }
    return out;
  }

  line(node, parent) {
    const x = this.middle(node);
    const center = this.middle(parent);
    const line = make('i', x < center ? 'line to-left' : 'line to-right');
    const below = {
      left: Math.min(x, center), width: Math.abs(x - center), top: this.top(parent.level) + BOX_EM,
      height: this.top(node.level) - this.top(parent.level) - BOX_EM,
    };
    return this.place(line, below);
  }

  middle({ from, to }) {
    return LABEL_EM + this.width * (from + to) / 2;
  }

  top(row) {
    return TOP_EM + ROW_EM * (this.numRows - 1 - row);
  }

  box(part, row, kind) {
    const bytes = this.merges.bytesOf(part.from, part.to);
    const span = this.width * (part.to - part.from);
    const box = make('div', `part ${kind}`);
    const width = kind.startsWith('node')
      ? Math.min(span, Math.max(this.width, 0.75 * Math.min(14, bytes.length) + 4))
      : span;
    this.place(box, { left: LABEL_EM + this.width * part.from + (span - width) / 2, width, top: this.top(row) });
    const name = make(
      'span', runsOf(bytes.subarray(0, 8)).some((run) => 'bytes' in run) ? 'bytes' : 'words', nameOfBytes(bytes),
    );
    name.dir = 'auto';
    box.append(name);
    if (!kind.includes('kept') || kind.includes('newest')) box.append(make('span', 'id', String(part.id)));
    if (kind.includes('newest') && this.isStep) box.classList.add('fresh');
    box.title = trn('{name}: id {id}, {n} byte', '{name}: id {id}, {n} bytes', bytes.length, {
      name: nameOfBytes(bytes), id: String(part.id),
    });
    box.dataset.id = part.id;
    return box;
  }

  rowLabel(row, isNow) {
    const start = this.merges.isBytes ? tr('bytes') : tr('characters');
    const words = row
      ? [tr('merge {n}', { n: row }), tr('rank {rank}', { rank: String(this.merges.ranks[row - 1]) })]
      : [start, tr('ids')];
    const label = make('div', `beside ${isNow ? 'now' : ''}`, make('b', '', words[0]), make('span', '', words[1]));
    // keeps the label in view
    return this.place(label, { top: this.top(row), left: this.element.scrollLeft / this.em });
  }

  // Draws walls on both sides of all rows: the split pattern sets them before the first merge.
  walls() {
    return this.ends.map((end, side) => {
      const left = LABEL_EM + (side ? this.width * this.merges.numUnits : 0);
      return this.place(make('div', end === 'wall' ? 'wall' : 'wall open'), { left });
    });
  }

  // Shows above the current row the rank of each gap, the lowest in bold, or crosses at the end.
  rankLabels({ from, to }) {
    const { merges, state } = this, isLast = state === merges.numSteps;
    if (merges.whole || (!merges.gaps && !isLast)) return [];
    const next = isLast ? -1 : merges.made[state][1], out = [];
    let k = 0;
    for (const part of merges.parts(state, from, to)) {
      if (part.from === 0 || part.from < from) continue;
      const rank = isLast ? -1 : merges.rankAt(part.from, state);
      const isNext = part.from === next;
      const tag = make('span', `gap ${isNext ? 'next' : rank < 0 ? 'none' : ''}`, rank >= 0 ? String(rank) : '✕');
      tag.title =
        rank < 0
          ? tr('no merge joins these two parts')
          : isNext
            ? tr('rank {rank} is the lowest, so this merge comes next', { rank: String(rank) })
            : tr('rank {rank}', { rank: String(rank) });
      const row = this.form === 'tree' ? this.numRows - 1 : state;
      // in em: adjacent ranks alternate in height, so that they do not overlap; crosses have room
      const liftEm = !isLast && k++ % 2 ? 2.75 : 1.5;
      out.push(this.place(tag, { left: LABEL_EM + this.width * part.from, top: this.top(row) - liftEm }));
    }
    return out;
  }

  close() {
    cancelAnimationFrame(this.drawFrame);
    this.resizeObserver.disconnect();
  }
}
