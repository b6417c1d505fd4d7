// Changes that the server has not acknowledged. A change has a name and a number: a newer one of the same name replaces
// it, and the server acknowledges the highest number of each name that it has received. A change that has been sent is
// sent again only if its acknowledgement is overdue, so that a long text is written as JSON once.
import { inDocument } from '../dom/document-state.js';
import { delay } from '../dom/elements.js';
import { navigation } from '../editor/tab-state.js';

/** The two mounts of the component `session_sync`. A message from PAGE starts a run of the page, one from FRAGMENT runs
 *  only the component's fragment. */
export const PAGE = 'page';
export const FRAGMENT = 'fragment';
const RESEND_DELAY_MS = 4_000; // until an unacknowledged change is sent again; doubles each time
const NAVIGATION_POLL_MS = 100;
const FOR_ANY_SERVER = ['call', 'file', 'link', 'recipes']; // the other changes refer to one server's state

class Outbox {
  constructor() {
    this.changes = new Map(); // name -> { number, value, mount, isSent, attempts, settle }
    this.number = Date.now(); // higher than the numbers of an earlier document
    this.senders = {}; // mount -> function that sends changes from it
    this.isScheduled = {}; // mount -> whether a message is about to be sent
    this.wasDisconnected = false; // whether the connection was lost since the last run
    navigation(); // starts to track clicks
  }

  /** Sends a value; resolves to whether the server has acknowledged it, or a newer value that replaces it. */
  put(name, value, mount = PAGE) {
    const { promise, resolve: settle } = Promise.withResolvers();
    this.changes.get(name)?.settle(promise);
    this.changes.set(name, { number: ++this.number, value, mount, isSent: false, attempts: 0, settle });
    // A file replaces the server's text, which Undo restores: a text that may be lost is sent again before the file.
    const text = this.changes.get('text');
    if (name === 'file' && text) text.isSent = false;
    this.flush(mount);
    return promise;
  }

  discard(name) {
    this.changes.get(name)?.settle(false);
    this.changes.delete(name);
    this.markDocument();
  }

  /** Marks the document while a change is unacknowledged, for tests. */
  markDocument() {
    document.documentElement.toggleAttribute('data-unacknowledged', this.changes.size > 0);
  }

  has(name) {
    return this.changes.has(name);
  }

  /** Handles the data of a run; `send(changes)` sends from this mount. Either mount may call first. */
  receive(mount, { acknowledged, visitor, page, push }, send) {
    const isNewServer = this.visitor !== undefined && visitor !== this.visitor;
    this.senders[mount] = send;
    for (const [name, change] of this.changes) {
      const isAcknowledged = acknowledged[name] >= change.number;
      const isObsolete = name === 'text'
        ? push?.initial && push.id !== change.value.push // the text was typed after the push of another server
        : isNewServer && !FOR_ANY_SERVER.includes(name);
      if (isAcknowledged || isObsolete) {
        this.changes.delete(name);
        change.settle(isAcknowledged);
      } else if (isNewServer || page !== this.page || this.wasDisconnected) change.isSent = false; // it may be lost
    }
    Object.assign(this, { visitor, page });
    if (mount === PAGE) Object.assign(this, { path: location.pathname, wasDisconnected: false });
    this.flush(mount);
  }

  /** Sends all unsent changes of a mount in one message, once no navigation is in progress. */
  async flush(mount) {
    this.markDocument();
    if (this.isScheduled[mount]) return;
    this.isScheduled[mount] = true;
    do await delay(this.isNavigating(mount) ? NAVIGATION_POLL_MS : 0);
    while (this.isNavigating(mount));
    this.isScheduled[mount] = false;
    const due = Array.from(this.changes).filter(([, change]) => change.mount === mount && !change.isSent);
    if (!due.length || !this.senders[mount]) return;
    this.senders[mount](Object.fromEntries(due.map(([name, { number, value }]) => [name, { number, value }])));
    for (const [, change] of due)
      this.resend(Object.assign(change, { isSent: true, attempts: change.attempts + 1 }));
  }

  async resend(change) {
    const { attempts } = change;
    await delay(RESEND_DELAY_MS * 2 ** (attempts - 1));
    if (change.attempts !== attempts) return;
    change.isSent = false;
    this.flush(change.mount);
  }

  /** Whether the page of a clicked link has not opened yet: a message sent now would navigate back. */
  isNavigating(mount) {
    const { path, hasArrived } = navigation();
    return mount === PAGE && path !== null && !hasArrived && path !== this.path;
  }
}

export const outbox = () => inDocument('outbox', () => new Outbox());
