// Opens a file that is dropped anywhere on the page: the browser would leave the page and show the file.
import { delay } from '../dom/elements.js';
import { currentDrag } from '../dom/own-drag.js';
import { DROP_ZONE, FILE_INPUT, POPOVER, POPOVER_BUTTON } from './streamlit-dom.js';

const OPEN = `.st-key-open ${POPOVER_BUTTON}`; // ui/widgets/tokenizer_upload.py
const HANDLING_DROPS = `${DROP_ZONE}, dialog`; // they take dropped files themselves
const REFUSING_DROPS = '[data-drop=none]'; // places of a text that no file can replace
const POLL_MS = 50, MAX_POLLS = 60; // until the popover is drawn

/** Hands dropped files to the page's upload area, or to the one in its popover "Open". */
export function watchFileDrops() {
  currentDrag(); // watches from here on
  addEventListener('dragover', (event) => {
    if (isHandled(event)) return;
    event.preventDefault();
    if (!isAccepted(event)) event.dataTransfer.dropEffect = 'none';
  });
  addEventListener('drop', (event) => {
    if (isHandled(event)) return;
    event.preventDefault();
    if (!isAccepted(event)) return;
    const kept = new DataTransfer(); // the event's own files are gone after it
    for (const file of event.dataTransfer.files) kept.items.add(file);
    upload(kept);
  });
}

const isIn = (event, selector) => event.composedPath().some((one) => one.matches?.(selector));

// Browsers offer a picture of the page as a file.
const isHandled = (event) =>
  currentDrag().isOwn || !event.dataTransfer?.types.includes('Files') || isIn(event, HANDLING_DROPS);

const isAccepted = (event) =>
  !isIn(event, REFUSING_DROPS) && !('stage' in document.documentElement.dataset) &&
  document.querySelector(`${OPEN}, ${FILE_INPUT}`) !== null;

async function upload({ items, files }) {
  const input = fileInput() ?? await openPopover();
  if (!input) return;
  while (items.length > 1 && !input.multiple) items.remove(1);
  input.files = files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
}

// An open popover is in front of the page.
const fileInput = () => document.querySelector(`${POPOVER} ${FILE_INPUT}`) ?? document.querySelector(FILE_INPUT);

async function openPopover() {
  const button = document.querySelector(OPEN);
  if (button?.ariaExpanded !== 'true') button?.click();
  for (let i = 0; i < MAX_POLLS && button?.isConnected; i++) {
    if (fileInput()) return fileInput();
    await delay(POLL_MS);
  }
  return null;
}
