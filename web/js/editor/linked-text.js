// The text in the link of this document.
import { isReload, readFragment, textFrom } from '../net/text-link.js';
import { tabState, updateTab } from './tab-state.js';

/** Returns the text of the link, or null: there is none, or a page begins with a link that this document, or that of
 *  before a reload, has opened already, so that the tab's text is newer. Throws an Error with a message for the
 *  visitor, and the `fragment`. */
export async function linkedText(isBeginning) {
  const fragment = readFragment('text'), { text, link, linkedIn, document } = tabState();
  const isOpened = link === fragment && text !== null && (linkedIn === document || isReload());
  if (!fragment.includes('v=') || (isBeginning && isOpened)) return null;
  const linked = await textFrom(fragment).catch((error) => { throw Object.assign(error, { fragment }); });
  if (linked !== null) updateTab({ link: fragment, linkedIn: document });
  return linked;
}
