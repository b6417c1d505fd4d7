// A restarted server has no state of the page. After a reconnect this module requests a run, enters again the input
// that the server may not have received or has overwritten, and repeats the last press of the meantime.
import { delay, isPlainClick } from '../../../../web/js/dom/elements.js';
import {
  BUSY, isConnected, keyClass, PRESSABLE, setInputValue, TEXT_INPUTS,
} from '../../../../web/js/streamlit/streamlit-dom.js';

const UNSENT_WINDOW_MS = 2_000; // input this recent may not have reached the server
const TYPING_PAUSE_MS = 700; // without a key, before a run may change what is being typed
const RUN_START_MS = 400, IDLE_MS = 200, MAX_WAIT_MS = 15_000, MAX_REFILL_MS = 300_000, POLL_MS = 50;
const edits = new Map(); // place of an input, as JSON -> its last change: { at: when, value }
let lastKeyAt = -Infinity, lastEditAt = -Infinity, lostAt = null;
let isReconnecting = false, pressed = null, idleSince = null;
let unsentAfter = -Infinity; // edits after this time may not have reached the server that is shown
let refilling = Promise.resolve(); // the refill after the server got the tab's record
let focused = null; // place of the input that had the focus before the run after a reconnect

addEventListener('input', ({ target }) => {
  lastKeyAt = performance.now();
  if (!target.matches?.(TEXT_INPUTS)) return;
  lastEditAt = lastKeyAt;
  edits.set(placeOf(target), { at: lastEditAt, value: target.value });
}, true);

addEventListener('click', (event) => {
  const button = pressTarget(event);
  if (!isReconnecting || !button) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!pressed?.isLink) pressed = pressOf(button); // after a link, presses belong to a page that is closed
}, true);

export function onDisconnect() {
  if (lostAt !== null) return;
  lostAt = performance.now();
  unsentAfter = lostAt - UNSENT_WINDOW_MS;
  const box = document.activeElement, edit = box instanceof HTMLInputElement && edits.get(placeOf(box));
  if (edit) edit.at = lostAt; // Streamlit sends a one-line input when it loses the focus
}

/** Restores the page after a reconnect; `isServerCurrent` returns whether the server has the tab's record. */
export async function onReconnect(requestRun, isServerCurrent) {
  if (lostAt === null || isReconnecting) return;
  isReconnecting = true;
  try {
    await waitUntil(() => performance.now() - lastKeyAt > TYPING_PAUSE_MS);
    focused = document.activeElement?.matches(TEXT_INPUTS) ? placeOf(document.activeElement) : null;
    lostAt = null;
    requestRun();
    await delay(RUN_START_MS);
    await refillInputs(isServerCurrent, MAX_WAIT_MS);
    await Promise.race([refilling, delay(MAX_WAIT_MS)]);
  } finally {
    isReconnecting = false;
    repeatPress();
  }
  if (isConnected()) await onReconnect(requestRun, isServerCurrent); // it was lost once more
}

/** Enters again what was typed since the page was loaded, once the server has the tab's record, which may be older. */
export const keepEdits = (isServerCurrent) => (refilling = refillInputs(isServerCurrent, MAX_REFILL_MS));

/** Whether an input holds this text, which was typed since the page was loaded or since the connection was lost. */
export const isRecentEdit = (text) =>
  Array.from(edits.values()).some(({ at, value }) => at >= unsentAfter && value === text);

export const untilEditingPauses = () => waitUntil(() => performance.now() - lastEditAt > TYPING_PAUSE_MS);

/** Returns the link or button of a plain click; null for lists, whose own handler sends the press. */
function pressTarget(event) {
  const found = event.target.closest?.('a[href], button');
  return isPlainClick(event) && !found?.closest(PRESSABLE) ? found : null;
}

// Returns what finds a button or link after a redraw: its place among those with its key and name, and their number.
function pressOf(button) {
  const { tagName, textContent } = button, key = keyClass(button);
  const find = () =>
    Array.from(document.querySelectorAll(tagName))
      .filter((one) => one.textContent === textContent && keyClass(one) === key);
  const found = find();
  return { find, place: found.indexOf(button), count: found.length, isLink: Boolean(button.href) };
}

function repeatPress() {
  const found = pressed?.find() ?? [];
  if (found.length === pressed?.count) found[pressed.place].click(); // otherwise the place may be another button's
  pressed = null;
}

// Returns where an input is, to find it after a redraw: page, label, and position among the inputs of this label.
const placeOf = (box) =>
  JSON.stringify([location.pathname, box.ariaLabel, inputsNamed(box.ariaLabel).indexOf(box)]);

const inputsNamed = (name) =>
  Array.from(document.querySelectorAll(TEXT_INPUTS)).filter((box) => box.ariaLabel === name);

async function refillInputs(isServerCurrent, timeoutMs) {
  await waitUntil(() => isServerCurrent() && isIdle(), timeoutMs);
  let missing = Array.from(edits.keys()).filter((place) => edits.get(place).at >= unsentAfter);
  if (!missing.length) return;
  const refilled = waitUntil(() => {
    missing = missing.filter((place) => !refill(place));
    return !missing.length;
  }, MAX_REFILL_MS);
  // an input is drawn only after its encoding is trained again, which may take longer
  const sent = refilled.then(() => delay(RUN_START_MS)); // Streamlit sends it after a pause
  await Promise.race([sent, delay(MAX_WAIT_MS)]);
  await waitUntil(isIdle);
}

// Returns whether nothing has to be entered at this place any more.
function refill(place) {
  const [path, name, index] = JSON.parse(place), box = isIdle() && inputsNamed(name)[index];
  if (path !== location.pathname) return true;
  if (!box) return false;
  const { value } = edits.get(place);
  if (place === focused && document.activeElement === document.body) box.focus({ preventScroll: true });
  if (box.value === value) return true;
  setInputValue(box, value);
  box.dispatchEvent(new Event('input', { bubbles: true }));
  return true;
}

function isIdle() {
  if (document.querySelector(BUSY)) idleSince = null;
  else idleSince ??= performance.now();
  return idleSince !== null && performance.now() - idleSince > IDLE_MS;
}

async function waitUntil(condition, timeoutMs = MAX_WAIT_MS) {
  for (const end = performance.now() + timeoutMs; !condition() && performance.now() < end;) await delay(POLL_MS);
}
