// State of this document that its bundles share: each component in each language is a bundle with a scope of its own.
const state = (window.tokenloupe ??= {});

/** Returns the value with this name; the first call makes it. */
export const inDocument = (name, make) => (state[name] ??= make());

export function isFirst(name) {
  const isNew = !(name in state);
  state[name] ??= true;
  return isNew;
}
