// Streamlit's own boxes, attended to. They are React's, which listens at the root of the page: this hears of an input
// before.
import { BOXES, DROP_ZONES, FORM, kindOf, PRESSABLE, put } from './streamlit-dom.js';
import { keepPlace } from './focus-restore.js';
import { LEFTWARD } from '../editor/text.js';

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const PAUSE = 250, UNITS_PER_MS = 500; // a long text waits for a longer pause
const SOON = 100; // ms in which Streamlit sends what a box has told
const turned = new WeakMap(); // box -> the text for which it was turned
let timer = 0, typed = null; // the box that holds what Streamlit has not heard
let telling = null; // the timer until which it may not have been sent

// A message that holds a lone surrogate cannot be read, and is dropped: so what stands in the box is mended.
function mend(target) {
  if (!kindOf(target) || target.type === 'file' || target.value.search(LONE) < 0) return;
  const { selectionStart, selectionEnd } = target;
  put(target, target.value.replace(LONE, '\ufffd'));
  target.setSelectionRange(selectionStart, selectionEnd);
}

// An area tells the server what it holds at Ctrl+Enter, a line at Enter: so a pause in the typing of an area is one,
// and a press on something else. When it is left, it tells by itself.
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

// By timers, not by the clock: on a busy machine a press may come later, and yet before what is sent.
function beginTelling() {
  clearTimeout(telling);
  telling = setTimeout(() => { telling = setTimeout(endTelling); }, SOON);
}

function endTelling() {
  clearTimeout(telling);
  telling = null;
}

// Streamlit sends what it was told a moment later: after what a quick press asks for, which that would undo, be it
// another page. So the press waits.
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

/** Lets each line of a box run in its own direction, where some of the text runs leftward: else a line of a megabyte
 *  takes seconds. */
function turn(box) {
  if (turned.get(box) === box.value) return; // it is asked at each change of the page
  turned.set(box, box.value);
  const wanted = LEFTWARD.test(box.value) ? 'auto' : '';
  if (box.dir !== wanted) box.dir = wanted;
}

// A place to drop files says that it is nothing, and has a name: it is a group.
function look() {
  const zones = document.querySelectorAll(DROP_ZONES);
  for (const zone of zones) zone.setAttribute('role', 'group');
  for (const box of document.querySelectorAll(BOXES)) turn(box);
}

export default function () {
  if (window.tokenloupeAttends) return;
  window.tokenloupeAttends = true;
  if (document.activeElement instanceof HTMLTextAreaElement) hear(document.activeElement); // typed in before
  window.addEventListener('input', ({ target }) => {
    mend(target);
    if (target.matches?.(BOXES)) {
      hear(target);
      turn(target);
    }
  }, true);
  window.addEventListener('pointerdown', ({ target }) => { if (target !== typed) tell(); }, true);
  window.addEventListener('focusout', heard, true);
  window.addEventListener('click', wait, true);
  const changed = keepPlace();
  new MutationObserver(() => {
    look();
    changed();
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  look(); // what stands there already
}
