// Keeps words on one line that the browser's dictionary lacks, by elements: a word joiner in the text would be copied.
import { inDocument } from './document-state.js';
import { make } from './elements.js';

/** { words: those that are kept whole, joined, pattern: matches them, observer }; each language has its own module. */
const state = () => inDocument('wholeWords', () => ({ words: '', pattern: null, observer: null }));

/** Keeps these words whole in the document, also in text that comes later. Not in shadow roots, charts, and text that
 *  React holds between elements: there a line may end inside a word, unless it was made of `wholeParts`. */
export function keepWhole(words) {
  const own = state();
  if (own.words === words.join('|')) return;
  own.words = words.join('|');
  own.observer?.disconnect();
  if (!own.words) return;
  own.pattern = new RegExp(`(${own.words})`);
  own.observer ??= new MutationObserver((changes) => {
    for (const { target, addedNodes, type } of changes)
      for (const node of type === 'characterData' ? [target] : addedNodes) wrapIn(node);
  });
  own.observer.observe(document.body, { childList: true, characterData: true, subtree: true });
  wrapIn(document.body);
}

function wrapIn(node) {
  if (!state().pattern.test(node.textContent)) return;
  const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT), found = [];
  for (let text = node.nodeType === Node.TEXT_NODE ? node : texts.nextNode(); text; text = texts.nextNode())
    found.push(text);
  found.forEach(wrap);
}

/** Returns a text as strings and elements, with these words whole: for texts of a component in a shadow root. */
export function wholeParts(text) {
  const { words, pattern } = state();
  return words ? text.split(pattern).map((part, i) => i % 2 ? make('span', 'whole', part) : part) : [text];
}

/** React replaces a single string by `textContent`; it holds on to text nodes only beside other children. */
const isHeldByReact = (text) => Object.keys(text).some((name) => name.startsWith('__react'));

function wrap(text) {
  const place = text.parentElement, { pattern } = state();
  if (!place || !pattern.test(text.data) || isHeldByReact(text)) return;
  if (place.closest('.whole, svg, title, option, script, style, textarea, [contenteditable]')) return;
  text.replaceWith(...wholeParts(text.data));
}
