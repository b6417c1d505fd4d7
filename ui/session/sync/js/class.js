// Stores in this browser which class is open and what it shows. If a server lacks the class, the page of lessons gets
// it through the outbox; on other pages a request opens it.
import { browserRecord, storeInBrowser } from '../../../../web/js/dom/storage.js';
import { outbox } from '../../../../web/js/net/outbox.js';

const OPEN_TIMEOUT_MS = 20_000;
let informedVisitor = null; // the visitor whose server has got the class
let offeredTo = null; // the visitor who was offered the class on the page of lessons: a server may be full
let url = ''; // of the server's routes for classes
let isOtherPage = false; // whether another page than that of lessons is shown

/** Handles the class of the page of lessons, `{ open, ended }`; undefined on other pages. */
export function syncClass(fromPage, visitor, classroomUrl) {
  url = classroomUrl;
  isOtherPage = !fromPage;
  if (isOtherPage) offeredTo = null;
  if (fromPage?.open) return storeInBrowser('class', fromPage.open);
  if (fromPage?.ended) return removeClass(fromPage.ended);
  if (!storedClass()) return;
  if (isOtherPage && informedVisitor !== visitor) openClass();
  else if (!isOtherPage && offeredTo !== visitor) {
    outbox().put('class', storedClass());
    offeredTo = visitor;
  }
  informedVisitor = visitor;
}

/** Opens the class on a restarted server: after a reconnect no run may follow. */
export function reopenClass() {
  if (isOtherPage && storedClass()) openClass();
}

// Removes the class with this secret. Another tab may have opened a class since.
function removeClass(secret) {
  if (storedClass()?.secret === secret) storeInBrowser('class');
}

function openClass() {
  const headers = { 'content-type': 'application/json' }, signal = AbortSignal.timeout(OPEN_TIMEOUT_MS);
  fetch(`${url}/open`, { method: 'POST', headers, body: JSON.stringify(storedClass()), signal })
    // a refusal is final: the page of lessons shows it
    .then(({ status }) => { if (status >= 500) informedVisitor = null; }, () => { informedVisitor = null; });
}

function storedClass() {
  const found = browserRecord().class;
  return typeof found?.secret === 'string' ? found : null;
}
