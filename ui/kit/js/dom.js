// Elements: making them, what the reader marks of them, and the card beside the pointer.

/** An element with this class and text. */
export function make(tag, name = '', text = '') {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text) element.textContent = text;
  return element;
}

/** A button that does something. */
export function makeButton(name, text, does) {
  const button = Object.assign(make('button', name, text), { type: 'button' });
  button.addEventListener('click', does);
  return button;
}

/** The range that the reader marks around or in a view; null where nothing is marked. */
export function selectedRange(view) {
  const root = view.getRootNode(), selection = document.getSelection(), composed = selection?.getComposedRanges?.({ shadowRoots: [root] })?.[0];
  if (composed && !composed.collapsed) return composed;
  const own = (root.getSelection ? root.getSelection() : selection) ?? selection;
  return own?.rangeCount && !own.isCollapsed ? own.getRangeAt(0) : null;
}

/** Whether the reader is marking text in a view: then a click pins nothing. */
export const isSelecting = (view) => view.contains(selectedRange(view)?.startContainer ?? null);

/** Puts a card at a place of the window, `gap` pixels below it or, where there is no room, above. */
export function placeTip(tip, frame, clientX, clientY, gap = 20) {
  const box = frame.getBoundingClientRect(), x = Math.max(0, Math.min(clientX - box.left, box.width - tip.offsetWidth - 4));
  const below = clientY + gap + tip.offsetHeight < innerHeight;
  tip.style.transform = `translate(${x}px, ${clientY - box.top + (below ? gap : -tip.offsetHeight - 16)}px)`;
}
