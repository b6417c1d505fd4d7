// The playground's ids: patching gives the same result as drawing again, and keeps unchanged elements.
import { IdsView } from '/web/js/tokens/ids-view.js';
import { check, equal, random, upTo } from './check.js';

const view = () => new IdsView(document.body.appendChild(document.createElement('div')));
const chunk = (ids, colors) => ({ ids: Uint32Array.from(ids), colors: Uint8Array.from(colors) });
const shown = ({ element }) => element.innerHTML;

/** Returns a view of one chunk. */
function fresh(one) {
  const made = view();
  made.replace([], [one], [one], true);
  return made;
}

export function chunk_that_was_never_shown_can_be_replaced() {
  const one = chunk([1, 2], [0, 1]), patched = view();
  patched.replace([{ ids: null }], [one], [one], true); // edited before it was tokenized
  equal(shown(patched), shown(fresh(one)));
  document.body.replaceChildren();
}

export function patched_view_equals_a_new_one() {
  const { below, times } = random('ids'), few = (n) => times(n, () => below(4));
  let older = chunk(few(20), few(20)), kept = 0;
  const patched = fresh(older);
  for (let n = 0; n < 300; n++) {
    const at = below(older.ids.length + 1);
    const out = below(4);
    const into = below(4);
    const edit = (row) => [...row.slice(0, at), ...few(into), ...row.slice(at + out)];
    const next = chunk(edit(older.ids), edit(older.colors)), [first] = patched.element.querySelectorAll('span');
    patched.replace([older], [next], [next], true);
    kept += first === patched.element.querySelector('span');
    equal(shown(patched), shown(fresh(next)));
    equal(upTo(next.ids.length).map((k) => patched.elementsOf(next, k)[0].textContent), [...next.ids].map(String));
    older = next;
  }
  check(kept > 100);
  document.body.replaceChildren();
}
