// A server that was started anew knows nothing of this page until it has run, and then shows what it knows. So a run is asked for, and what was
// typed in Streamlit's boxes while no server heard of it is typed again. What is pressed meanwhile is pressed afterwards.
import { BOXES, put } from '../../../kit/js/boxes.js';
import { BUSY } from '../../../kit/js/dom.js';

const LATELY = 2_000; // ms: what was typed so shortly before the server went it may not have heard
const QUIET = 700; // ms without a key, before a run may change what is being typed
const BEGINS = 400, RESTS = 200, PATIENCE = 15_000, LONG = 300_000, MOMENT = 50; // ms
const typed = new Map(); // box -> when
let lastKey = -Infinity, wentAt = null, isComing = false, pressed = null, restsSince = null;

addEventListener('input', ({ target }) => {
  lastKey = performance.now();
  if (target.matches?.(BOXES)) typed.set(target, lastKey);
}, true);

addEventListener('click', (event) => {
  const button = event.target.closest?.('a[href], button');
  if (!isComing || !button) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  pressed = button;
}, true);

/** The server is gone. */
export function goAway() {
  wentAt ??= performance.now();
}

/** It is there again: `run` asks for a run, `isKnown` tells whether the server has been given what the tab keeps. */
export async function comeBack(run, isKnown) {
  if (wentAt === null || isComing) return;
  isComing = true;
  await until(() => performance.now() - lastKey > QUIET);
  const unsaid = unsaidSince(wentAt - LATELY);
  wentAt = null;
  run();
  await moment(BEGINS);
  await until(() => isKnown() && isAtRest());
  await Promise.race([again(unsaid), moment(PATIENCE)]); // a box comes only after what is trained again
  isComing = false;
  pressed?.click();
  pressed = null;
}

/** The boxes that hold what no server may have heard, each with how it is found again: by what it is called. */
function unsaidSince(then) {
  const found = Array.from(typed).filter(([box, when]) => when >= then && box.isConnected).map(([box]) => {
    const name = box.ariaLabel, place = called(name).indexOf(box);
    return { find: () => called(name)[place], value: box.value, hasFocus: document.activeElement === box };
  });
  typed.clear();
  return found;
}

const called = (name) => Array.from(document.querySelectorAll(BOXES)).filter((box) => box.ariaLabel === name);

async function again(unsaid) {
  if (!unsaid.length) return;
  await until(() => unsaid.every(({ find }) => find()) && isAtRest(), LONG);
  for (const { find, value, hasFocus } of unsaid) fill(find(), value, hasFocus);
  await moment(BEGINS); // it is told after a pause
  await until(isAtRest);
}

function fill(box, value, hasFocus) {
  if (hasFocus) box?.focus({ preventScroll: true });
  if (!box || box.value === value) return;
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
