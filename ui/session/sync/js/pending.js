// Acknowledges the values that the server set on widgets, once no run is in progress. From then on, values that the
// widgets send are newer.
import { delay, whilePresent } from '../../../../web/js/dom/elements.js';
import { FRAGMENT, outbox } from '../../../../web/js/net/outbox.js';
import { BUSY } from '../../../../web/js/streamlit/streamlit-dom.js';

const MAX_WAIT_MS = 20_000, POLL_MS = 50;
const nextPoll = () => delay(POLL_MS);
let numberInProgress = null; // the number that is about to be acknowledged

export async function acknowledgePending(number) {
  if (number === null || number === numberInProgress) return;
  numberInProgress = number;
  await whilePresent(BUSY, MAX_WAIT_MS, nextPoll);
  await nextPoll(); // widgets get their values shortly after the run
  if (numberInProgress !== number) return; // there is a newer one
  numberInProgress = null;
  outbox().put('pending', number, FRAGMENT);
}
