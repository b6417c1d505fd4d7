// The keyboard's place: where what it was on goes, by a press on itself or not, it is on what now stands there, and not
// at the page's beginning.

import { BUSY, keyClass, MAIN, OVERLAYS } from './streamlit-dom.js';

const STOPS = ':is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not(:disabled)';
const SOON = 60; // ms in which others do
const FOLLOWING = Node.DOCUMENT_POSITION_FOLLOWING;
// { element, name: of what is given one and has it, before: what can have the keyboard and stands before it, around:
// what it is in, each the nearest first, path, isLost }
let place = null;

const shown = (selector) => Array.from(document.querySelectorAll(selector)).filter((one) => one.checkVisibility());
const stops = () => shown(`${MAIN} :is(${STOPS})`);
const isGone = (element) => !element.isConnected || element.disabled;
const isNowhere = () => document.activeElement === document.body;

/** Begins to keep it; returns what is to be called when the page has changed. */
export function keepPlace() {
  if (matchMedia('(pointer: coarse)').matches) return () => {}; // on a phone a text box would open its keys
  addEventListener('focusin', ({ target }) => {
    const all = stops(), i = all.indexOf(target);
    place =
      i < 0 || target.closest(OVERLAYS)
        ? null
        : {
            element: target, name: keyClass(target), before: all.slice(0, i).reverse(),
            around: Array.from(around(target)), path: location.pathname,
          };
  }, true);
  // it comes before what goes is gone
  addEventListener(
    'focusout',
    ({ target }) =>
      setTimeout(() => {
        if (place?.element === target && !isGone(target)) place = null;
      }),
    true,
  );
  return () => {
    if (!place || place.isLost || !isGone(place.element)) return;
    place.isLost = true;
    setTimeout(take, SOON, place);
  };
}

function take(lost) {
  if (place !== lost) return;
  const { element, name, path } = lost;
  const same = element.isConnected ? element : named(name, element);
  const isThere = same && !same.disabled;
  // more of the page may go, or it may come back
  if (!isThere && document.querySelector(BUSY)) return void setTimeout(take, SOON, lost);
  lost.isLost = false;
  // what is disabled has it until the page is drawn
  if (!isNowhere() && (isThere || document.activeElement !== element)) return;
  place = null;
  if (location.pathname === path) (isThere ? same : next(lost, same))?.focus({ preventScroll: true });
}

/** What comes after what went: after `same` where that stands, disabled, else after where it was. */
function next({ before, around: outside }, same) {
  const all = stops(), last = before.find((one) => all.includes(one));
  const after = same ? all.find((one) => same.compareDocumentPosition(one) & FOLLOWING) : all[all.indexOf(last) + 1];
  const box = Array.from(same ? around(same) : outside).find(
    (one) => one.isConnected && all.some((stop) => one.contains(stop)),
  );
  return [after, last].find((one) => box?.contains(one)) ?? after ?? last;
}

/** What Streamlit has made anew of an element, by the name that it was given. */
function named(name, { tagName }) {
  const found = name ? shown(`.${CSS.escape(name)} ${tagName}`) : [];
  return found.length === 1 ? found[0] : null;
}

function* around(element) {
  for (let box = element.parentElement; box; box = box.parentElement) yield box;
}
