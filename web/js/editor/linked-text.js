// The text in the link of this document.
import { isReload, readFragment, textFrom } from '../net/text-link.js';
import { tabState, updateTab } from './tab-state.js';

/** Returns the text of the link, or null: there is none, or the document begins with a reload of a link that this tab
 *  has opened before, so that the tab's text is newer. Throws an Error with a message for the visitor, and the
 *  `fragment`. */
export async function linkedText(isBeginning) {
  const fragment = readFragment('text'), { text, link } = tabState();
  if (!fragment.includes('v=') || (isBeginning && isReload() && link === fragment && text !== null)) return null;
  const linked = await textFrom(fragment).catch((error) => { throw Object.assign(error, { fragment }); });
  if (linked !== null) updateTab({ link: fragment });
  return linked;
}
