// Keeps in this browser which class is open and what it shows. Brings it back to the page of lessons, or on other pages
// to a server, that does not know of it.
import { browserRecord, keepInBrowser } from '../../../components/js/dom/storage.js';
import { outbox } from '../../../components/js/net/outbox.js';

const OPENED_WITHIN = 20_000; // ms that a server has to open the class; then it counts as not told
let told = null; // the visitor for whom a server was told
let isElsewhere = false; // whether another page than that of lessons is shown

/** Takes the page's `{ now, over }`, undefined on other pages. */
export function keepClass(given, visitor) {
  isElsewhere = !given;
  if (given?.now) return keepInBrowser('class', given.now, 'class');
  if (given?.over) return keepInBrowser('class');
  if (!stored()) return;
  if (isElsewhere && told !== visitor) open();
  else if (!isElsewhere && !outbox().has('class')) outbox().put('class', stored());
  told = visitor;
}

/** A page that stands still has not heard of a server that is new. */
export function connectClass() {
  if (isElsewhere && stored()) open();
}

function open() {
  const headers = { 'content-type': 'application/json' }, signal = AbortSignal.timeout(OPENED_WITHIN);
  fetch('/class/open', { method: 'POST', headers, body: JSON.stringify(stored()), signal })
    .catch(() => { told = null; });
}

function stored() {
  const found = browserRecord().class;
  return found?.constructor === Object ? found : null;
}
