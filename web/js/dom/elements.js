// DOM helpers: elements, selections, scrolling, timeouts, markup.

export function make(tag, name = '', ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...children);
  return element;
}

export const prefersReducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Whether a click is one of the main button without modifier keys. */
export const isPlainClick = ({ button, ctrlKey, metaKey, shiftKey, altKey }) =>
  !button && !ctrlKey && !metaKey && !shiftKey && !altKey;

export const delay = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** Awaits `wait()` repeatedly while the selector matches, at most for `timeoutMs`. */
export async function whilePresent(selector, timeoutMs, wait) {
  for (const end = performance.now() + timeoutMs; document.querySelector(selector) && performance.now() < end;)
    await wait();
}

/** Resolves like the promise; rejects with an Error after `ms`. */
export function withTimeout(ms, promise, words = '') {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(words)), ms); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Returns the promise under a key of a Map, or else that of `make`. The Map keeps the `most` that were used last, and
 *  none that has failed. */
export function cachedPromise(map, key, make, most = Infinity) {
  const found = map.get(key) ?? make();
  map.delete(key);
  map.set(key, found);
  found.catch(() => map.delete(key));
  for (const old of map.keys()) if (map.size > most) map.delete(old);
  return found;
}

/** Returns a text as XML or HTML. XML cannot represent most control characters, not even as references. */
export function escapeXml(text) {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Returns a cleanup function for Streamlit that runs `action` only after `place` has left the document: Streamlit
 *  also calls it for every call that a newer one replaced. */
export const onRemoval = (place, action) => () => { if (!place.isConnected) action(); };

export function makeButton(name, action, ...children) {
  const button = Object.assign(make('button', name, ...children), { type: 'button' });
  button.addEventListener('click', action);
  return button;
}

// Safari before version 26 takes the roots as arguments, and refuses an object.
function composedRanges(selection, root) {
  try {
    return selection.getComposedRanges({ shadowRoots: [root] });
  } catch {
    return selection.getComposedRanges(root);
  }
}

/** Returns the selected range in or around a view, or null. */
function selectedRange(view) {
  const root = view.getRootNode();
  const selection = document.getSelection();
  const composed = selection?.getComposedRanges && composedRanges(selection, root)[0];
  if (composed && !composed.collapsed) return composed;
  const own = (root.getSelection ? root.getSelection() : selection) ?? selection;
  return own?.rangeCount && !own.isCollapsed ? own.getRangeAt(0) : null;
}

/** Whether the visitor is selecting text in a view; a click then pins nothing. */
export const isSelecting = (view) => view.contains(selectedRange(view)?.startContainer ?? null);

/** Copies the selected text nodes of a view verbatim: the browser's own copy adds line breaks between blocks. */
export function copyVerbatim(view) {
  view.addEventListener('copy', (event) => {
    const marked = selectedRange(view), own = document.createRange();
    if (!marked) return;
    own.selectNodeContents(view);
    if (view.contains(marked.startContainer)) own.setStart(marked.startContainer, marked.startOffset);
    if (view.contains(marked.endContainer)) own.setEnd(marked.endContainer, marked.endOffset);
    event.preventDefault();
    event.clipboardData.setData('text/plain', own.toString());
  });
}

/** Returns the child nodes of a sentence whose `{placeholders}` are elements. */
export const interpolate = (sentence, facts) =>
  sentence.split(/\{(\w+)\}/).map((part, i) => (i % 2 ? facts[part] : part));

/** Scrolls `box` to an element unless it is visible; scrollIntoView would also scroll the page. */
export function scrollIntoBox(box, element) {
  const outer = box.getBoundingClientRect(), inner = element?.getBoundingClientRect();
  if (inner && (inner.top < outer.top || inner.bottom > outer.bottom))
    box.scrollTop += inner.top - outer.top - outer.height / 3;
}
