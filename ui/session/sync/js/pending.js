// Acknowledges the values that the server gave to widgets, once the page stands still. What the widgets send from then
// on is new.
import { delay, whileThere } from '../../../components/js/dom/elements.js';
import { FRAGMENT, outbox } from '../../../components/js/net/outbox.js';
import { BUSY } from '../../../components/js/streamlit/streamlit-dom.js';

const MAX_WAIT_MS = 20_000, STEP_MS = 50;
const moment = () => delay(STEP_MS);
let waiting = null; // the number that is about to be acknowledged

export async function acknowledgePending(number) {
  if (number === null || number === waiting) return;
  waiting = number;
  await whileThere(BUSY, MAX_WAIT_MS, moment);
  await moment(); // widgets take their values a moment after the page has them
  if (waiting !== number) return; // there is a newer one
  waiting = null;
  outbox().put('pending', number, FRAGMENT);
}
