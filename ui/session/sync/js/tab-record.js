// What this tab stores besides its texts: the typed values and the choices of all pages, the visitor's own encodings
// and their recipes. Another tab has a record of its own.
// Typed values that a link has replaced are stored, too: going back to the place before the link restores them.
import { RECORD_KEY, tabState } from '../../../../web/js/editor/tab-state.js';
import { fetchRecipe } from '../../../../web/js/net/page-link.js';
import { recordLosses, read, readJson, remove, TAB, write } from '../../../../web/js/dom/storage.js';

const MAX_CHARACTERS = 1_000_000; // of `typed`, and of `recipes`: the texts take up to half of the tab's storage
const MAX_RECIPES = 8;
const OLD_KEYS = ['tokenloupe.carried', 'tokenloupe.recipes', 'tokenloupe.made']; // the keys of earlier versions
let record = null, portable = []; // keys of the own encodings with recipes, as of the last run

addEventListener('tokenloupe-texts-saved', () => { if (record) save(); });

/** Returns { visitor: who had it last, or null, at: its last place, before: the place whose values are in `replaced`,
 *  asked, typed and replaced: by page, recipes: by key, own: { visitor, keys } }. */
export const tabRecord = () => (record ??= validated(readJson(TAB, RECORD_KEY) ?? oldRecord()));

function oldRecord() {
  const [carried, recipes, own] = OLD_KEYS.map((key) => readJson(TAB, key));
  return { ...carried, recipes, own: { visitor: own?.visitor, keys: own?.made } };
}

// Storage may be damaged: a value of another form than this module writes counts as missing.
function validated({ visitor, at, before, asked, typed, replaced, recipes, own } = {}) {
  return {
    visitor: visitor ?? null, at: at ?? null, before: before ?? null, asked: objectOrEmpty(asked),
    typed: objectsIn(typed), replaced: objectsIn(replaced), recipes: objectOrEmpty(recipes),
    own: { visitor: own?.visitor ?? null, keys: Array.isArray(own?.keys) ? own.keys : [] },
  };
}

const objectOrEmpty = (found) => (found?.constructor === Object ? found : {});

const objectsIn = (found) =>
  Object.fromEntries(Object.entries(objectOrEmpty(found)).filter(([, part]) => part?.constructor === Object));

/** Returns the place of a page: its address, with the fragment if that has typed values. */
export const placeOf = ({ pathname, search, hash }) => `${pathname}${search}${hash.includes('s=') ? hash : ''}`;

export function storeOwn(visitor, keys) {
  tabRecord().own = { visitor, keys };
  save();
}

export async function storeSnapshot(visitor, { page, asked, typed, unseen, unkept, made }) {
  const own = tabRecord();
  if (visitor !== own.visitor) portable = []; // what a new server lacks was not removed by the visitor
  const lasting = Object.entries({ ...typed, ...unseen }).filter(([name]) => !unkept.includes(name));
  Object.assign(own, { visitor, at: placeOf(location), asked });
  own.typed = { ...own.typed, [page]: Object.fromEntries(lasting) };
  if (own.at === own.before) Object.assign(own, { before: null, replaced: {} }); // this place has newer values now
  save();
  await storeRecipes(made);
  save();
}

/** Moves typed values where a document opens at another place: those of `page` with these names, of which its link has
 *  newer ones, to `replaced`, which keeps those of one place. Where the visitor went back to that place, its values
 *  return first, and those typed since go to `replaced`, for the way forward. */
export function moveValues(page, names, isBack) {
  const own = tabRecord(), typed = { ...own.typed }, replaced = {};
  for (const [one, values] of Object.entries(isBack ? own.replaced : {})) {
    const [newer, others] = divide(typed[one], Object.keys(values));
    [typed[one], replaced[one]] = [{ ...others, ...values }, newer];
  }
  const [older, others] = divide(typed[page], names), hasOlder = Object.keys(older).length > 0;
  if (!isBack && !hasOlder) return;
  if (hasOlder) [typed[page], replaced[page]] = [others, { ...older, ...replaced[page] }];
  Object.assign(own, { at: placeOf(location), before: own.at, typed, replaced });
}

// Divides values into those with one of these names, and the others. A value of a part of a page has a second name
// while that part is not shown.
function divide(values = {}, names) {
  const parts = [{}, {}];
  for (const [name, value] of Object.entries(values)) {
    const shown = name.replace(/_unseen$/, '');
    if (names.includes(shown)) parts[0][shown] = value;
    else parts[1][name] = value;
  }
  return parts;
}

// Fetches missing recipes, and deletes those of removed encodings, but not of encodings that wait to be trained again.
async function storeRecipes(keys) {
  const { recipes } = tabRecord(), gone = portable.filter((key) => !keys.includes(key));
  portable = keys;
  for (const key of keys) {
    const ask = () => fetchRecipe(key).then((reply) => (reply?.ok ? reply.json() : null)).catch(() => null);
    const recipe = recipes[key] ?? await ask();
    if (portable.includes(key)) recipes[key] = recipe; // it may have been removed meanwhile
  }
  for (const key of [...gone, ...Object.keys(recipes).slice(0, -MAX_RECIPES)])
    if (!portable.includes(key)) delete recipes[key];
}

// Writes as much as fits, and records what does not.
function save() {
  if (tabState().isOutdated) return;
  const lost = [], [typed, recipes] = ['typed', 'recipes'].map((name) => {
    const kept = fittingParts(record[name]);
    if (Object.keys(kept).length < Object.keys(record[name]).length) lost.push(name);
    return kept;
  });
  for (const key of OLD_KEYS) remove(TAB, key);
  const text = JSON.stringify({ ...record, typed, recipes });
  const least = () => JSON.stringify({ ...record, typed, recipes, replaced: {} });
  if (text === read(TAB, RECORD_KEY) || write(TAB, RECORD_KEY, text) || write(TAB, RECORD_KEY, least()))
    return recordLosses(RECORD_KEY, lost);
  const all = { ...record, typed: Object.assign({}, ...Object.values(record.typed)), made: record.own.keys };
  recordLosses(RECORD_KEY, ['typed', 'recipes', 'made'].filter((name) => Object.keys(all[name]).length));
}

/** Returns the parts that fit together, the smallest first. */
function fittingParts(parts) {
  const sizes = Object.entries(parts).map(([name, one]) => ({ name, size: JSON.stringify(one).length }));
  let room = MAX_CHARACTERS;
  const small = sizes.sort((one, other) => one.size - other.size).filter(({ size }) => (room -= size) >= 0);
  return Object.fromEntries(small.map(({ name }) => [name, parts[name]]));
}
