// What Streamlit calls, on every change of data or theme: one comparison a place, kept for as long as the place is there.
import { Compare } from './compare.js';

const compares = new WeakMap();

export default function (component) {
  const place = component.parentElement;
  if (!compares.has(place)) compares.set(place, new Compare(place));
  const compare = compares.get(place);
  compare.update(component);
  return () => {
    compare.leave();
    compares.delete(place);
  };
}
