// Opens a file that is dropped anywhere on the page: the browser would leave the page and show the file.
import { delay } from '../dom/elements.js';
import { FILE_INPUT, POPOVER_BUTTON } from './streamlit-dom.js';

const OPEN = `.st-key-open ${POPOVER_BUTTON}`; // ui/widgets/tokenizer_upload.py
const POLL_MS = 50, MAX_POLLS = 60; // until the popover is drawn

/** Hands dropped files to the page's upload area, or to the one in its popover "Open". */
export function watchFileDrops() {
  addEventListener('dragover', (event) => { if (hasFiles(event)) event.preventDefault(); });
  addEventListener('drop', (event) => {
    if (!hasFiles(event) || event.defaultPrevented) return; // an upload area or a dialog has taken them
    event.preventDefault();
    const kept = new DataTransfer(); // the event's own files are gone after it
    for (const file of event.dataTransfer.files) kept.items.add(file);
    upload(kept.files);
  });
}

const hasFiles = ({ dataTransfer }) => Boolean(dataTransfer?.types.includes('Files'));

async function upload(files) {
  const input = document.querySelector(FILE_INPUT) ?? await openPopover();
  if (!input) return; // the page opens no files
  input.files = files;
  input.dispatchEvent(new Event('change', { bubbles: true }));
}

async function openPopover() {
  document.querySelector(OPEN)?.click();
  for (let i = 0; i < MAX_POLLS && document.querySelector(OPEN); i++) {
    const input = document.querySelector(FILE_INPUT);
    if (input) return input;
    await delay(POLL_MS);
  }
  return null;
}
