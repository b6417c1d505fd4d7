// Keeps words on one line that the browser's dictionary lacks, by elements: a word joiner in the text would be copied.
import { make } from './elements.js';

let pattern = null; // matches the words; null while there are none
let observer = null;

/** Keeps these words whole in the document, also in text that comes later. Not in shadow roots, charts, and text that
 *  React holds between elements: there a line may end inside a word. */
export function keepWhole(words) {
  pattern = words.length ? new RegExp(`(${words.join('|')})`) : null;
  observer?.disconnect();
  if (!pattern) return;
  observer ??= new MutationObserver((changes) => {
    for (const { target, addedNodes, type } of changes)
      for (const node of type === 'characterData' ? [target] : addedNodes) wrapIn(node);
  });
  observer.observe(document.body, { childList: true, characterData: true, subtree: true });
  wrapIn(document.body);
}

function wrapIn(node) {
  if (!pattern.test(node.textContent)) return;
  const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT), found = [];
  for (let text = node.nodeType === Node.TEXT_NODE ? node : texts.nextNode(); text; text = texts.nextNode())
    found.push(text);
  found.forEach(wrap);
}

/** React replaces a single string by `textContent`; it holds on to text nodes only beside other children. */
const isHeldByReact = (text) => Object.keys(text).some((name) => name.startsWith('__react'));

function wrap(text) {
  const place = text.parentElement;
  if (!place || !pattern.test(text.data) || isHeldByReact(text)) return;
  if (place.closest('.whole, svg, title, option, script, style, textarea, [contenteditable]')) return;
  text.replaceWith(...text.data.split(pattern).map((part, i) => i % 2 ? make('span', 'whole', part) : part));
}
