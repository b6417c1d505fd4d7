// Changes that the server has not acknowledged. A change has a name and a number: a newer one of the same name replaces
// it, and the server acknowledges the highest number of each name that it has taken. What is under way is not sent a
// second time, so that a long text is written as JSON once, unless its acknowledgement is overdue.
import { inDocument } from '../dom/document-state.js';
import { delay } from '../dom/elements.js';
import { heading } from '../editor/tab-state.js';

/** The two mounts of the component `session_sync`: a message of the second starts no run of the page. */
export const PAGE = 'page';
export const FRAGMENT = 'fragment';
const RESEND_MS = 4_000; // until an unacknowledged change is sent again; doubles each time
const TURN_POLL_MS = 100;
const LASTING = ['call', 'file', 'link', 'recipes']; // for any server; other changes are about one server's state

class Outbox {
  constructor() {
    this.changes = new Map(); // name -> { number, value, mount, isSent, times: how often it was sent, settle }
    this.number = Date.now(); // higher than those of an earlier document
    this.mounts = {}; // what each sends with
    this.isWaiting = {}; // by mount: whether it is about to send
    this.wasAway = false; // whether the server was, since the last run
    heading(); // from now on it is known where a click leads
  }

  /** Sends a value; resolves to whether the server has taken it, or a newer one that replaces it. */
  put(name, value, mount = PAGE) {
    const { promise, resolve: settle } = Promise.withResolvers();
    this.changes.get(name)?.settle(promise);
    this.changes.set(name, { number: ++this.number, value, mount, isSent: false, times: 0, settle });
    this.flush(mount);
    return promise;
  }

  discard(name) {
    this.changes.get(name)?.settle(false);
    this.changes.delete(name);
    this.mark();
  }

  /** Marks the document as long as a change is unacknowledged, for tests. */
  mark() {
    document.documentElement.toggleAttribute('data-unacknowledged', this.changes.size > 0);
  }

  has(name) {
    return this.changes.has(name);
  }

  /** Takes what a run of the page says; `send(changes)` sends from its mount. Either mount may come first. */
  receive(mount, { acknowledged, visitor, page, push }, send) {
    const isNew = this.visitor !== undefined && visitor !== this.visitor; // the server was started anew
    this.mounts[mount] = send;
    for (const [name, one] of this.changes) {
      const isTaken = acknowledged[name] >= one.number;
      const isOver = name === 'text'
        ? push?.initial && push.id !== one.value.push // it follows the text of another server
        : isNew && !LASTING.includes(name);
      if (isTaken || isOver) {
        this.changes.delete(name);
        one.settle(isTaken);
      } else if (isNew || page !== this.page || this.wasAway) one.isSent = false; // it was lost on its way
    }
    Object.assign(this, { visitor, page });
    if (mount === PAGE) Object.assign(this, { path: location.pathname, wasAway: false });
    this.flush(mount);
  }

  /** Sends what is new, in one message, once the page is not about to change. */
  async flush(mount) {
    this.mark();
    if (this.isWaiting[mount]) return;
    this.isWaiting[mount] = true;
    do await delay(this.isTurning(mount) ? TURN_POLL_MS : 0);
    while (this.isTurning(mount));
    this.isWaiting[mount] = false;
    const due = Array.from(this.changes).filter(([, one]) => one.mount === mount && !one.isSent);
    if (!due.length || !this.mounts[mount]) return;
    this.mounts[mount](Object.fromEntries(due.map(([name, { number, value }]) => [name, { number, value }])));
    for (const [, one] of due) this.resend(Object.assign(one, { isSent: true, times: one.times + 1 }));
  }

  async resend(one) {
    const { times } = one;
    await delay(RESEND_MS * 2 ** (times - 1));
    if (one.times !== times) return;
    one.isSent = false;
    this.flush(one.mount);
  }

  /** Whether a link was pressed whose page has not come: what is sent now would turn the page back. */
  isTurning(mount) {
    const { to, isThere } = heading();
    return mount === PAGE && to !== null && !isThere && to !== this.path;
  }
}

export const outbox = () => inDocument('outbox', () => new Outbox());
