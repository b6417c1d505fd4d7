// A server that was started anew knows nothing of this page until it has run, and then shows what it knows. So a run is
// asked for, and what was typed in Streamlit's boxes while no server heard of it is typed again. What is pressed
// meanwhile is pressed afterwards.
import { BOXES, BUSY, isConnected, PRESSABLE, put } from '../../../components/js/streamlit/streamlit-dom.js';

const LATELY = 2_000; // ms: what was typed so shortly before the server went it may not have heard
const QUIET = 700; // ms without a key, before a run may change what is being typed
const BEGINS = 400, RESTS = 200, PATIENCE = 15_000, LONG = 300_000, MOMENT = 50; // ms
const typed = new Map(); // box -> when
let lastKey = -Infinity, wentAt = null, isComing = false, pressed = null, restsSince = null;
let unsaid = []; // the boxes that hold what no server may have heard: { find, value, hasFocus }

addEventListener('input', ({ target, isTrusted }) => {
  lastKey = performance.now();
  if (!target.matches?.(BOXES)) return;
  typed.set(target, lastKey);
  if (isTrusted) unsaid = unsaid.filter(({ find }) => find() !== target); // what is typed now is newer
}, true);

addEventListener('click', (event) => {
  const button = pressedBy(event);
  if (!isComing || !button) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!pressed?.href) pressed = button; // a link that was pressed leads to where all that follows is gone
}, true);

/** The server is gone. */
export function goAway() {
  wentAt ??= performance.now();
}

/** It is there again: `run` asks for a run, `isKnown` tells whether the server has been given what the tab keeps. */
export async function comeBack(run, isKnown) {
  if (wentAt === null || isComing) return;
  isComing = true;
  try {
    await until(() => performance.now() - lastKey > QUIET);
    unsaid = unsaidSince(wentAt - LATELY);
    wentAt = null;
    run();
    await moment(BEGINS);
    await until(() => isKnown() && isAtRest());
    await Promise.race([again(), moment(PATIENCE)]); // a box comes only after what is trained again
  } finally {
    isComing = false;
    press();
  }
  if (isConnected()) await comeBack(run, isKnown); // it was gone once more
}

/** What a click presses and the server hears of, if it is not heard already, as it is by lists. */
function pressedBy({ target, button, ctrlKey, metaKey, shiftKey, altKey }) {
  const found = target.closest?.('a[href], button');
  return button || ctrlKey || metaKey || shiftKey || altKey || found?.closest(PRESSABLE) ? null : found;
}

function press() {
  const button = pressed?.isConnected
    ? pressed
    : pressed &&
      Array.from(document.querySelectorAll(pressed.tagName)).find((one) => one.textContent === pressed.textContent);
  pressed = null;
  button?.click();
}

/** Such boxes, each with how it is found again: by what it is called. A line is told when it is left. */
function unsaidSince(then) {
  const isUnsaid = (box, when) => when >= then || box instanceof HTMLInputElement && box === document.activeElement;
  const found = Array.from(typed).filter(([box, when]) => box.isConnected && isUnsaid(box, when)).map(([box]) => {
    const name = box.ariaLabel, place = called(name).indexOf(box);
    return { find: () => called(name)[place], value: box.value, hasFocus: document.activeElement === box };
  });
  typed.clear();
  return found;
}

const called = (name) => Array.from(document.querySelectorAll(BOXES)).filter((box) => box.ariaLabel === name);

async function again() {
  if (!unsaid.length) return;
  const path = location.pathname;
  await until(() => {
    if (location.pathname !== path) unsaid = [];
    for (const one of unsaid) if (isAtRest() && one.find()) fill(one);
    return !unsaid.length;
  }, LONG);
  await moment(BEGINS); // it is told after a pause
  await until(isAtRest);
}

function fill(one) {
  const { value, hasFocus } = one, box = one.find();
  unsaid = unsaid.filter((other) => other !== one);
  if (hasFocus) box.focus({ preventScroll: true });
  if (box.value === value) return;
  put(box, value);
  box.dispatchEvent(new Event('input', { bubbles: true }));
}

function isAtRest() {
  if (document.querySelector(BUSY)) restsSince = null;
  else restsSince ??= performance.now();
  return restsSince !== null && performance.now() - restsSince > RESTS;
}

async function until(is, most = PATIENCE) {
  for (const end = performance.now() + most; !is() && performance.now() < end;) await moment(MOMENT);
}

const moment = (ms) => new Promise((later) => { setTimeout(later, ms); });
