// Knows what links and files of this page are made of beside the text, gives the server what it finds in a link, and
// keeps what is typed on all pages, asked for in their addresses and trained: a reload loses it, and a server that was
// started anew never had it.
import { watchConnection } from '../../../components/js/streamlit/streamlit-dom.js';
import { arrivedWith, fragmentNow, restFrom } from '../../../components/js/net/text-link.js';
import { atRest, tellOf } from '../../../components/js/net/page-link.js';
import { inDocument } from '../../../components/js/dom/document-state.js';
import { comeBack, goAway } from './reconnect.js';
import { keep, kept, keptRecipes } from './tab_record.js';

const LOST_AFTER = 4_000; // ms without a word from the server until it is told again
let component = null, read = null; // the fragment that was read last
let bringing = null; // to which visitor's desk what is kept is brought, and under which id
let isFirst = true; // as long as this document has had no run of the page
const heard = new Set(); // the ids under which the server has taken what it was told

// Each language has a bundle of its own; what one knows of this tab all have to know.
export default (given) => inDocument('snapshot', begin)(given);

function begin() {
  addEventListener('hashchange', () => follow(location.hash, new URLSearchParams(location.search)));
  watchConnection((isThere) => (isThere ? comeBack(() => component.setTriggerValue('back', true), isKnown) : goAway()));
  return carry;
}

function carry(given) {
  component = given;
  heard.add(given.data.taken).add(given.data.brought);
  tellOf(
    given.data, (id, text) => component.setTriggerValue('file', { id, text }),
    (id) => component.setTriggerValue('call', id),
  );
  if (read === null) follow(fragmentNow('rest'), arrivedWith().searchParams);
  keepOrBring(given.data);
}

/** Whether the desk has all that this tab keeps. */
const isKnown = () => kept().visitor === component.data.visitor;

// The desk of one visitor has it; that of a page that was loaded anew is another's.
async function keepOrBring(data) {
  const { visitor, brought, page, lacks } = data;
  const { visitor: before, asked, typed } = kept();
  const isNewer = isFirst && !isLoadedAgain() && isAsked();
  isFirst = false;
  if (!before || before === visitor) return keep(data);
  if (brought !== null && brought === bringing?.id) return lacks.length ? train(lacks) : keep(data);
  if (bringing?.visitor === visitor) return;
  if (!holdsMoreThan(data)) return keep(data);
  const id = String(Math.random()), pages = { ...typed };
  if (isNewer) delete pages[page]; // what the address asks for
  bringing = { visitor, id };
  if (await atRest())
    tell('kept', { id, asked, typed: pages, made: Object.keys(keptRecipes()) }, () => bringing.id !== id);
}

/** Whether this tab keeps something that a desk, which has just begun, does not have. */
function holdsMoreThan({ asked }) {
  const { asked: before, typed } = kept();
  return (
    Object.keys(keptRecipes()).length > 0 ||
    Object.keys(before).some((name) => !(name in asked)) ||
    Object.values(typed).some((one) => Object.keys(one).length > 0)
  );
}

// What only a server had that is gone is trained again, as for a link.
function train(keys) {
  const { data } = component;
  const id = String(Math.random());
  const recipes = Object.entries(keptRecipes()).filter(([key, recipe]) => recipe && keys.includes(key));
  const asked = Object.entries(kept().asked).filter(([, value]) => keys.some((key) => value.includes(key)));
  keep(data);
  if (recipes.length) tell('link', { id, made: Object.fromEntries(recipes), address: Object.fromEntries(asked) });
}

/** Whether this document was there before: by a reload, or by a way back to it. */
const isLoadedAgain = () => performance.getEntriesByType('navigation')[0]?.type !== 'navigate';

/** Whether the address that the document came with asks for something. */
const isAsked = () => arrivedWith().search !== '' || arrivedWith().hash.includes('s=');

// What was chosen since the link was followed stays: only what the address still asks for is asked again.
async function follow(fragment, asked) {
  const before = read, isKept = component.data.page in kept().typed;
  read = fragment;
  if (fragment === before || !fragment.includes('s=')) return;
  const rest = await restFrom(fragment).then(plain).catch(() => ({ damaged: true }));
  if (rest === null) return;
  if (before === null && isLoadedAgain() && isKept) delete rest.typed; // what is kept is newer
  const address = Object.fromEntries(
    Object.entries(rest.address ?? {}).filter(([name, value]) => asked.get(name) === value),
  );
  if (!await atRest()) return;
  // a reload follows it again
  if (!location.hash) history.replaceState(history.state, '', `${location.pathname}${location.search}${fragment}`);
  tell('link', { ...rest, address, id: String(Math.random()) });
}

// What is sent while a page is replaced may be lost on its way. As long as a run is under way, that may be the one that
// hears of it.
function tell(trigger, said, isOver = () => false) {
  if (heard.has(said.id) || isOver()) return;
  component.setTriggerValue(trigger, said);
  setTimeout(async () => {
    await atRest();
    tell(trigger, said, isOver);
  }, LOST_AFTER);
}

function plain(rest) {
  if (rest !== null && (typeof rest !== 'object' || Array.isArray(rest))) throw new TypeError('damaged');
  return rest;
}
