// All that our scripts need of Streamlit's own elements, and where Streamlit reacts to the browser: its names stand
// here alone. tests/e2e/test_streamlit_dom.py tries each in a browser. Where a later release has other names, the part
// that needs one does nothing.

const APP = '[data-testid=stApp]', CONNECTION = 'data-test-connection-state';

/** Matches the app while a run of the script is under way. */
export const BUSY = `${APP}:not([data-test-script-state=notRunning])`;

/** Matches the app while the page has its server. */
export const CONNECTED = `${APP}[${CONNECTION}=CONNECTED]`;

/** Matches elements that the current run has not drawn yet. */
export const NOT_DRAWN = `${BUSY}, [data-testid=stSkeleton], [data-stale=true]`;

/** The page's content. */
export const MAIN = '[data-testid=stMain]';

export const DIALOG = '.stDialog';

/** Elements that take the focus, and give it back when they close. */
export const OVERLAYS = `${DIALOG}, [data-testid=stPopoverBody], [role=listbox]`;

/** The menu of a phone, while it is open; and the links in it. */
export const OPEN_MENU = '.st-key-bar [data-testid=stPopoverButton][aria-expanded=true]';
export const MENU_LINKS = '[data-testid=stPopoverBody] [data-testid=stPageLink-NavLink]';

/** Boxes that one types in. */
export const BOXES = '.stTextArea textarea, :is(.stTextInput, .stNumberInput) input';

export const FORM = '.stForm';

/** Places to drop files that say of themselves that they are nothing. */
export const DROP_ZONES = '[data-testid=stFileUploaderDropzone][role=presentation]';

/** Lists and rows of buttons: they take a press before its click, and turn no page. */
export const PRESSABLE = '[data-react-aria-pressable]';

/** Elements whose only text Streamlit has in English. */
export const TEXTS = [
  '[data-testid=stSkipToContent]', '[role=listbox] [role=option] > span',
  '[data-testid=stFileUploaderDropzone] button p', '[data-testid=stFileUploaderDropzoneInstructions] span',
  '.stFileUploader [role=alert]', '[data-testid=InputInstructions] span', '[data-testid=stTooltipContent] p',
  '[data-testid=stConnectionStatus] label',
].join();

/** The class that holds the key of an element, as "st-key-name"; undefined where it has none. */
export const keyClass = (element) =>
  Array.from(element.closest('[class*=st-key-]')?.classList ?? []).find((one) => one.startsWith('st-key-'));

/** The computed style of the app; elements outside of it copy its color scheme. */
export const appStyle = () => getComputedStyle(document.querySelector(APP) ?? document.body);

/** Whether the page has its server. */
export const isConnected = () => document.querySelector(CONNECTED) !== null;

/** Calls `changed` with whether the page has its server, each time that this changes; returns what ends that. */
export function watchConnection(changed) {
  const watch = new MutationObserver((changes) =>
    changed(changes.at(-1).target.getAttribute(CONNECTION) === 'CONNECTED'),
  );
  watch.observe(document, { subtree: true, attributeFilter: [CONNECTION] });
  return () => watch.disconnect();
}

/** Calls `changed` after each change of the page at which a box may be disabled, a dialog open, or the server be
 *  lost; returns what ends that. */
export function watchPage(changed) {
  const watch = new MutationObserver(changed);
  watch.observe(document.body, {
    childList: true, subtree: true, attributes: true, attributeFilter: [CONNECTION, 'disabled'],
  });
  return () => watch.disconnect();
}

/** The dialog by which Streamlit says that the server is away, and its button; null where there is none. */
export function connectionDialog() {
  const dialog = Array.from(document.querySelectorAll(DIALOG)).find(
    (one) => one.querySelector('h2')?.textContent === 'Connection error',
  );
  return dialog ? { dialog, close: dialog.querySelector('button[aria-label="Close"]') } : null;
}

/** The class of an element in which one can type; undefined for another. */
export const kindOf = (target) => [HTMLTextAreaElement, HTMLInputElement].find((one) => target instanceof one);

/** Puts a value into a box, with the prototype's own setter: React would take a plain assignment for its own. */
export function put(box, value) {
  Object.getOwnPropertyDescriptor(kindOf(box).prototype, 'value').set.call(box, value);
}

/** Has Streamlit ask for the browser's preferred color scheme again, as it does after printing. */
export const askForScheme = () => dispatchEvent(new Event('afterprint'));

/** Makes `scheme()` the browser's preferred color scheme, which Streamlit takes; where it returns null, the
 *  browser's own. Once a page. */
export function preferScheme(scheme) {
  const native = window.matchMedia;
  if (native.isOurs) return false;
  window.matchMedia = (query) => {
    const list = native.call(window, query), wanted = scheme();
    if (!wanted || !query.includes('prefers-color-scheme')) return list;
    return Object.defineProperty(list, 'matches', { value: query.includes(wanted) });
  };
  return window.matchMedia.isOurs = true;
}

/** Has `decide` decide of each entry that Streamlit adds to the browser's history: it may call `push`, `replace` or
 *  neither. */
export function interceptHistory(decide) {
  const native = history.pushState;
  history.pushState = (state, unused, url) => decide(url, {
    push: () => native.call(history, state, unused, url),
    replace: () => history.replaceState(state, unused, url),
  });
}
