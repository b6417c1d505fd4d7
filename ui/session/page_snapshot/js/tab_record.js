// What this tab keeps of all pages: what is typed on them, what their addresses ask for, how tokenizers were trained. A
// second tab keeps its own.
import { askRecipe } from '../../../components/js/net/page-link.js';
import { note, read, readJson, TAB, write } from '../../../components/js/dom/storage.js';

const KEY = 'tokenloupe.carried', RECIPES = 'tokenloupe.recipes';
const MOST = 1_000_000; // characters of each: the text, which comes first, takes up to half of the tab's storage
const MOST_RECIPES = 8;
let now = null, recipes = null, onDesk = []; // the keys of those tokenizers that were on the desk last

addEventListener('tokenloupe-room', () => { // the text has left some again
  if (now) keepTyped();
  if (recipes) keepRecipesNow();
});

/** { visitor: whose desk had it last, or null, asked, typed: by page }. */
export const kept = () => (now ??= { visitor: null, asked: {}, typed: {}, ...readJson(TAB, KEY) });

/** How tokenizers were trained, by their keys. */
export const keptRecipes = () => (recipes ??= { ...readJson(TAB, RECIPES) });

/** Keeps what the server says of the page that is open. */
export function keep({ visitor, page, asked, typed, unseen, unkept, made }) {
  if (visitor !== kept().visitor) onDesk = []; // a desk that has just begun: what it lacks has not left it
  const lasting = Object.fromEntries(
    Object.entries({ ...typed, ...unseen }).filter(([name]) => !unkept.includes(name)),
  );
  now = { visitor, asked, typed: { ...kept().typed, [page]: lasting } };
  keepTyped();
  keepRecipes(made);
}

// What leaves the desk is forgotten; what could not be trained again yet is not.
async function keepRecipes(keys) {
  const found = keptRecipes(), gone = onDesk.filter((key) => !keys.includes(key));
  onDesk = keys;
  for (const key of keys) {
    const recipe =
      found[key] ??
      (await askRecipe(key)
        .then((reply) => (reply?.ok ? reply.json() : null))
        .catch(() => null));
    if (onDesk.includes(key)) found[key] = recipe; // it may have left meanwhile
  }
  for (const key of [...gone, ...Object.keys(found).slice(0, -MOST_RECIPES)])
    if (!onDesk.includes(key)) delete found[key];
  keepRecipesNow();
}

const keepTyped = () => store(KEY, now, now.typed, 'typed');
const keepRecipesNow = () => store(RECIPES, recipes, recipes, 'recipes');

// Writes as many parts of a value as there is room for. Where something of it is not kept, `loss` is noted.
function store(name, value, parts, loss) {
  const sizes = Object.entries(parts)
    .map(([part, one]) => ({ part, size: JSON.stringify(one).length }))
    .sort((one, other) => one.size - other.size);
  let room = MOST;
  const large = new Set(sizes.filter(({ size }) => (room -= size) < 0).map(({ part }) => part));
  const text = JSON.stringify(value, function (key, one) {
    return this === parts && large.has(key) ? undefined : one;
  });
  const isKept = text === read(TAB, name) || write(TAB, name, text);
  const isEmpty = sizes.every(({ size }) => size <= '{}'.length);
  note(name, (isKept || isEmpty) && !large.size ? [] : [loss]);
}
