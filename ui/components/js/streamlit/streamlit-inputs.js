// Adapts Streamlit's text inputs. React listens at the page's root, so listeners in the capture phase of the window run
// before it.
import { isFirst } from '../dom/document-state.js';
import { BOXES, DROP_ZONES, FORM, kindOf, LISTS, PRESSABLE, put } from './streamlit-dom.js';
import { keepPlace } from './focus-restore.js';
import { RTL_CHARACTERS } from '../editor/text.js';

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const PAUSE = 250, UNITS_PER_MS = 500; // a long text waits for a longer pause
const SOON = 100; // ms until Streamlit sends a committed value
const turned = new WeakMap(); // input -> the text for which its direction was set
let timer = 0, typed = null; // the input with a value that Streamlit has not committed
let telling = null; // timer until a committed value may be unsent

// Streamlit drops a message that contains a lone surrogate, so lone surrogates are replaced by U+FFFD.
function mend(target) {
  if (!kindOf(target) || target.type === 'file' || target.value.search(LONE) < 0) return;
  const { selectionStart, selectionEnd } = target;
  put(target, target.value.replace(LONE, '\ufffd'));
  target.setSelectionRange(selectionStart, selectionEnd);
}

// A list shows the options that have each typed character, in order, and "GPT-5" has no space: "gpt 5" is typed as
// "gpt5". No option is lost by that, since the letters alone are in every option that has the spaces, too.
function dropSpaces(event) {
  const { target, data } = event;
  if (!data || !/\s/.test(data) || !target.matches?.(LISTS)) return;
  event.preventDefault();
  document.execCommand('insertText', false, data.replace(/\s+/g, '')); // as if it were typed, so React takes it
}

// Streamlit commits a textarea on Ctrl+Enter and a line on Enter; on blur it commits by itself. So a pause in typing
// into a textarea, or a press elsewhere, sends that key.
function tell() {
  const box = typed, isArea = box instanceof HTMLTextAreaElement;
  heard();
  if (isArea || (box && !box.closest(FORM)))
    box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: isArea, bubbles: true }));
}

function heard() {
  clearTimeout(timer);
  if (typed) beginTelling();
  typed = null;
}

// A chain of timers, not the clock: on a busy machine a press may be handled late and still before the value is sent.
function beginTelling() {
  clearTimeout(telling);
  telling = setTimeout(() => { telling = setTimeout(endTelling); }, SOON);
}

function endTelling() {
  clearTimeout(telling);
  telling = null;
}

// Streamlit sends a committed value with a delay. A click handled before that would be undone by it, even a navigation,
// so the click is repeated after the delay.
function wait(event) {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event, pressed = target.closest?.('a[href], button');
  if (!pressed || pressed.closest(PRESSABLE) || telling === null || button || ctrlKey || metaKey || shiftKey || altKey)
    return;
  endTelling();
  event.preventDefault();
  event.stopImmediatePropagation();
  setTimeout(() => pressed.click(), SOON);
}

function hear(box) {
  clearTimeout(timer);
  typed = box;
  if (box instanceof HTMLTextAreaElement) timer = setTimeout(tell, PAUSE + box.value.length / UNITS_PER_MS);
}

/** Sets dir="auto" where a text contains right-to-left characters: doing so for every text costs seconds on a
 *  megabyte line. */
function turn(box) {
  if (turned.get(box) === box.value) return; // runs on each change of the page
  turned.set(box, box.value);
  const wanted = RTL_CHARACTERS.test(box.value) ? 'auto' : '';
  if (box.dir !== wanted) box.dir = wanted;
}

// Streamlit gives its drop zones role "presentation" and a label; a labelled element needs a role, so it becomes a
// group.
function look() {
  const zones = document.querySelectorAll(DROP_ZONES);
  for (const zone of zones) zone.setAttribute('role', 'group');
  for (const box of document.querySelectorAll(BOXES)) turn(box);
}

export default function () {
  if (!isFirst('inputs')) return;
  // typed before this script ran
  if (document.activeElement instanceof HTMLTextAreaElement) hear(document.activeElement);
  window.addEventListener('input', ({ target }) => {
    mend(target);
    if (target.matches?.(BOXES)) {
      hear(target);
      turn(target);
    }
  }, true);
  window.addEventListener('beforeinput', dropSpaces, true);
  window.addEventListener('pointerdown', ({ target }) => { if (target !== typed) tell(); }, true);
  window.addEventListener('focusout', heard, true);
  window.addEventListener('click', wait, true);
  const changed = keepPlace();
  new MutationObserver(() => {
    look();
    changed();
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  look(); // inputs that exist already
}
