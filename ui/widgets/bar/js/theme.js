// The chosen theme ("system", "light" or "dark"), stored in the browser. Streamlit uses the browser's preferred color
// scheme and reads it again after printing, so the preference is overridden by the chosen theme.
import { inDocument } from '../../../../web/js/dom/document-state.js';
import { browserRecord, storeInBrowser } from '../../../../web/js/dom/storage.js';
import {
  rereadColorScheme, overrideColorScheme, shareColorScheme,
} from '../../../../web/js/streamlit/streamlit-dom.js';

// The theme of this tab, if the browser's storage is not available.
const tabTheme = inDocument('theme', () => ({ theme: 'system' }));
export const chosenTheme = () => browserRecord().theme ?? tabTheme.theme;

export function setTheme(theme) {
  tabTheme.theme = theme;
  storeInBrowser('theme', theme);
  rereadColorScheme();
}

/** Overrides the browser's preferred color scheme, and shares the app's with the whole document; has an effect once per
 *  document. */
export function overrideTheme() {
  const scheme = () => (chosenTheme() === 'system' ? null : chosenTheme());
  if (!overrideColorScheme(scheme)) return;
  if (scheme()) setTheme(scheme());
  shareColorScheme();
}
