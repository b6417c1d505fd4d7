// Keeps in this browser which steps of lessons are done, and tells the server of those that it does not know of.
import { browserRecord, keepInBrowser } from '../../../components/js/dom/storage.js';
import { outbox } from '../../../components/js/net/outbox.js';

let informedVisitor = null; // whose server has the steps that were done before

export function keepLessons(done, visitor) {
  const found = browserRecord().lessons, before = Array.isArray(found) ? found : [];
  const all = [...new Set([...before, ...done])];
  // where there is no room for all, fewer steps are better than none
  if (all.length > before.length) keepInBrowser('lessons', all, before);
  if (informedVisitor !== visitor && all.length > done.length) outbox().put('lessons', before);
  informedVisitor = visitor;
}
