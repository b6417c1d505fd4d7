// The text in the link of this document.
import { isReload, readFragment, textFrom } from '../net/text-link.js';
import { tabState, updateTab } from './tab-state.js';

/** Returns the text of the link, or null if there is none. Also returns null at the beginning of a page if the link was
 *  opened before, in this document or before its reload: then the tab's text is newer. Throws an Error with a message
 *  for the visitor, and the `fragment`. */
export async function linkedText(isBeginning) {
  const fragment = readFragment('text'), { text, link, linkedIn, document } = tabState();
  const isOpened = link === fragment && text !== null && (linkedIn === document || isReload());
  if (!fragment.includes('v=') || (isBeginning && isOpened)) return null;
  const linked = await textFrom(fragment).catch((error) => { throw Object.assign(error, { fragment }); });
  if (linked !== null) updateTab({ link: fragment, linkedIn: document });
  return linked;
}
