// Pointer, wheel and touch on the map.
const CLICK_PX = 4; // a pointer that moved no farther has clicked
const ZOOM_PER_PX = 0.002; // of a wheel, as an exponent

/** Handles the pointers on `element`. `input` has: hover(x, y), leave(), pick(x, y), pan(dx, dy), zoom(factor, x, y).
 *  A wheel zooms only while the map has the focus or Ctrl is held, so that a page scrolls over it. */
export function listen(element, input) {
  const pointers = new Map(); // those that are down, by id
  let moved = 0;
  const placeOf = ({ clientX, clientY }) => {
    const box = element.getBoundingClientRect();
    return { x: clientX - box.left - element.clientLeft, y: clientY - box.top - element.clientTop };
  };
  const spread = () => {
    const [one, other] = [...pointers.values()];
    return other && {
      x: (one.x + other.x) / 2, y: (one.y + other.y) / 2, size: Math.hypot(one.x - other.x, one.y - other.y),
    };
  };
  const drag = (event) => {
    const before = pointers.get(event.pointerId), now = placeOf(event), spreadBefore = spread();
    moved += Math.hypot(now.x - before.x, now.y - before.y);
    pointers.set(event.pointerId, now);
    if (!spreadBefore) return input.pan(now.x - before.x, now.y - before.y);
    const after = spread();
    input.pan(after.x - spreadBefore.x, after.y - spreadBefore.y);
    return input.zoom(after.size / Math.max(1, spreadBefore.size), after.x, after.y);
  };
  element.addEventListener('pointerdown', (event) => {
    if (event.button) return;
    if (!pointers.size) moved = 0;
    pointers.set(event.pointerId, placeOf(event));
    element.setPointerCapture(event.pointerId);
    element.classList.add('dragged');
  });
  element.addEventListener('pointermove', (event) => {
    const { x, y } = placeOf(event);
    if (pointers.has(event.pointerId)) drag(event);
    else if (event.pointerType === 'mouse') input.hover(x, y);
  });
  for (const name of ['pointerup', 'pointercancel'])
    element.addEventListener(name, (event) => {
      if (!pointers.delete(event.pointerId)) return;
      element.classList.toggle('dragged', pointers.size > 0);
      const { x, y } = placeOf(event);
      if (name === 'pointerup' && moved <= CLICK_PX && !pointers.size) input.pick(x, y);
    });
  element.addEventListener('pointerleave', () => input.leave());
  element.addEventListener('dblclick', (event) => {
    const { x, y } = placeOf(event);
    input.zoom(2, x, y);
  });
  element.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !element.matches(':focus')) return;
    event.preventDefault();
    const { x, y } = placeOf(event);
    input.zoom(Math.exp(-event.deltaY * ZOOM_PER_PX * (event.ctrlKey ? 4 : 1)), x, y);
  }, { passive: false });
}
