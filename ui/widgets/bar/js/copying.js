// Copies the app's Thai sentences without the word joiners in them (tokenizer/i18n), each of which costs a token.
import { make } from '../../../../web/js/dom/elements.js';

const JOINED = /(?<=[\u0e00-\u0e7f])\u2060(?=[\u0e00-\u0e7f])/g;

/** Handles `copy`; what is selected in a field, or copied by a component, stays as it is. */
export function copyWithoutJoiners(event) {
  if (event.defaultPrevented || event.composedPath()[0].matches?.('textarea, input')) return;
  const selection = getSelection(), text = String(selection);
  if (text.search(JOINED) < 0) return;
  const marked = make('div');
  for (let i = 0; i < selection.rangeCount; i++) marked.append(selection.getRangeAt(i).cloneContents());
  event.clipboardData.setData('text/plain', text.replace(JOINED, ''));
  event.clipboardData.setData('text/html', new XMLSerializer().serializeToString(marked).replace(JOINED, ''));
  event.preventDefault();
}
