// When the focused element disappears, focuses its replacement, or the next focusable element.

import { BUSY, keyClass, MAIN, OVERLAYS } from './streamlit-dom.js';

const FOCUSABLE = ':is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not(:disabled)';
const SETTLE_DELAY_MS = 60; // in which the browser and Streamlit move the focus themselves
const FOLLOWING = Node.DOCUMENT_POSITION_FOLLOWING;
// { element, name: its key class, before: focusable elements before it, ancestors, path, isLost }, nearest first
let focused = null;
let latest = null; // the same, also after the element has lost the focus

const visibleElements = (selector) =>
  Array.from(document.querySelectorAll(selector)).filter((one) => one.checkVisibility());
const focusables = () => visibleElements(`${MAIN} :is(${FOCUSABLE})`);
const isGone = (element) => !element.isConnected || element.disabled;
const isUnfocused = () => document.activeElement === document.body;

/** Starts to watch the focus; returns the function to call after each change of the page. */
export function watchFocus() {
  if (matchMedia('(pointer: coarse)').matches) return () => {}; // on a phone, focusing an input would open the keyboard
  addEventListener('focusin', ({ target }) => {
    if (target === latest?.element && document.querySelector(BUSY)) { // React has moved it, and will move others
      latest = focused = { ...latest, isLost: false };
      return;
    }
    const all = focusables(), i = all.indexOf(target);
    latest = focused = i < 0 || target.closest(OVERLAYS) ? null : {
      element: target, name: keyClass(target), before: all.slice(0, i).reverse(),
      ancestors: Array.from(ancestorsOf(target)), path: location.pathname,
    };
  }, true);
  addEventListener('focusout', ({ target }) => { // fires before the element is removed
    setTimeout(() => {
      const isFocused = document.activeElement === target; // React focuses an element again after it has moved it
      if (focused?.element === target && !isGone(target) && !isFocused) focused = null;
    });
  }, true);
  return () => {
    if (!focused || focused.isLost || !isGone(focused.element)) return;
    focused.isLost = true;
    setTimeout(restore, SETTLE_DELAY_MS, focused);
  };
}

function restore(lost) {
  if (focused !== lost) return;
  const { element, name, path } = lost;
  const same = element.isConnected ? element : drawnAgain(name, element);
  const isThere = same && !same.disabled;
  // more of the page may change, or the element may return
  if (!isThere && document.querySelector(BUSY)) return void setTimeout(restore, SETTLE_DELAY_MS, lost);
  lost.isLost = false;
  // a disabled element keeps the focus until the page is drawn
  if (!isUnfocused() && (isThere || document.activeElement !== element)) return;
  focused = null;
  if (location.pathname === path) (isThere ? same : nextFocusable(lost, same))?.focus({ preventScroll: true });
}

/** Returns the next focusable element after the disabled `same`, or after the old place. */
function nextFocusable({ before, ancestors }, same) {
  const all = focusables(), last = before.find((one) => all.includes(one));
  const after = same ? all.find((one) => same.compareDocumentPosition(one) & FOLLOWING) : all[all.indexOf(last) + 1];
  const box = Array.from(same ? ancestorsOf(same) : ancestors).find(
    (one) => one.isConnected && all.some((element) => one.contains(element)),
  );
  return [after, last].find((one) => box?.contains(one)) ?? after ?? last;
}

/** Returns the element that Streamlit drew again under the same key. */
function drawnAgain(name, { tagName }) {
  const found = name ? visibleElements(`.${CSS.escape(name)} ${tagName}`) : [];
  return found.length === 1 ? found[0] : null;
}

function* ancestorsOf(element) {
  for (let box = element.parentElement; box; box = box.parentElement) yield box;
}
