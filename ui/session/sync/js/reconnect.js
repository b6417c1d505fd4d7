// A restarted server has no state of the page. After a reconnect this module requests a run, enters again the input
// that the old server may not have received, and repeats the last press of the meantime.
import { delay } from '../../../components/js/dom/elements.js';
import {
  BUSY, isConnected, PRESSABLE, setInputValue, TEXT_INPUTS,
} from '../../../components/js/streamlit/streamlit-dom.js';

const UNSENT_WINDOW_MS = 2_000; // input this recent may not have reached the server
const TYPING_PAUSE_MS = 700; // without a key, before a run may change what is being typed
const RUN_START_MS = 400, IDLE_MS = 200, MAX_WAIT_MS = 15_000, MAX_REFILL_MS = 300_000, POLL_MS = 50;
const inputTimes = new Map(); // input -> when it was last changed
let lastKeyAt = -Infinity, lostAt = null, isReconnecting = false, pressed = null, idleSince = null;
let unsentInputs = []; // inputs whose value no server may have: { find, value, hasFocus }

addEventListener('input', ({ target, isTrusted }) => {
  lastKeyAt = performance.now();
  if (!target.matches?.(TEXT_INPUTS)) return;
  inputTimes.set(target, lastKeyAt);
  if (isTrusted) unsentInputs = unsentInputs.filter(({ find }) => find() !== target); // this input is newer
}, true);

addEventListener('click', (event) => {
  const button = pressTarget(event);
  if (!isReconnecting || !button) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!pressed?.href) pressed = button; // after a link, presses belong to a page that is closed
}, true);

/** Stores when the connection was lost. */
export function onDisconnect() {
  lostAt ??= performance.now();
}

/** Restores the page after a reconnect; `isServerCurrent` returns whether the server has the tab's record. */
export async function onReconnect(requestRun, isServerCurrent) {
  if (lostAt === null || isReconnecting) return;
  isReconnecting = true;
  try {
    await waitUntil(() => performance.now() - lastKeyAt > TYPING_PAUSE_MS);
    unsentInputs = unsentSince(lostAt - UNSENT_WINDOW_MS);
    lostAt = null;
    requestRun();
    await delay(RUN_START_MS);
    await waitUntil(() => isServerCurrent() && isIdle());
    // an input is drawn only after its encoding is trained again, which may take longer
    await Promise.race([refillInputs(), delay(MAX_WAIT_MS)]);
  } finally {
    isReconnecting = false;
    repeatPress();
  }
  if (isConnected()) await onReconnect(requestRun, isServerCurrent); // it was lost once more
}

/** Returns the link or button of a plain click; null for lists, whose own handler sends the press. */
function pressTarget({ target, button, ctrlKey, metaKey, shiftKey, altKey }) {
  const found = target.closest?.('a[href], button');
  return button || ctrlKey || metaKey || shiftKey || altKey || found?.closest(PRESSABLE) ? null : found;
}

function repeatPress() {
  const button = pressed?.isConnected
    ? pressed
    : pressed &&
      Array.from(document.querySelectorAll(pressed.tagName)).find((one) => one.textContent === pressed.textContent);
  pressed = null;
  button?.click();
}

/** Returns these inputs with a way to find them after a redraw: by label and position. Streamlit sends a one-line input
 *  when it loses the focus. */
function unsentSince(then) {
  const isUnsent = (box, when) => when >= then || box instanceof HTMLInputElement && box === document.activeElement;
  const found = Array.from(inputTimes).filter(([box, when]) => box.isConnected && isUnsent(box, when)).map(([box]) => {
    const name = box.ariaLabel, place = inputsNamed(name).indexOf(box);
    return { find: () => inputsNamed(name)[place], value: box.value, hasFocus: document.activeElement === box };
  });
  inputTimes.clear();
  return found;
}

const inputsNamed = (name) =>
  Array.from(document.querySelectorAll(TEXT_INPUTS)).filter((box) => box.ariaLabel === name);

async function refillInputs() {
  if (!unsentInputs.length) return;
  const path = location.pathname;
  await waitUntil(() => {
    if (location.pathname !== path) unsentInputs = [];
    for (const one of unsentInputs) if (isIdle() && one.find()) fill(one);
    return !unsentInputs.length;
  }, MAX_REFILL_MS);
  await delay(RUN_START_MS); // Streamlit sends it after a pause
  await waitUntil(isIdle);
}

function fill(one) {
  const { value, hasFocus } = one, box = one.find();
  unsentInputs = unsentInputs.filter((other) => other !== one);
  if (hasFocus) box.focus({ preventScroll: true });
  if (box.value === value) return;
  setInputValue(box, value);
  box.dispatchEvent(new Event('input', { bubbles: true }));
}

function isIdle() {
  if (document.querySelector(BUSY)) idleSince = null;
  else idleSince ??= performance.now();
  return idleSince !== null && performance.now() - idleSince > IDLE_MS;
}

async function waitUntil(condition, timeoutMs = MAX_WAIT_MS) {
  for (const end = performance.now() + timeoutMs; !condition() && performance.now() < end;) await delay(POLL_MS);
}
