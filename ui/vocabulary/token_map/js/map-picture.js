// Draws the map: a bitmap with a pixel for each id, which is scaled to the view, and what is marked on it.
import { make } from '../../../../web/js/dom/elements.js';
import { nameOf } from '../../js/chip.js';

export const LENGTHS_SHOWN = [1, 2, 4, 8, 16]; // bytes, from the palest color to the strongest
const MIN_COLOR_SHARE = 0.28; // the share of a token's color, beside that of the paper
const FADED_COLOR_SHARE = 0.12; // of a token that is not in the chosen group
export const MIN_NAMED_PX = 56; // of a square, from which it has the token's text
const MIN_LINED_PX = 10; // of a square, from which it has lines around it
const MIN_MARK_PX = 8; // of a square that is marked
const TEXT_PX = 14, ID_PX = 12;

/** Returns the share of a token's color for its bytes: each doubling adds the same, up to the last LENGTHS_SHOWN. */
export const strengthOf = (numBytes) =>
  MIN_COLOR_SHARE +
  (1 - MIN_COLOR_SHARE) * Math.min(1, Math.log2(Math.max(1, numBytes)) / Math.log2(LENGTHS_SHOWN.at(-1)));

export class MapPicture {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.bitmap = make('canvas');
    this.labels = new Map(); // shortened texts of tokens, by size and token
  }

  /** Takes the columns of the map: the group, the length and whether it is shared (or null) of each id; the kinds of
   *  the groups are "script", "special" or "unused". */
  load(columns, kinds) {
    Object.assign(this, { columns, kinds });
    this.labels.clear();
  }

  /** Reads the theme's colors; `colors` are those of the groups, "" for the color of the text. */
  recolor(colors) {
    const brush = Object.assign(make('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
    const numbersOf = (color) => {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = color;
      brush.fillRect(0, 0, 1, 1);
      return Array.from(brush.getImageData(0, 0, 1, 1).data.subarray(0, 3));
    };
    const probe = make('span');
    this.canvas.parentElement.append(probe);
    const resolve = (color) => {
      probe.style.color = color;
      return getComputedStyle(probe).color;
    };
    Object.assign(this, { paper: resolve('var(--paper)'), ink: resolve('var(--ink)') });
    this.numbers = [...colors.map((color) => color || this.ink), this.paper].map(numbersOf);
    this.font = getComputedStyle(this.canvas).fontFamily;
    probe.remove();
  }

  /** Paints the bitmap. A token's color is stronger the longer it is, or with `bySharing` where both vocabularies have
   *  it; with a `group`, tokens of others are faded. */
  paint(view, { bySharing, group }) {
    const { columns: { groups, lengths, shared }, numbers, bitmap, kinds } = this, paper = numbers.at(-1);
    const strengths = Float32Array.from({ length: 256 }, (_, n) => strengthOf(n));
    Object.assign(bitmap, { width: view.columns, height: view.rows });
    const image = new ImageData(view.columns, view.rows), { data } = image;
    const strengthByKind = kinds.map((kind) => ({ special: 1, unused: MIN_COLOR_SHARE / 2 })[kind] ?? 0);
    for (let id = 0, at = 0; id < groups.length; id++, at += 4) {
      const own = groups[id], color = numbers[own];
      let strength = strengthByKind[own] || (bySharing ? (shared[id] ? 1 : MIN_COLOR_SHARE) : strengths[lengths[id]]);
      if (group >= 0 && own !== group) strength = Math.min(FADED_COLOR_SHARE, strength);
      for (let k = 0; k < 3; k++) data[at + k] = paper[k] + (color[k] - paper[k]) * strength;
      data[at + 3] = 255;
    }
    bitmap.getContext('2d').putImageData(image, 0, 0);
  }

  /** Draws what is in view. `marks` are ids to mark, joined in this order if `isPath`, `current` is the id with a
   *  frame, or -1; `rowOf(id)` returns what the server knows of a token, or null. */
  draw(view, { marks, isPath, current, rowOf }) {
    const { canvas, context, bitmap } = this, { square, columns, rows, width, height } = view;
    const scale = canvas.width / width, [left, top] = view.pixelsOf({ x: 0, y: 0 });
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.imageSmoothingEnabled = square * scale < 1;
    context.drawImage(bitmap, left, top, columns * square, rows * square);
    if (square >= MIN_LINED_PX) this.drawLines(view, left, top);
    if (square >= MIN_NAMED_PX * view.unit) this.drawNames(view, rowOf);
    if (marks.length) this.drawMarks(view, marks, isPath);
    if (current >= 0) this.drawFrame(view, current);
  }

  // Lines between squares; a cross for an unused id, a double frame for a special token, a dot for a shared one.
  drawLines(view, left, top) {
    const { context, kinds, columns: { groups, shared } } = this, { square, columns, rows, width, height } = view;
    const right = Math.min(width, left + columns * square), bottom = Math.min(height, top + rows * square);
    const first = (from) => (from < 0 ? from % square : from);
    context.beginPath();
    for (let x = first(left); x < right; x += square) context.rect(Math.round(x), 0, 1, bottom);
    for (let y = first(top); y < bottom; y += square) context.rect(0, Math.round(y), right, 1);
    context.fillStyle = this.paper;
    context.fill();
    context.lineWidth = 1;
    for (const id of view.visibleIds()) {
      const kind = kinds[groups[id]];
      if (kind === 'script' && !shared?.[id]) continue;
      const [x, y] = view.pixelsOf(view.placeOf(id)), half = square / 2 - 2;
      context.strokeStyle = context.fillStyle = kind === 'special' ? this.paper : this.ink;
      context.beginPath();
      if (kind === 'special') context.rect(x - half + 1, y - half + 1, 2 * half - 2, 2 * half - 2);
      else if (kind === 'unused') {
        context.moveTo(x - half, y - half);
        context.lineTo(x + half, y + half);
        context.moveTo(x + half, y - half);
        context.lineTo(x - half, y + half);
      } else context.arc(x + half - 2, y - half + 2, 1.5, 0, 2 * Math.PI);
      if (kind === 'script') context.fill(); else context.stroke();
    }
  }

  drawNames(view, rowOf) {
    const { context, kinds, columns: { groups } } = this, { square, unit } = view;
    const room = square - 8, line = 1.4 * TEXT_PX * unit, below = 1.4 * ID_PX * unit;
    Object.assign(context, { textAlign: 'center', textBaseline: 'middle', font: `${TEXT_PX * unit}px ${this.font}` });
    const placed = Array.from(view.visibleIds(), (id) => [id, ...view.pixelsOf(view.placeOf(id))]);
    const isUnused = (id) => kinds[groups[id]] === 'unused';
    context.fillStyle = this.paper;
    for (const [id, x, y] of placed)
      context.fillRect(x - room / 2, isUnused(id) ? y : y - line, room, isUnused(id) ? below : line + below);
    context.fillStyle = this.ink;
    for (const [id, x, y] of placed) {
      const row = isUnused(id) ? null : rowOf(id);
      if (row) context.fillText(this.shortened(nameOf(row), room - 4), x, y - line / 2);
    }
    context.font = `${ID_PX * unit}px ${this.font}`;
    for (const [id, x, y] of placed) context.fillText(String(id), x, y + below / 2, room);
  }

  // Returns a text cut to a width, at a grapheme, in the context's font.
  shortened(text, room) {
    const key = `${Math.round(room)} ${text}`, known = this.labels.get(key);
    if (known !== undefined) return known;
    if (this.labels.size > MAX_LABELS) this.labels.clear();
    let found = text;
    if (this.context.measureText(text).width > room) {
      const graphemes = Array.from(segmenter.segment(text.slice(0, MAX_LABEL_UNITS)), ({ segment }) => segment);
      do graphemes.pop(); while (graphemes.length && this.context.measureText(`${graphemes.join('')}…`).width > room);
      found = `${graphemes.join('')}…`;
    }
    this.labels.set(key, found);
    return found;
  }

  // Fades the map, and draws the marked tokens in full, at least MIN_MARK_PX wide, joined by a line if they are a path.
  drawMarks(view, marks, isPath) {
    const { context, numbers, columns: { groups } } = this, size = Math.max(view.square, MIN_MARK_PX * view.unit);
    const points = marks.map((id) => view.pixelsOf(view.placeOf(id)));
    if (view.square < MIN_NAMED_PX * view.unit) {
      context.globalAlpha = 0.6;
      context.fillStyle = this.paper;
      context.fillRect(0, 0, view.width, view.height);
      context.globalAlpha = 1;
      if (isPath) {
        context.beginPath();
        for (const [x, y] of points) context.lineTo(x, y);
        context.lineWidth = 1.5;
        context.strokeStyle = this.ink;
        context.stroke();
      }
    }
    context.strokeStyle = this.ink;
    context.lineWidth = 1.5;
    points.forEach(([x, y], i) => {
      if (view.square < MIN_NAMED_PX * view.unit) {
        context.fillStyle = `rgb(${numbers[groups[marks[i]]]})`;
        context.fillRect(x - size / 2, y - size / 2, size, size);
      }
      context.strokeRect(x - size / 2, y - size / 2, size, size);
    });
  }

  drawFrame(view, id) {
    const { context } = this, [x, y] = view.pixelsOf(view.placeOf(id));
    const half = Math.max(view.square, MIN_MARK_PX * view.unit) / 2 + 1.5;
    for (const [color, lineWidth] of [[this.paper, 6], [this.ink, 3]]) {
      Object.assign(context, { strokeStyle: color, lineWidth });
      context.strokeRect(x - half, y - half, 2 * half, 2 * half);
    }
  }
}

const MAX_LABELS = 5000, MAX_LABEL_UNITS = 60;
const segmenter = new Intl.Segmenter();
