// The keyboard's place: where what it was on goes, by a press on itself or not, it is on what now stands there, and not at the page's beginning.

const STOPS = ':is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not(:disabled)';
const OWN = '.stDialog, [data-testid=stPopoverBody], [role=listbox]'; // these give it back themselves
const SOON = 60; // ms in which others do
let place = null; // { element, before: what can have the keyboard and stands before it, around: what it is in, each the nearest first, path }

const stops = () => Array.from(document.querySelectorAll(`[data-testid=stMain] :is(${STOPS})`)).filter((one) => one.checkVisibility());
const isGone = (element) => !element.isConnected || element.disabled;
const isNowhere = () => document.activeElement === document.body;

/** Begins to keep it; returns what is to be called when the page has changed. */
export function keepPlace() {
  if (matchMedia('(pointer: coarse)').matches) return () => {}; // on a phone a text box would open its keys
  addEventListener('focusin', ({ target }) => {
    const all = stops(), i = all.indexOf(target);
    place = i < 0 || target.closest(OWN) ? null : { element: target, before: all.slice(0, i).reverse(), around: Array.from(around(target)), path: location.pathname };
  }, true);
  addEventListener('focusout', ({ target }) => setTimeout(() => { if (place?.element === target && !isGone(target)) place = null; }), true); // it comes before what goes is gone
  return () => {
    if (place && isGone(place.element) && isNowhere()) setTimeout(take, SOON, place);
  };
}

function take(lost) {
  if (place !== lost || !isNowhere() || !isGone(lost.element)) return;
  place = null;
  if (location.pathname !== lost.path) return;
  const all = stops(), last = lost.before.find((one) => all.includes(one)), next = all[all.indexOf(last) + 1];
  const box = lost.around.find((one) => one.isConnected && all.some((stop) => one.contains(stop)));
  ([next, last].find((one) => box?.contains(one)) ?? next ?? last)?.focus({ preventScroll: true });
}

function* around(element) {
  for (let box = element.parentElement; box; box = box.parentElement) yield box;
}
