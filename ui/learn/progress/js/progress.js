// Keeps in this browser which steps of lessons are done, and tells the page of those it does not know of.
import { BROWSER, note, readJson, write } from '../../../components/js/dom/storage.js';

const KEY = 'tokenloupe.lessons';
let told = false; // once a visit: what comes later is known

export default function ({ data, setTriggerValue }) {
  const before = stored(), all = [...new Set([...before, ...data.done])];
  if (all.length > before.length) store(all, before);
  if (!told && all.length > data.done.length) setTriggerValue('before', before);
  told = true;
}

function stored() {
  const found = readJson(BROWSER, KEY);
  return Array.isArray(found) ? found : [];
}

function store(all, before) {
  const isKept = write(BROWSER, KEY, JSON.stringify(all));
  note(KEY, isKept ? [] : ['lessons']);
  if (!isKept && before.length) write(BROWSER, KEY, JSON.stringify(before)); // fewer steps are better than none
}
