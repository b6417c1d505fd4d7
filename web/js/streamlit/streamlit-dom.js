// The only module that names Streamlit's elements and depends on its behaviour. tests/e2e/test_streamlit_dom.py checks
// each name in a browser. If a later release renames one, the feature that needs it does nothing.

const APP = '[data-testid=stApp]', CONNECTION = 'data-test-connection-state';

/** Matches the app while the script runs. */
export const BUSY = `${APP}:not([data-test-script-state=notRunning])`;

export const CONNECTED = `${APP}[${CONNECTION}=CONNECTED]`;

/** Matches while elements of the current run are missing. */
export const NOT_DRAWN = `${BUSY}, [data-testid=stSkeleton], [data-stale=true]`;

export const componentRoots = () =>
  Array.from(document.querySelectorAll('[data-testid=stBidiComponentIsolated]'), (one) => one.shadowRoot ?? one);

export const MAIN = '[data-testid=stMain]';

export const DIALOG = '.stDialog';
export const POPOVER = '[data-testid=stPopoverBody]';

/** Elements that take the focus and return it when they close. */
export const OVERLAYS = `${DIALOG}, ${POPOVER}, [role=listbox]`;

/** The links of the bar and its open menu, except that of the app's name. */
export const PAGE_LINKS = `:is(.st-key-menu, ${POPOVER}) [data-testid=stPageLink-NavLink]`;

export const POPOVER_BUTTON = '[data-testid=stPopoverButton]';

/** The button of an open menu, and what closes a menu: a link to a page, an example. */
export const OPEN_MENU = `${POPOVER_BUTTON}[aria-expanded=true]`;
export const MENU_ITEMS = `${POPOVER} :is([data-testid=stPageLink-NavLink], .st-key-examples button)`;

export const TEXT_INPUTS = '.stTextArea textarea, :is(.stTextInput, .stNumberInput) input';

/** Inputs of lists; a list shows the options that contain the typed characters in order. */
export const COMBOBOXES = ':is(.stSelectbox, .stMultiSelect) [role=combobox]';

/** Open lists of options; Streamlit gives them no landmark. */
export const OPEN_LISTS = ':is([data-testid=stSelectboxVirtualDropdown], [data-testid=stMultiSelectDropdown])';

export const FORM = '.stForm';

export const DROP_ZONE = '[data-testid=stFileUploaderDropzone]';

/** Drop zones with role "presentation". */
export const DROP_ZONES = `${DROP_ZONE}[role=presentation]`;

export const FILE_INPUT = `${DROP_ZONE} input[type=file]`;

/** Code, which scrolls. */
export const CODE = '.stCode pre';

export const RADIO_GROUP = '[role=radiogroup]';
export const RADIO = '[role=radio]';
export const CHOSEN_RADIO = '[role=radio][aria-checked=true]';

/** React Aria buttons: they act on the press, before the click, and never navigate. */
export const PRESSABLE = '[data-react-aria-pressable]';

/** Elements whose only text Streamlit renders in English. */
export const ENGLISH_TEXTS = [
  '[data-testid=stSkipToContent]', '[role=listbox] [role=option] > span',
  '[data-testid=stFileUploaderDropzone] button p', '[data-testid=stFileUploaderDropzoneInstructions] span',
  '.stFileUploader [role=alert]', '[data-testid=InputInstructions] span', '[data-testid=stTooltipContent] p',
  '[data-testid=stConnectionStatus] label', `${DIALOG} :is(h2, div)`,
].join();

/** Returns the "st-key-…" class of an element, or undefined. */
export const keyClass = (element) =>
  Array.from(element.closest('[class*=st-key-]')?.classList ?? []).find((one) => one.startsWith('st-key-'));

export const appStyle = () => getComputedStyle(document.querySelector(APP) ?? document.body);

/** Gives the document the app's color scheme, also after each change of the theme: popovers, dialogs and banners are
 *  outside the app's element. */
export function shareColorScheme() {
  const share = () => { document.documentElement.style.colorScheme = appStyle().colorScheme; };
  new MutationObserver(share).observe(document.querySelector(APP), { attributeFilter: ['class'] });
  share();
}

export const isConnected = () => document.querySelector(CONNECTED) !== null;

/** Calls `changed(isConnected)` on each change of the connection; returns the function that stops it. */
export function watchConnection(changed) {
  const watch = new MutationObserver((changes) =>
    changed(changes.at(-1).target.getAttribute(CONNECTION) === 'CONNECTED'),
  );
  watch.observe(document, { subtree: true, attributeFilter: [CONNECTION] });
  return () => watch.disconnect();
}

/** Calls `changed` when an input may be disabled, a dialog may open, or the connection may change; returns the
 *  function that stops it. */
export function watchPage(changed) {
  const watch = new MutationObserver(changed);
  watch.observe(document.body, {
    childList: true, subtree: true, attributes: true, attributeFilter: [CONNECTION, 'disabled'],
  });
  return () => watch.disconnect();
}

/** Returns Streamlit's connection dialog and its close button, or null. */
export function connectionDialog() {
  const dialog = Array.from(document.querySelectorAll(DIALOG)).find(
    (one) => one.querySelector('h2')?.textContent === 'Connection error',
  );
  return dialog ? { dialog, close: dialog.querySelector('[role=dialog] > button') } : null;
}

/** Returns the class of a text input; undefined for other elements. */
export const inputClassOf = (target) => [HTMLTextAreaElement, HTMLInputElement].find((one) => target instanceof one);

/** Sets an input's value by the prototype's setter: React ignores a plain assignment. */
export function setInputValue(box, value) {
  Object.getOwnPropertyDescriptor(inputClassOf(box).prototype, 'value').set.call(box, value);
}

/** Makes Streamlit read the preferred color scheme again, as it does after printing. */
export const rereadColorScheme = () => dispatchEvent(new Event('afterprint'));

/** Makes Streamlit see `scheme()` as the browser's preferred color scheme; null means the browser's own. Works
 *  once a page. */
export function overrideColorScheme(scheme) {
  const native = window.matchMedia;
  if (native.isOverridden) return false;
  window.matchMedia = (query) => {
    const list = native.call(window, query), wanted = scheme();
    if (!wanted || !query.includes('prefers-color-scheme')) return list;
    return Object.defineProperty(list, 'matches', { value: query.includes(wanted) });
  };
  return window.matchMedia.isOverridden = true;
}

/** Lets `decide` handle each history entry that Streamlit adds: it may call `push`, `replace` or neither. */
export function interceptHistory(decide) {
  const native = history.pushState;
  history.pushState = (state, unused, url) => decide(url, {
    push: () => native.call(history, state, unused, url),
    replace: () => history.replaceState(state, unused, url),
  });
}
