// The chosen theme ("system", "light" or "dark"), stored in the browser. Streamlit uses the browser's preferred color
// scheme and reads it again after printing, so the preference is overridden by the chosen theme.
import { inDocument } from '../../../components/js/dom/document-state.js';
import { browserRecord, storeInBrowser } from '../../../components/js/dom/storage.js';
import { askForScheme, preferScheme } from '../../../components/js/streamlit/streamlit-dom.js';

// Keeps the theme while the tab is open, if the browser's storage is not available.
const here = inDocument('theme', () => ({ theme: 'system' }));
export const chosenTheme = () => browserRecord().theme ?? here.theme;

export function setTheme(theme) {
  here.theme = theme;
  storeInBrowser('theme', theme);
  askForScheme();
}

/** Overrides the browser's preferred color scheme; has an effect once per document. */
export function overrideTheme() {
  const scheme = () => (chosenTheme() === 'system' ? null : chosenTheme());
  if (preferScheme(scheme) && scheme()) setTheme(scheme());
}
