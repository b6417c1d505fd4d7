// Elements: making them, what the reader marks of them, and what is in view.

/** An element with this class, and these elements and texts in it. */
export function make(tag, name = '', ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...children);
  return element;
}

/** Whether nothing is to move. */
export const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Waits, moment by moment, while a selector finds something, but so many ms at most. */
export async function whileThere(selector, most, moment) {
  for (const end = performance.now() + most; document.querySelector(selector) && performance.now() < end;)
    await moment();
}

/** What a promise resolves to; after so many ms an Error with these words. */
export function within(ms, promise, words = '') {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(words)), ms); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** What Streamlit is given to call once `place` is gone: it calls it for each of its calls that was overtaken by the
 *  next one, too, and then all is still there. */
export const onceGone = (place, does) => () => { if (!place.isConnected) does(); };

/** A button that does something. */
export function makeButton(name, does, ...children) {
  const button = Object.assign(make('button', name, ...children), { type: 'button' });
  button.addEventListener('click', does);
  return button;
}

/** The range that the reader marks around or in a view; null where nothing is marked. */
function selectedRange(view) {
  const root = view.getRootNode();
  const selection = document.getSelection();
  const composed = selection?.getComposedRanges?.({ shadowRoots: [root] })?.[0];
  if (composed && !composed.collapsed) return composed;
  const own = (root.getSelection ? root.getSelection() : selection) ?? selection;
  return own?.rangeCount && !own.isCollapsed ? own.getRangeAt(0) : null;
}

/** Whether the reader is marking text in a view: then a click pins nothing. */
export const isSelecting = (view) => view.contains(selectedRange(view)?.startContainer ?? null);

/** Copies what is marked in a view as its text nodes hold it, which is exact in every script: a native copy adds
 *  line breaks between blocks. */
export function copyExactly(view) {
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

/** The nodes of a sentence whose facts are elements; `tr` has left their places as they are. */
export const woven = (sentence, facts) => sentence.split(/\{(\w+)\}/).map((part, i) => (i % 2 ? facts[part] : part));

/** Scrolls to an element inside `box`, unless it is in view there: scrollIntoView would move the page too. */
export function scrollInto(box, element) {
  const outer = box.getBoundingClientRect(), inner = element?.getBoundingClientRect();
  if (inner && (inner.top < outer.top || inner.bottom > outer.bottom))
    box.scrollTop += inner.top - outer.top - outer.height / 3;
}
