// While the server is away Streamlit disables its boxes, and its dialog takes the focus, and with it what is typed.
// Here the box that is written in stays as it is, the dialog is shut before a key is lost, and a line says how things
// stand.
import { make } from '../dom/elements.js';
import { appStyle, connectionDialog, DIALOG, isConnected, watchPage } from './streamlit-dom.js';
import { tr } from '../dom/i18n.js';

const HELD = 1_000; // ms in which Streamlit may still take the focus

/** Begins, with its line in `place`; returns what ends it. */
export function whileAway(place) {
  const end = new AbortController(), says = make('p', 'away');
  // what has the focus, or had it when it was taken, and all around it, until it is there again
  let path = [], heldUntil = 0;
  const hold = () => {
    const [place] = path, { activeElement } = document;
    if (
      performance.now() >= heldUntil ||
      !place?.isConnected ||
      (activeElement !== document.body && !activeElement.closest(DIALOG))
    )
      return;
    for (const one of path) if (one.inert) one.inert = false; // behind the dialog all is
    place.focus({ preventScroll: true });
  };
  const look = () => {
    const found = connectionDialog();
    if (found && !found.dialog.inert) {
      found.dialog.inert = true;
      heldUntil = performance.now() + HELD;
      found.close?.click();
      says.style.colorScheme = appStyle().colorScheme; // no part of the app, but of its look
      says.textContent = tr(
        'The server cannot be reached. Your text is safe in this tab, and the page will carry on by itself when ' +
          'the server is back.',
      );
    }
    if (isConnected()) says.textContent &&= '';
    else if (path[0]?.disabled) {
      path[0].disabled = false;
      heldUntil = performance.now() + HELD; // some boxes let the focus go as they are disabled
    }
    hold();
  };
  const hear = (event, does) => addEventListener(event, does, { signal: end.signal, capture: true });
  hear('focusin', (event) => { if (!event.target.closest?.(DIALOG)) path = event.composedPath(); });
  hear('focusout', () =>
    setTimeout(() => {
      if (performance.now() >= heldUntil && document.activeElement === document.body) path = [];
    }),
  );
  hear('keydown', hold);
  says.setAttribute('role', 'status');
  place.append(says); // empty: what is put into it later is read aloud
  const unwatch = watchPage(look);
  return () => {
    end.abort();
    unwatch();
    says.remove();
  };
}
