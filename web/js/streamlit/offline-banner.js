// Without a connection, Streamlit disables inputs and opens a dialog that takes the focus, so typed keys would be lost.
// This module enables the focused input again, closes the dialog, and shows a banner instead.
import { make } from '../dom/elements.js';
import { connectionDialog, DIALOG, isConnected, watchPage } from './streamlit-dom.js';
import { tr } from '../dom/i18n.js';

const FOCUS_GUARD_MS = 1_000; // in which Streamlit may still move the focus

/** Starts watching, with the banner in `place`; returns the function that stops it. */
export function showOfflineBanner(place) {
  const listeners = new AbortController(), banner = make('p', 'away');
  // the event path of the focused element, until it has the focus again
  let path = [], guardedUntil = 0;
  const restoreFocus = () => {
    const [input] = path, { activeElement } = document;
    const isElsewhere = activeElement !== document.body && !activeElement.closest(DIALOG);
    if (performance.now() >= guardedUntil || !input?.isConnected || isElsewhere) return;
    for (const one of path) if (one.inert) one.inert = false; // Streamlit makes everything behind the dialog inert
    input.focus({ preventScroll: true });
  };
  const onPageChange = () => {
    const found = connectionDialog();
    if (found && !found.dialog.inert) {
      found.dialog.inert = true;
      guardedUntil = performance.now() + FOCUS_GUARD_MS;
      found.close?.click();
      banner.textContent = tr(
        'The server cannot be reached. Your text is safe in this tab, and the page continues when the server ' +
          'answers again.',
      );
    }
    if (isConnected()) banner.textContent &&= '';
    else if (path[0]?.disabled) {
      path[0].disabled = false;
      guardedUntil = performance.now() + FOCUS_GUARD_MS; // some inputs lose the focus when they are disabled
    }
    restoreFocus();
  };
  const listen = (event, handler) => addEventListener(event, handler, { signal: listeners.signal, capture: true });
  listen('focusin', (event) => { if (!event.target.closest?.(DIALOG)) path = event.composedPath(); });
  listen('focusout', () =>
    setTimeout(() => {
      if (performance.now() >= guardedUntil && document.activeElement === document.body) path = [];
    }),
  );
  listen('keydown', restoreFocus);
  banner.setAttribute('role', 'status');
  place.append(banner); // a live region must exist before its text for screen readers to announce it
  const unwatch = watchPage(onPageChange);
  return () => {
    listeners.abort();
    unwatch();
    banner.remove();
  };
}
