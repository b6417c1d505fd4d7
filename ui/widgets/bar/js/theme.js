// The look that the reader wants: the system's, light or dark; kept in the browser, for every page and visit. Streamlit
// takes the one that the browser prefers, and asks for it again after printing: so the browser is made to prefer what
// was chosen.
import { BROWSER, note, read, write } from '../../../components/js/dom/storage.js';
import { askForScheme, preferScheme } from '../../../components/js/streamlit/streamlit-dom.js';

const KEY = 'tokenloupe.theme';

// Where the browser does not keep it, it holds as long as the tab does.
export const wanted = () => read(BROWSER, KEY) ?? window.tokenloupeTheme ?? 'system';

export function prefer(look) {
  window.tokenloupeTheme = look;
  note(KEY, write(BROWSER, KEY, look) ? [] : ['look']);
  askForScheme();
}

/** Makes what was chosen the browser's own preference, once a page. */
export function overrule() {
  if (preferScheme(() => (wanted() === 'system' ? null : wanted())) && wanted() !== 'system') prefer(wanted());
}
