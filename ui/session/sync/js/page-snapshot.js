// Keeps what is typed on all pages, asked for in their addresses and trained: a reload loses it, and a server that was
// started anew never had it. Gives the server what it finds in a link.
import { arrivedWith, fragmentNow, restFrom } from '../../../components/js/net/text-link.js';
import { atRest, link } from '../../../components/js/net/page-link.js';
import { outbox } from '../../../components/js/net/outbox.js';
import { keep, keepOwn, tabRecord } from './tab-record.js';

let read = null; // the fragment that was read last
let bringing = null; // { visitor: who is brought what is kept, isSent }
let visitor = null; // whose page is shown
let isFirst = true; // as long as this document has had no run of the page

/** Whether the server has all that this tab keeps. */
export const isKnown = () => tabRecord().visitor === visitor;

/** Gives the own encodings of the visitor before a reload to the one after it, as far as the server has them. */
export function bringEncodings({ made, visitor }) {
  const { own } = tabRecord();
  if (own.visitor !== visitor && own.keys.length) {
    own.visitor = visitor;
    outbox().put('made', own.keys);
  } else if (!outbox().has('made')) keepOwn(visitor, made);
}

/** Stores the snapshot in the tab. After a reload or a restart there is a new visitor, who gets the tab's record. */
export async function keepOrBring(snapshot, given) {
  visitor = given;
  link().data = snapshot;
  if (read === null) follow(fragmentNow('rest'), arrivedWith().searchParams);
  const { page, lacks } = snapshot, { visitor: before, asked, typed } = tabRecord();
  const isNewer = isFirst && !isLoadedAgain() && isAsked();
  isFirst = false;
  if (bringing?.visitor === visitor) {
    if (!bringing.isSent || outbox().has('tab')) return;
    return before !== visitor && lacks.length ? train(snapshot) : keep(visitor, snapshot);
  }
  if (!before || before === visitor || !holdsMoreThan(snapshot)) return keep(visitor, snapshot);
  const own = bringing = { visitor, isSent: false }, pages = { ...typed };
  if (isNewer) delete pages[page]; // what the address asks for
  await atRest();
  if (bringing !== own) return;
  own.isSent = true;
  outbox().put('tab', { asked, typed: pages, made: Object.keys(tabRecord().recipes) });
}

/** Whether the tab has values that the new visitor's state lacks. */
function holdsMoreThan({ asked }) {
  const { asked: before, typed } = tabRecord();
  return (
    Object.keys(tabRecord().recipes).length > 0 ||
    Object.keys(before).some((name) => !(name in asked)) ||
    Object.values(typed).some((one) => Object.keys(one).length > 0)
  );
}

// Encodings that only the previous server had are trained again, as for a link.
function train(snapshot) {
  const { lacks } = snapshot;
  const recipes = Object.entries(tabRecord().recipes).filter(([key, recipe]) => recipe && lacks.includes(key));
  const asked = Object.entries(tabRecord().asked).filter(([, value]) => lacks.some((key) => value.includes(key)));
  keep(visitor, snapshot);
  if (recipes.length)
    outbox().put('recipes', { made: Object.fromEntries(recipes), address: Object.fromEntries(asked) });
}

/** Whether this document was there before: by a reload, or by a way back to it. */
const isLoadedAgain = () => performance.getEntriesByType('navigation')[0]?.type !== 'navigate';

/** Whether the address that the document came with asks for something. */
const isAsked = () => arrivedWith().search !== '' || arrivedWith().hash.includes('s=');

// Choices made since the link was followed stay: only parameters that the address still has are applied again.
export async function follow(fragment, asked) {
  const before = read, isKept = link().data.page in tabRecord().typed;
  read = fragment;
  if (fragment === before || !fragment.includes('s=')) return;
  const rest = await restFrom(fragment).then(plain).catch(() => ({ damaged: true }));
  if (rest === null) return;
  if (before === null && isLoadedAgain() && isKept) delete rest.typed; // what is kept is newer
  const address = Object.fromEntries(
    Object.entries(rest.address ?? {}).filter(([name, value]) => asked.get(name) === value),
  );
  await atRest();
  // a reload follows it again
  if (!location.hash) history.replaceState(history.state, '', `${location.pathname}${location.search}${fragment}`);
  outbox().put('link', { ...rest, address });
}

function plain(rest) {
  if (rest !== null && (typeof rest !== 'object' || Array.isArray(rest))) throw new TypeError('damaged');
  return rest;
}
