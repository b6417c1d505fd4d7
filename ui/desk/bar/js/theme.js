// The look that the reader wants: the system's, light or dark; kept in the browser, for every page and visit.
// Streamlit takes the one that the browser prefers, and asks for it again after printing: so the browser is made to prefer what was chosen.
import { BROWSER, note, read, write } from '../../../kit/js/storage.js';

const KEY = 'tokenloupe.theme';

// Where the browser does not keep it, it holds as long as the tab does.
export const wanted = () => read(BROWSER, KEY) ?? window.tokenloupeTheme ?? 'system';

export function prefer(look) {
  window.tokenloupeTheme = look;
  note(KEY, write(BROWSER, KEY, look) ? [] : ['look']);
  dispatchEvent(new Event('afterprint'));
}

/** Makes what was chosen the browser's own preference, once a page. */
export function overrule() {
  const native = window.matchMedia;
  if (native.isOurs) return;
  window.matchMedia = (query) => {
    const list = native.call(window, query), look = wanted();
    if (look === 'system' || !query.includes('prefers-color-scheme')) return list;
    return Object.defineProperty(list, 'matches', { value: query.includes(look) });
  };
  window.matchMedia.isOurs = true;
  if (wanted() !== 'system') prefer(wanted());
}
