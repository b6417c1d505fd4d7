// What Streamlit calls, on every change of data or theme: one editor a place, kept for as long as the place is there.
import { Editor } from './editor.js';

const editors = new WeakMap();

export default function (component) {
  const place = component.parentElement;
  if (!editors.has(place)) editors.set(place, new Editor(place));
  const editor = editors.get(place);
  editor.update(component);
  return () => {
    editor.leave();
    editors.delete(place);
  };
}
