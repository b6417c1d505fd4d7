// What Streamlit calls, on every change of data or theme: one timeline a place, kept for as long as the place is there.
import { Timeline } from './timeline.js';

const timelines = new WeakMap();

export default function (component) {
  const place = component.parentElement;
  if (!timelines.has(place)) timelines.set(place, new Timeline(place));
  const timeline = timelines.get(place);
  timeline.update(component);
  return () => {
    timeline.leave();
    timelines.delete(place);
  };
}
