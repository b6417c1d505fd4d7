// Keeps in this browser which class is open and what it shows; brings it back to a page, or elsewhere to a server, that
// does not know of it.
import { onceGone } from '../../../components/js/dom/elements.js';
import { watchConnection } from '../../../components/js/streamlit/streamlit-dom.js';
import { BROWSER, note, readJson, remove, write } from '../../../components/js/dom/storage.js';

const KEY = 'tokenloupe.teacher';
const OPENED_WITHIN = 20_000; // ms that a server has to open the class; then it counts as not told
// ms after which a page that has not heard of it is told again: what is told while a page comes may be lost
const AGAIN = 2000;
let told = null; // the visitor for whom a server was told
let waiting; // to tell again
let rest = () => {}; // ends the watch for a server that comes back

export default function ({ data, parentElement, setTriggerValue }) {
  const { now, over, elsewhere, visitor } = data;
  clearTimeout(waiting);
  rest();
  if (now) return store(now);
  if (over) return forget();
  const before = stored();
  if (!before) return;
  if (!elsewhere) tell(() => setTriggerValue('before', before), AGAIN);
  else {
    if (told !== visitor) open(before, visitor);
    // a page that stands still has not heard of a server that is new
    rest = watchConnection((isThere) => { if (isThere) open(before, visitor); });
  }
  return onceGone(parentElement, () => {
    clearTimeout(waiting);
    rest();
  });
}

// Till the page knows; ever more seldom, since a page that is slow begins anew with each.
function tell(say, wait) {
  say();
  waiting = setTimeout(tell, wait, say, 2 * wait);
}

function open(before, visitor) {
  told = visitor;
  const headers = { 'content-type': 'application/json' }, signal = AbortSignal.timeout(OPENED_WITHIN);
  fetch('/class/open', { method: 'POST', headers, body: JSON.stringify(before), signal }).catch(() => { told = null; });
}

function stored() {
  const found = readJson(BROWSER, KEY);
  return typeof found === 'object' ? found : null;
}

function store(now) {
  note(KEY, write(BROWSER, KEY, JSON.stringify(now)) ? [] : ['class']);
}

function forget() {
  remove(BROWSER, KEY);
  note(KEY, []);
}
