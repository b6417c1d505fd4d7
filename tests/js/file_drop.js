// Which drags of files the page takes.
import { watchFileDrops } from '/web/js/streamlit/file-drop.js';
import { equal } from './check.js';

/** Returns whether the page takes files that are dragged over it, instead of the browser. */
function isTaken() {
  const event = new Event('dragover', { cancelable: true });
  dispatchEvent(Object.assign(event, { dataTransfer: { types: ['Files'], files: [] } }));
  return event.defaultPrevented;
}

export function files_are_taken_after_a_drag_of_the_page_whose_element_was_removed() {
  watchFileDrops();
  const taken = [isTaken()];
  for (const end of ['dragend', 'pointermove']) { // the latter comes in any case
    dispatchEvent(new Event('dragstart'));
    taken.push(isTaken());
    dispatchEvent(new Event(end));
    taken.push(isTaken());
  }
  equal(taken, [true, false, true, false, true]);
}
