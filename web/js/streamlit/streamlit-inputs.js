// Adapts Streamlit's text inputs. React listens at the page's root, so listeners in the capture phase of the window run
// before it.
import { isFirst } from '../dom/document-state.js';
import { isPlainClick } from '../dom/elements.js';
import {
  TEXT_INPUTS, CODE, DROP_ZONES, FORM, inputClassOf, COMBOBOXES, OPEN_LISTS, PRESSABLE, setInputValue,
  RADIO_GROUP, CHOSEN_RADIO,
} from './streamlit-dom.js';
import { watchFileDrops } from './file-drop.js';
import { watchFocus } from './focus-restore.js';
import { RTL_CHARACTERS } from '../editor/text.js';

const ADD_MESSAGE = '.st-key-add_message button';
const COMMIT_DELAY_MS = 250, UNITS_PER_MS = 500; // the delay grows with the length of the text
const SEND_DELAY_MS = 100; // until Streamlit sends a committed value
const directedTexts = new WeakMap(); // input -> the text for which its direction was set
let commitTimer = 0, uncommitted = null; // the input with a value that Streamlit has not committed
let numMessages = 0; // boxes of messages when the page changed last
let sendTimer = null; // runs while a committed value may be unsent

// Streamlit drops a message that contains a lone surrogate, so lone surrogates are replaced by U+FFFD.
function replaceLoneSurrogates(target) {
  if (!inputClassOf(target) || target.type === 'file' || target.value.isWellFormed()) return;
  const { selectionStart, selectionEnd } = target;
  setInputValue(target, target.value.toWellFormed());
  target.setSelectionRange(selectionStart, selectionEnd);
}

// A list shows the options that contain each typed character in order. "gpt 5" would not find "GPT-5", which has no
// space, so spaces are dropped. No option is lost: an option that matches with the spaces matches without them.
// The interim text of an input method may have spaces ("ni hao"), and belongs to the method.
export function dropSpaces(event) {
  const { target, data, cancelable } = event;
  if (!data || !cancelable || !/\s/.test(data) || !target.matches?.(COMBOBOXES)) return;
  event.preventDefault();
  document.execCommand('insertText', false, data.replace(/\s+/g, '')); // React handles it like typed text
}

// Streamlit commits a textarea on Ctrl+Enter, a line on Enter, and both on blur. So that a pause in typing or a press
// elsewhere commits too, this sends that key.
function commit() {
  const box = uncommitted, isArea = box instanceof HTMLTextAreaElement;
  onCommitted();
  if (isArea || (box && !box.closest(FORM)))
    box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: isArea, bubbles: true }));
}

function onCommitted() {
  clearTimeout(commitTimer);
  if (uncommitted) startSendTimer();
  uncommitted = null;
}

// A chain of timers, not the clock: on a busy machine a press may be handled late and still before the value is sent.
function startSendTimer() {
  clearTimeout(sendTimer);
  sendTimer = setTimeout(() => { sendTimer = setTimeout(endSendTimer); }, SEND_DELAY_MS);
}

function endSendTimer() {
  clearTimeout(sendTimer);
  sendTimer = null;
}

// Streamlit sends a committed value with a delay. A click handled before that would be undone by it, even a navigation,
// so the click is repeated after the delay.
function delayClick(event) {
  const pressed = event.target.closest?.('a[href], button');
  if (sendTimer === null || !isPlainClick(event) || !pressed || pressed.closest(PRESSABLE)) return;
  endSendTimer();
  event.preventDefault();
  event.stopImmediatePropagation();
  setTimeout(() => pressed.click(), SEND_DELAY_MS);
}

function scheduleCommit(box) {
  clearTimeout(commitTimer);
  uncommitted = box;
  if (!(box instanceof HTMLTextAreaElement)) return;
  commitTimer = setTimeout(commit, COMMIT_DELAY_MS + box.value.length / UNITS_PER_MS);
}

// The Tab key enters a group at its first option, so the focus is moved to the chosen one.
function watchRadioGroups() {
  let isTab = false; // whether the Tab key moves the focus
  window.addEventListener('keydown', ({ key }) => { isTab = key === 'Tab'; }, true);
  window.addEventListener('pointerdown', () => { isTab = false; }, true);
  window.addEventListener('focusin', ({ target, relatedTarget }) => {
    const group = isTab && target.closest(RADIO_GROUP);
    if (group && !group.contains(relatedTarget)) group.querySelector(CHOSEN_RADIO)?.focus();
  });
}

/** Sets dir="auto" where a text contains right-to-left characters: doing so for every text costs seconds on a
 *  megabyte line. */
function setDirection(box) {
  if (directedTexts.get(box) === box.value) return; // runs on each change of the page
  directedTexts.set(box, box.value);
  const wanted = RTL_CHARACTERS.test(box.value) ? 'auto' : '';
  if (box.dir !== wanted) box.dir = wanted;
}

// Streamlit gives its drop zones role "presentation" and a label; a labelled element needs a role, so it becomes a
// group. Not every browser lets the Tab key reach code that scrolls. An open list is a landmark with the list's name,
// since it stands outside all others.
function adaptInputs() {
  const zones = document.querySelectorAll(DROP_ZONES);
  for (const zone of zones) zone.setAttribute('role', 'group');
  for (const code of document.querySelectorAll(CODE)) code.tabIndex = 0;
  for (const box of document.querySelectorAll(TEXT_INPUTS)) setDirection(box);
  for (const list of document.querySelectorAll(OPEN_LISTS)) {
    list.role = 'region';
    list.ariaLabel = list.querySelector('[role=listbox]')?.ariaLabel ?? null;
  }
}

const messageBoxes = () => document.querySelectorAll('.st-key-chat_messages textarea'); // see ui/chat/editor.py

/** Moves the focus from the button that adds a message to the new box; a space would press the button again. */
function focusAddedMessage() {
  const boxes = messageBoxes(), isAdded = boxes.length > numMessages;
  numMessages = boxes.length;
  if (isAdded && document.activeElement.matches(ADD_MESSAGE)) boxes[boxes.length - 1].focus();
}

export default function () {
  if (!isFirst('inputs')) return;
  // typed before this script ran
  if (document.activeElement instanceof HTMLTextAreaElement) scheduleCommit(document.activeElement);
  window.addEventListener('input', ({ target }) => {
    replaceLoneSurrogates(target);
    if (target.matches?.(TEXT_INPUTS)) {
      scheduleCommit(target);
      setDirection(target);
    }
  }, true);
  window.addEventListener('beforeinput', dropSpaces, true);
  window.addEventListener('pointerdown', ({ target }) => { if (target !== uncommitted) commit(); }, true);
  window.addEventListener('focusout', onCommitted, true);
  window.addEventListener('click', delayClick, true);
  watchRadioGroups();
  watchFileDrops();
  const onFocusChange = watchFocus();
  new MutationObserver(() => {
    adaptInputs();
    focusAddedMessage();
    onFocusChange();
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  adaptInputs(); // inputs that exist already
  numMessages = messageBoxes().length;
}
