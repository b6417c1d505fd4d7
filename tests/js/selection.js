// The selected text of a view, in each form of the browsers' API.
import { isSelecting } from '/web/js/dom/elements.js';
import { check } from './check.js';

const { getComposedRanges } = Selection.prototype;

/** Safari 17 and 18 take the roots as arguments. */
function ofSafari18(...roots) {
  if (!roots.every((root) => root instanceof ShadowRoot)) throw new TypeError('Argument 1 must be a ShadowRoot');
  return getComposedRanges.call(this, { shadowRoots: roots });
}

export function selection_in_a_component_is_found_in_each_form_of_the_api() {
  const host = document.createElement('div'), view = document.createElement('p');
  host.attachShadow({ mode: 'open' }).append(view);
  view.textContent = 'tokens';
  document.body.append(host);
  try {
    for (const form of [getComposedRanges, ofSafari18]) {
      Selection.prototype.getComposedRanges = form;
      document.getSelection().removeAllRanges();
      check(!isSelecting(view));
      document.getSelection().setBaseAndExtent(view.firstChild, 1, view.firstChild, 4);
      check(isSelecting(view), form.name);
    }
  } finally {
    Selection.prototype.getComposedRanges = getComposedRanges;
    host.remove();
  }
}
