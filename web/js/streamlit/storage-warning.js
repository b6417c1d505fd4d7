// The banner that lists what the browser cannot store because its storage is full or blocked, and offers the texts
// among that as downloads.
import { saveFile } from '../dom/clipboard.js';
import { tabState } from '../editor/tab-state.js';
import { make, makeButton } from '../dom/elements.js';
import { allLosses, isBlocked } from '../dom/storage.js';
import { tr } from '../dom/i18n.js';

const LOSSES = { // in the order of the list
  text: tr('the text'),
  second: tr('the second text'),
  own: tr('the text on the timeline'),
  steps: tr('the merge you had reached and your quiz score in each training'),
  typed: tr('what you typed on the pages'),
  recipes: tr('the settings with which your tokenizers were trained'),
  made: tr('the list of your tokenizers'),
  lessons: tr('your progress in the lessons'),
  class: tr('the class that is open'),
  theme: tr('the theme'),
};
const DOWNLOADS = {
  text: tr('Download the text'),
  second: tr('Download the second text'),
  own: tr('Download the text on the timeline'),
};

/** Shows the banner in `place` while something is not stored; returns the function that ends that. */
export function showStorageWarning(place) {
  const listeners = new AbortController();
  const banner = make('div', 'unkept'), message = make('span'), buttons = make('span');
  let closedList = ''; // the list when the visitor closed the banner
  const draw = () => {
    const lost = allLosses(), losses = Object.keys(LOSSES).filter((name) => lost.has(name));
    const list = losses.map((name) => LOSSES[name]).join(', '), isShown = list !== '' && list !== closedList;
    if (!list) closedList = '';
    banner.classList.toggle('shows', isShown);
    const words = isShown ? sentence(list) : '';
    if (message.textContent === words) return;
    message.textContent = words;
    const texts = losses.filter((name) => name in DOWNLOADS);
    const downloads = texts.map((name) => makeButton('', () => download(name), DOWNLOADS[name]));
    const close = makeButton('', () => { closedList = list; draw(); }, tr('Close'));
    buttons.replaceChildren(...(isShown ? [...downloads, close] : []));
  };
  banner.setAttribute('role', 'status');
  banner.append(message, buttons); // a live region must exist before its text for screen readers to announce it
  place.append(banner);
  addEventListener('tokenloupe-losses', draw, { signal: listeners.signal });
  draw();
  return () => {
    listeners.abort();
    banner.remove();
  };
}

const sentence = (list) => (isBlocked()
  ? tr('This browser blocks storage for this page, so a reload loses: {what}.', { what: list })
  : tr('This browser’s storage is full, so a reload loses: {what}.', { what: list }));

const download = (name) =>
  saveFile(new Blob([tabState()[name] ?? ''], { type: 'text/plain' }), `tokenloupe-${name}.txt`);
