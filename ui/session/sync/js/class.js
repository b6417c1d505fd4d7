// Keeps in this browser which class is open and what it shows. Brings it back to the page of lessons, or on other pages
// to a server, that does not know of it.
import { browserRecord, keepInBrowser } from '../../../components/js/dom/storage.js';
import { outbox } from '../../../components/js/net/outbox.js';

const OPEN_TIMEOUT_MS = 20_000;
let informedVisitor = null; // whose server was asked to open the class
let isElsewhere = false; // whether another page than that of lessons is shown

/** Takes the page's `{ now, over }`, undefined on other pages. */
export function keepClass(given, visitor) {
  isElsewhere = !given;
  if (given?.now) return keepInBrowser('class', given.now);
  if (given?.over) return forget(given.over);
  if (!stored()) return;
  if (isElsewhere && informedVisitor !== visitor) open();
  else if (!isElsewhere && !outbox().has('class')) outbox().put('class', stored());
  informedVisitor = visitor;
}

/** Asks a restarted server to open the class: after a reconnect no run may follow. */
export function connectClass() {
  if (isElsewhere && stored()) open();
}

// Another tab may have opened a class since.
function forget(secret) {
  if (stored()?.secret === secret) keepInBrowser('class');
}

function open() {
  const headers = { 'content-type': 'application/json' }, signal = AbortSignal.timeout(OPEN_TIMEOUT_MS);
  fetch('/class/open', { method: 'POST', headers, body: JSON.stringify(stored()), signal })
    .then((reply) => { if (!reply.ok) informedVisitor = null; }, () => { informedVisitor = null; });
}

function stored() {
  const found = browserRecord().class;
  return typeof found?.secret === 'string' ? found : null;
}
