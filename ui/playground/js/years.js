// The slider through the years: a row of Streamlit's radio buttons, one for each encoding. The page shows an encoding
// as soon as its button is chosen; the server's next run confirms it.
import { RADIO } from '../../../web/js/streamlit/streamlit-dom.js';

const STOPS = `.st-key-years ${RADIO}`;
const CONFIRM_MS = 10_000; // until what the server shows counts

export class YearsSlider {
  /** Calls `onMove(stop)` with the data of the chosen stop: { encoding, comparison }. */
  constructor(onMove, signal) {
    this.onMove = onMove;
    this.stops = []; // null where the server has to load the encoding first
    this.moves = []; // stops that no run of the server has answered
    const listen = (kind, react) => document.addEventListener(kind, react, { signal, capture: true });
    listen('click', (event) => this.onClick(event));
    listen('pointerdown', ({ target }) => { this.pressed = target.closest?.(STOPS); });
    listen('pointermove', (event) => this.onDrag(event));
    listen('keyup', (event) => this.onKey(event));
  }

  /** Returns the stop to show when a run of the server has sent its data: `sent`, or a later one of the slider. */
  settle(stops, sent, onLate) {
    this.stops = stops;
    clearTimeout(this.timer);
    const isStop = stops.some((stop) => stop?.encoding.key === sent.encoding.key);
    const answered = this.moves.findIndex((stop) => stop.encoding.key === sent.encoding.key);
    this.moves = isStop ? this.moves.slice(answered + 1) : []; // another encoding is a newer choice
    if (!this.moves.length) return sent;
    this.timer = setTimeout(() => { this.moves = []; onLate(); }, CONFIRM_MS);
    return this.moves[this.moves.length - 1];
  }

  onClick({ target }) {
    const button = target.closest?.(STOPS);
    const stop = button && this.stops[Array.from(document.querySelectorAll(STOPS)).indexOf(button)];
    if (!stop) return;
    this.moves.push(stop);
    this.onMove(stop);
  }

  // Dragging moves the slider.
  onDrag({ buttons, clientX }) {
    if (buttons !== 1 || !this.pressed) return;
    const under = Array.from(document.querySelectorAll(STOPS)).find((one) => {
      const { left, right } = one.getBoundingClientRect();
      return clientX >= left && clientX < right;
    });
    if (!under || under === this.pressed) return;
    this.pressed = under;
    if (under.ariaChecked === 'false') under.click();
  }

  // Arrow keys move the focus between the radio buttons, so they must move the slider too.
  onKey({ key, target }) {
    if (/^Arrow/.test(key) && target.matches?.(STOPS) && target.ariaChecked === 'false') target.click();
  }

  close() {
    clearTimeout(this.timer);
  }
}
