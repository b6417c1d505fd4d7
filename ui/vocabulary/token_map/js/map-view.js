// Which part of the map is in view. The map has a square for each id, in rows from the top left; its unit is a square.

export const MAX_SQUARE_PX = 96; // when zoomed in fully; a map that is smaller as a whole is drawn larger
const COLUMNS_STEP = 10; // so that the ids of a row are easy to tell
const FLIGHT_MS = 450; // for each unit of the flight's length
const MAX_FLIGHT_MS = 2500;

const within = (value, low, high) => Math.max(low, Math.min(high, value));

export class MapView {
  constructor() {
    Object.assign(this, { numIds: 0, columns: 1, rows: 1, width: 1, height: 1, unit: 1, x: 0.5, y: 0.5, square: 1 });
  }

  /** Lays out `numIds` squares so that the whole map fills `width` × `height` pixels; `unit` scales the largest
   *  square. What was in the middle stays there, unless the whole map was in view. */
  layOut(numIds, width, height, unit = 1) {
    const isSame = numIds === this.numIds, wasWhole = this.isWhole, middle = this.idAt(this.width / 2, this.height / 2);
    const columns = Math.ceil(Math.sqrt((numIds * width) / height) / COLUMNS_STEP) * COLUMNS_STEP;
    Object.assign(this, { numIds, width, height, unit, columns, rows: Math.max(1, Math.ceil(numIds / columns)) });
    if (!isSame || wasWhole || middle < 0) this.showWhole();
    else this.moveTo({ ...this.placeOf(middle), square: this.square });
  }

  /** The size of a square in pixels if the whole map is in view. */
  get wholeSquare() {
    return Math.min(this.width / this.columns, this.height / this.rows);
  }

  get maxSquare() {
    return Math.max(this.wholeSquare, MAX_SQUARE_PX * this.unit);
  }

  get isWhole() {
    return this.square <= this.wholeSquare * 1.001;
  }

  /** What is in the middle, and how large a square is drawn. */
  get place() {
    return { x: this.x, y: this.y, square: this.square };
  }

  get wholePlace() {
    return { x: this.columns / 2, y: this.rows / 2, square: this.wholeSquare };
  }

  showWhole() {
    this.moveTo(this.wholePlace);
  }

  /** Moves to a place, as far as the map is then still in view. */
  moveTo({ x, y, square }) {
    this.square = within(square, this.wholeSquare, this.maxSquare);
    const inside = (value, size, pixels) => {
      const half = pixels / this.square / 2;
      return 2 * half >= size ? size / 2 : within(value, half, size - half);
    };
    this.x = inside(x, this.columns, this.width);
    this.y = inside(y, this.rows, this.height);
  }

  pan(dx, dy) {
    this.moveTo({ x: this.x - dx / this.square, y: this.y - dy / this.square, square: this.square });
  }

  /** Makes squares `factor` times as large; the point at these pixels stays where it is. */
  zoom(factor, left = this.width / 2, top = this.height / 2) {
    const square = within(this.square * factor, this.wholeSquare, this.maxSquare);
    const shift = 1 / this.square - 1 / square;
    this.moveTo({
      x: this.x + (left - this.width / 2) * shift, y: this.y + (top - this.height / 2) * shift, square,
    });
  }

  /** Returns the place of the middle of an id's square. */
  placeOf(id) {
    return { x: (id % this.columns) + 0.5, y: Math.floor(id / this.columns) + 0.5 };
  }

  /** Returns the id at a point in pixels; -1 if there is none. */
  idAt(left, top) {
    const column = Math.floor(this.x + (left - this.width / 2) / this.square);
    const row = Math.floor(this.y + (top - this.height / 2) / this.square), id = row * this.columns + column;
    return column >= 0 && column < this.columns && row >= 0 && id < this.numIds ? id : -1;
  }

  /** Returns where a place of the map is drawn, in pixels. */
  pixelsOf({ x, y }) {
    return [this.width / 2 + (x - this.x) * this.square, this.height / 2 + (y - this.y) * this.square];
  }

  /** Yields the ids whose squares are in view. */
  *visibleIds() {
    const halfWidth = this.width / this.square / 2, halfHeight = this.height / this.square / 2;
    const left = Math.max(0, Math.floor(this.x - halfWidth)), top = Math.max(0, Math.floor(this.y - halfHeight));
    const right = Math.min(this.columns, Math.ceil(this.x + halfWidth));
    const end = Math.min(this.rows, Math.ceil(this.y + halfHeight));
    for (let row = top; row < end; row++)
      for (let id = row * this.columns + left; id < Math.min(this.numIds, row * this.columns + right); id++) yield id;
  }
}

const RHO = Math.SQRT2;

/** Returns a flight between two places in a view of `width` pixels: { ms, at(share) }. It zooms out, moves, and zooms
 *  in again, by van Wijk and Nuij (2003), “Smooth and efficient zooming and panning”. */
export function flightBetween(from, to, width) {
  const span = (place) => width / place.square; // what is in view, in squares
  const [w0, w1] = [span(from), span(to)], dx = to.x - from.x, dy = to.y - from.y, distance = Math.hypot(dx, dy);
  const timed = (length, at) => ({ ms: Math.min(MAX_FLIGHT_MS, FLIGHT_MS * Math.abs(length)), at });
  if (distance < 1e-6) {
    const length = Math.log(w1 / w0) / RHO;
    return timed(length, (share) => ({ x: to.x, y: to.y, square: width / (w0 * (w1 / w0) ** share) }));
  }
  const b = (sign, w) => (w1 ** 2 - w0 ** 2 + sign * RHO ** 4 * distance ** 2) / (2 * w * RHO ** 2 * distance);
  const r = (value) => Math.log(-value + Math.sqrt(value ** 2 + 1));
  const r0 = r(b(1, w0)), length = (r(b(-1, w1)) - r0) / RHO;
  return timed(length, (share) => {
    if (share >= 1) return to;
    const s = RHO * share * length + r0;
    const moved = (w0 / RHO ** 2) * (Math.cosh(r0) * Math.tanh(s) - Math.sinh(r0)) / distance;
    return {
      x: from.x + moved * dx, y: from.y + moved * dy, square: width / ((w0 * Math.cosh(r0)) / Math.cosh(s)),
    };
  });
}
