// What Streamlit calls, on every change of data or theme: one ladder a place, kept for as long as the place is there.
import { Ladder } from './ladder.js';

const ladders = new WeakMap();

export default function (component) {
  const place = component.parentElement;
  if (!ladders.has(place)) ladders.set(place, new Ladder(place));
  const ladder = ladders.get(place);
  ladder.update(component);
  return () => {
    ladder.leave();
    ladders.delete(place);
  };
}
