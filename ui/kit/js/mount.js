// What Streamlit calls, on every change of data or theme.

/** The function that a component exports: it makes one `Part` a place, kept for as long as the place is there. */
export function mount(Part) {
  const parts = new WeakMap();
  return (component) => {
    const place = component.parentElement;
    if (!parts.has(place)) parts.set(place, new Part(place));
    const part = parts.get(place);
    part.update(component);
    return () => {
      part.leave();
      parts.delete(place);
    };
  };
}
