// Whether what is dragged over the page is a part of the page itself.
import { inDocument } from './document-state.js';

/** Returns { isOwn }, which is kept up to date from the first call on. */
export const currentDrag = () => inDocument('drag', () => {
  const drag = { isOwn: false };
  addEventListener('dragstart', () => { drag.isOwn = true; }, true);
  // no "dragend" comes from an element that the drop has removed, such as tokens dropped into their text; but the
  // pointer moves only after a drag
  for (const kind of ['dragend', 'pointermove', 'pointerdown'])
    addEventListener(kind, () => { drag.isOwn = false; }, true);
  return drag;
});
