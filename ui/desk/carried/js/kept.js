// What this tab keeps of all pages: what is typed on them, what their addresses ask for, how tokenizers were trained. A second tab keeps its own.
import { askRecipe } from '../../../kit/js/page-link.js';

const KEY = 'tokenloupe.carried', RECIPES = 'tokenloupe.recipes';
const MOST = 1_000_000; // characters of each: the tab's storage has room for five million, and the text comes first
const written = {};
let now = null, recipes = null;

/** { visitor: whose desk had it last, or null, asked, typed: by page }. */
export const kept = () => (now ??= { visitor: null, asked: {}, typed: {}, ...stored(KEY) });

/** How tokenizers were trained, by their keys. */
export const keptRecipes = () => (recipes ??= { ...stored(RECIPES) });

/** Keeps what the server says of the page that is open. */
export function keep({ visitor, page, asked, typed, unkept, made }) {
  const lasting = Object.fromEntries(Object.entries(typed).filter(([name]) => !unkept.includes(name)));
  now = { visitor, asked, typed: { ...kept().typed, [page]: lasting } };
  store(KEY, now);
  keepRecipes(made);
}

async function keepRecipes(keys) {
  const found = keptRecipes();
  for (const key of keys) found[key] ??= await askRecipe(key).then((reply) => (reply?.ok ? reply.json() : null)).catch(() => null);
  for (const key of Object.keys(found)) if (!keys.includes(key)) delete found[key];
  store(RECIPES, found);
}

function store(name, value) {
  const text = JSON.stringify(value);
  if (text === written[name]) return;
  written[name] = text;
  try {
    if (text.length > MOST) sessionStorage.removeItem(name); // it lives as long as the page does
    else sessionStorage.setItem(name, text);
  } catch {
    // a tab that may keep nothing has what there is until it is reloaded
  }
}

function stored(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null;
  }
}
