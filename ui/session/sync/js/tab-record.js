// What this tab keeps beside its texts: what is typed on all pages, what their addresses ask for, which encodings are
// the visitor's own and how they were trained. A second tab keeps its own.
import { RECORD } from '../../../components/js/editor/tab-state.js';
import { askRecipe } from '../../../components/js/net/page-link.js';
import { note, read, readJson, remove, TAB, write } from '../../../components/js/dom/storage.js';

const MAX_CHARACTERS = 1_000_000; // of `typed`, and of `recipes`: the texts take up to half of the tab's storage
const MAX_RECIPES = 8;
const BEFORE = ['tokenloupe.carried', 'tokenloupe.recipes', 'tokenloupe.made']; // the keys of earlier versions
let record = null, portable = []; // the keys of the own encodings whose recipes are kept, as the last run had them

addEventListener('tokenloupe-room', () => { if (record) save(); });

/** { visitor: whose page had it last, or null, asked, typed: by page, recipes: by key, own: { visitor, keys } }. */
export const tabRecord = () => (record ??= sound(readJson(TAB, RECORD) ?? recordBefore()));

function recordBefore() {
  const [carried, recipes, own] = BEFORE.map((key) => readJson(TAB, key));
  return { ...carried, recipes, own: { visitor: own?.visitor, keys: own?.made } };
}

// Storage may be damaged: what has another form than this module writes counts as missing.
function sound({ visitor, asked, typed, recipes, own } = {}) {
  const parts = Object.entries(plain(typed)).filter(([, part]) => part?.constructor === Object);
  return {
    visitor: visitor ?? null, asked: plain(asked), typed: Object.fromEntries(parts), recipes: plain(recipes),
    own: { visitor: own?.visitor ?? null, keys: Array.isArray(own?.keys) ? own.keys : [] },
  };
}

const plain = (found) => (found?.constructor === Object ? found : {});

/** Keeps which encodings are a visitor's own. */
export function keepOwn(visitor, keys) {
  tabRecord().own = { visitor, keys };
  save();
}

/** Keeps the snapshot of the page that is open. */
export async function keep(visitor, { page, asked, typed, unseen, unkept, made }) {
  const before = tabRecord();
  if (visitor !== before.visitor) portable = []; // a server that has just begun: what it lacks was not removed
  const lasting = Object.entries({ ...typed, ...unseen }).filter(([name]) => !unkept.includes(name));
  Object.assign(before, { visitor, asked, typed: { ...before.typed, [page]: Object.fromEntries(lasting) } });
  save();
  await keepRecipes(made);
  save();
}

// The recipe of what was removed is forgotten; that of what could not be trained again yet is not.
async function keepRecipes(keys) {
  const { recipes } = tabRecord(), gone = portable.filter((key) => !keys.includes(key));
  portable = keys;
  for (const key of keys) {
    const recipe =
      recipes[key] ??
      (await askRecipe(key)
        .then((reply) => (reply?.ok ? reply.json() : null))
        .catch(() => null));
    if (portable.includes(key)) recipes[key] = recipe; // it may have been removed meanwhile
  }
  for (const key of [...gone, ...Object.keys(recipes).slice(0, -MAX_RECIPES)])
    if (!portable.includes(key)) delete recipes[key];
}

// Writes as much as there is room for, and notes what is not kept.
function save() {
  const lost = [], [typed, recipes] = ['typed', 'recipes'].map((name) => {
    const kept = fitting(record[name]);
    if (Object.keys(kept).length < Object.keys(record[name]).length) lost.push(name);
    return kept;
  });
  for (const key of BEFORE) remove(TAB, key);
  const text = JSON.stringify({ ...record, typed, recipes });
  if (text === read(TAB, RECORD) || write(TAB, RECORD, text)) return note(RECORD, lost);
  const all = { ...record, typed: Object.assign({}, ...Object.values(record.typed)), made: record.own.keys };
  note(RECORD, ['typed', 'recipes', 'made'].filter((name) => Object.keys(all[name]).length));
}

/** The parts that fit, the smallest first. */
function fitting(parts) {
  const sizes = Object.entries(parts).map(([name, one]) => ({ name, size: JSON.stringify(one).length }));
  let room = MAX_CHARACTERS;
  const small = sizes.sort((one, other) => one.size - other.size).filter(({ size }) => (room -= size) >= 0);
  return Object.fromEntries(small.map(({ name }) => [name, parts[name]]));
}
