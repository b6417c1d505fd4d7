// Stores the typed values, the addresses and the own encodings of all pages in the tab, and restores them after a
// reload or a restart of the server. Sends the server what a link contains.
import { initialUrl, isReload, readFragment, restFrom } from '../../../../web/js/net/text-link.js';
import { waitUntilIdle, lastRun } from '../../../../web/js/net/page-link.js';
import { outbox } from '../../../../web/js/net/outbox.js';
import { isRecentEdit, keepEdits, untilEditingPauses } from './reconnect.js';
import { moveValues, placeOf, storeOwn, storeSnapshot, tabRecord } from './tab-record.js';

let lastFragment = null; // the fragment that was read last
let linked = null; // a promise of the typed values in the link of this document
let restoring = null; // { visitor: who gets the tab's record, isSent }
let visitor = null; // of the page that is shown
let linkInProgress = null; // what a link contains, until a server has applied it
let isArriving = null; // whether values of another place are still to be moved; null before the first run
let isUnread = initialUrl().hash.includes('s='); // whether the link of this document has not been read

/** Whether the server has all that this tab stores. */
export const isServerCurrent = () => tabRecord().visitor === visitor;

/** Sends a new visitor's own encodings of before the reload, of which the server may have some. */
export function restoreEncodings({ made, visitor }) {
  const { own } = tabRecord();
  if (own.visitor !== visitor && own.keys.length) {
    own.visitor = visitor;
    outbox().put('made', own.keys);
  } else if (!outbox().has('made')) storeOwn(visitor, made);
}

/** Stores the snapshot in the tab. After a reload or a restart there is a new visitor, who gets the tab's record. */
export async function storeOrRestore(snapshot, shownVisitor) {
  repeatLink(snapshot.isImporting, visitor !== null && visitor !== shownVisitor);
  visitor = shownVisitor;
  lastRun().snapshot = snapshot;
  linked ??= followLink(readFragment('rest'), initialUrl().searchParams).finally(() => { isUnread = false; });
  const { page, lacks } = snapshot, { visitor: before, asked } = tabRecord();
  isArriving ??= isAnotherPlace();
  if (restoring?.visitor === visitor) {
    if (!restoring.isSent || outbox().has('tab')) return;
    return before !== visitor && lacks.length ? retrain(snapshot) : storeSnapshot(visitor, snapshot);
  }
  if (!before || before === visitor || !hasMoreThan(snapshot)) {
    isArriving = false;
    return storeSnapshot(visitor, snapshot);
  }
  const own = restoring = { visitor, isSent: false };
  await untilEditingPauses();
  await waitUntilIdle(); // what was just sent is in the snapshot then
  const newer = [...snapshot.replaced, ...Object.keys(await linked ?? {})];
  if (restoring !== own) return;
  if (isArriving) moveValues(page, newer, isReload());
  isArriving = false;
  own.isSent = true;
  const pages = { ...tabRecord().typed };
  pages[page] = { ...pages[page], ...sentSince(page) };
  outbox().put('tab', { asked, typed: pages, made: Object.keys(tabRecord().recipes), bare: !hasLinkedState() });
  await keepEdits(isServerCurrent);
}

/** Returns the values of a page that the server has got since the reconnect: newer ones than the tab's record has. */
function sentSince(page) {
  const { page: shown, typed, unseen } = lastRun().snapshot;
  if (shown !== page) return {};
  return Object.fromEntries(Object.entries({ ...typed, ...unseen }).filter(([, value]) => isRecentEdit(value)));
}

/** Whether the tab has values that the new visitor's state lacks. */
function hasMoreThan({ asked }) {
  const { asked: before, typed, replaced } = tabRecord();
  return (
    Object.keys(tabRecord().recipes).length > 0 ||
    Object.keys(before).some((name) => !(name in asked)) ||
    [...Object.values(typed), ...Object.values(replaced)].some((one) => Object.keys(one).length > 0)
  );
}

// Asks the server to train again, as for a link, the encodings that only the previous server had.
function retrain(snapshot) {
  const { lacks } = snapshot;
  const recipes = Object.entries(tabRecord().recipes).filter(([key, recipe]) => recipe && lacks.includes(key));
  const asked = Object.entries(tabRecord().asked).filter(([, value]) => lacks.some((key) => value.includes(key)));
  storeSnapshot(visitor, snapshot);
  if (recipes.length)
    outbox().put('recipes', { made: Object.fromEntries(recipes), address: Object.fromEntries(asked) });
}

/** Whether the address that the document was loaded from contains choices or a saved page. */
const hasLinkedState = () => initialUrl().search !== '' || initialUrl().hash.includes('s=');

/** Whether the document was loaded from a link, or by going back to the place before one. */
function isAnotherPlace() {
  const { at, before } = tabRecord();
  return isReload() ? at !== before && placeOf(initialUrl()) === before : hasLinkedState();
}

/** Sends the server what a link's fragment contains. Choices made since then stay: only those parameters of the link
 *  are sent that the address still has. Resolves to its typed values. */
export async function followLink(fragment, asked) {
  const before = lastFragment, isStored = lastRun().snapshot.page in tabRecord().typed;
  lastFragment = fragment;
  if (fragment === before || !fragment.includes('s=')) return;
  const rest = await restFrom(fragment).then(asObject).catch(() => ({ damaged: true }));
  if (rest === null) return;
  if (before === null && isReload() && isStored) delete rest.typed; // the tab has newer values
  const address = Object.fromEntries(
    Object.entries(rest.address ?? {}).filter(([name, value]) => asked.get(name) === value),
  );
  await waitUntilIdle();
  // so that a reload follows it again
  if (!location.hash) history.replaceState(history.state, '', `${location.pathname}${location.search}${fragment}`);
  outbox().put('link', linkInProgress = { ...rest, address });
  return rest.typed;
}

/** Whether the server has not got what the link of this document contains. */
export const isLinkPending = () => isUnread || outbox().has('link');

/** Sends a link again to a restarted server: the one before may have been training for it. */
function repeatLink(isImporting, isNewServer) {
  if (!linkInProgress || outbox().has('link')) return;
  if (isNewServer) outbox().put('link', linkInProgress);
  else if (!isImporting) linkInProgress = null;
}

function asObject(rest) {
  if (rest !== null && (typeof rest !== 'object' || Array.isArray(rest))) throw new TypeError('damaged');
  return rest;
}
