// When the focused element disappears, focuses its replacement, or the next focusable element.

import { BUSY, keyClass, MAIN, OVERLAYS } from './streamlit-dom.js';

const STOPS = ':is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not(:disabled)';
const SETTLE_MS = 60; // in which the browser and Streamlit move the focus themselves
const FOLLOWING = Node.DOCUMENT_POSITION_FOLLOWING;
// { element, name: its key class, before: focusable elements before it, around: its ancestors, each nearest first,
// path, isLost }
let place = null;

const shown = (selector) => Array.from(document.querySelectorAll(selector)).filter((one) => one.checkVisibility());
const stops = () => shown(`${MAIN} :is(${STOPS})`);
const isGone = (element) => !element.isConnected || element.disabled;
const isNowhere = () => document.activeElement === document.body;

/** Starts watching the focus; returns the function to call after each change of the page. */
export function keepPlace() {
  if (matchMedia('(pointer: coarse)').matches) return () => {}; // on a phone, focusing an input would open the keyboard
  addEventListener('focusin', ({ target }) => {
    const all = stops(), i = all.indexOf(target);
    place = i < 0 || target.closest(OVERLAYS) ? null : {
      element: target, name: keyClass(target), before: all.slice(0, i).reverse(),
      around: Array.from(around(target)), path: location.pathname,
    };
  }, true);
  addEventListener('focusout', ({ target }) => { // fires before the element has gone
    setTimeout(() => { if (place?.element === target && !isGone(target)) place = null; });
  }, true);
  return () => {
    if (!place || place.isLost || !isGone(place.element)) return;
    place.isLost = true;
    setTimeout(take, SETTLE_MS, place);
  };
}

function take(lost) {
  if (place !== lost) return;
  const { element, name, path } = lost;
  const same = element.isConnected ? element : named(name, element);
  const isThere = same && !same.disabled;
  // more of the page may change, or the element may return
  if (!isThere && document.querySelector(BUSY)) return void setTimeout(take, SETTLE_MS, lost);
  lost.isLost = false;
  // a disabled element keeps the focus until the page is drawn
  if (!isNowhere() && (isThere || document.activeElement !== element)) return;
  place = null;
  if (location.pathname === path) (isThere ? same : next(lost, same))?.focus({ preventScroll: true });
}

/** Returns the next focusable element after the disabled `same`, or after the old place. */
function next({ before, around: outside }, same) {
  const all = stops(), last = before.find((one) => all.includes(one));
  const after = same ? all.find((one) => same.compareDocumentPosition(one) & FOLLOWING) : all[all.indexOf(last) + 1];
  const box = Array.from(same ? around(same) : outside).find(
    (one) => one.isConnected && all.some((stop) => one.contains(stop)),
  );
  return [after, last].find((one) => box?.contains(one)) ?? after ?? last;
}

/** Returns the element that Streamlit drew again under the same key. */
function named(name, { tagName }) {
  const found = name ? shown(`.${CSS.escape(name)} ${tagName}`) : [];
  return found.length === 1 ? found[0] : null;
}

function* around(element) {
  for (let box = element.parentElement; box; box = box.parentElement) yield box;
}
