// State of this document that its bundles share: each component in each language is a bundle with a scope of its own.
const state = (window.tokenloupe ??= {});

/** Returns the value with this name; the first bundle that asks for it makes it. */
export const inDocument = (name, make) => (state[name] ??= make());

/** Returns whether no bundle has asked for this name before. */
export function isFirst(name) {
  const isNew = !(name in state);
  state[name] ??= true;
  return isNew;
}
