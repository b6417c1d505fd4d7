// The chosen theme ("system", "light" or "dark"), stored in the browser. Streamlit uses the browser's preferred color
// scheme and reads it again after printing, so the preference is overridden by the chosen theme.
import { BROWSER, note, read, write } from '../../../components/js/dom/storage.js';
import { askForScheme, preferScheme } from '../../../components/js/streamlit/streamlit-dom.js';

const KEY = 'tokenloupe.theme';

// The global keeps the theme while the tab is open, if the browser's storage is not available.
export const chosenTheme = () => read(BROWSER, KEY) ?? window.tokenloupeTheme ?? 'system';

export function setTheme(theme) {
  window.tokenloupeTheme = theme;
  note(KEY, write(BROWSER, KEY, theme) ? [] : ['look']);
  askForScheme();
}

/** Overrides the browser's preferred color scheme; has an effect once per document. */
export function overrideTheme() {
  const scheme = () => (chosenTheme() === 'system' ? null : chosenTheme());
  if (preferScheme(scheme) && scheme()) setTheme(scheme());
}
