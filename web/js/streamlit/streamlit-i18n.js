// Translates Streamlit's own English texts, rewords the one about an unknown page, and mounts the banners at the bottom
// of the page.
import { showOfflineBanner } from './offline-banner.js';
import { inDocument } from '../dom/document-state.js';
import { make } from '../dom/elements.js';
import { showStorageWarning } from './storage-warning.js';
import { ENGLISH_TEXTS } from './streamlit-dom.js';
import { LANGUAGE, mark, tr } from '../dom/i18n.js';

const SENTENCES = [
  mark('Skip to main content'), mark('Open'), mark('Clear all'), mark('Selected values'), mark('Remove {name}'),
  mark('Help for {name}'), mark('No results'),
  mark('You can only select up to {most} options. Remove an option first.'), mark('Increment'), mark('Decrement'),
  mark('file upload'), mark('Upload'), mark('{size} per file'), mark('File must be {size} or smaller.'),
  mark('Error: '), mark('Add files'),
  mark('Copy to clipboard'), mark('Copied'), mark('Show/hide columns'), mark('Show data'), mark('Show chart'),
  mark('Download as PNG'), mark('Copy Vega-Lite spec'), mark('Copied!'), mark('Clear value'),
  mark('Choose an option'), mark('Dismiss'), mark('Close'), mark('Search'), mark('Fullscreen'),
  mark('Close fullscreen'), mark('Connecting'), mark('Connecting to Streamlit server'),
  mark('Press Enter to apply'), mark('Press Ctrl+Enter to apply'), mark('Press ⌘+Enter to apply'),
  mark('Page not found'),
];
const UNKNOWN_PAGE = 'The page that you have requested does not seem to exist. Running the app\'s main page.';
const TEXT_ATTRIBUTES = ['aria-label', 'placeholder']; // attributes with text

const PATTERNS = SENTENCES.map((sentence) => {
  const literal = sentence.replace(/[.*+?^$()|[\]\\/]/g, '\\$&');
  return { sentence, pattern: new RegExp(`^${literal.replace(/\{(\w+)\}/g, '(?<$1>.+)')}$`) };
});

function translate(english) {
  if (english === UNKNOWN_PAGE)
    return tr('There is no page at this address. Check the address, or open the Playground.');
  if (LANGUAGE === 'en') return english;
  const known = PATTERNS.find(({ pattern }) => pattern.test(english));
  return known ? tr(known.sentence, known.pattern.exec(english).groups) : english;
}

/** Yields each text of the page with a function that replaces it. */
function* pageTexts() {
  for (const name of TEXT_ATTRIBUTES) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      yield { element, text: element.getAttribute(name), replace: (text) => element.setAttribute(name, text) };
    }
  }
  for (const element of document.querySelectorAll(ENGLISH_TEXTS)) {
    if (element.childElementCount) continue;
    for (const text of element.childNodes) { // they stay, since React keeps references to them
      yield { element, text: text.data, replace: (words) => { text.data = words; } };
    }
  }
}

function startTranslating() {
  let replaced = []; // replaced texts, to restore them later
  const translateAll = () => {
    replaced = replaced.filter(({ element }) => element.isConnected);
    for (const one of pageTexts()) {
      const other = translate(one.text);
      if (other === one.text) continue;
      replaced.push(one);
      one.replace(other);
      if (one.text === UNKNOWN_PAGE)
        one.element.after(Object.assign(make('a', '', tr('Open the Playground')), { href: '.' }));
    }
  };
  const watch = new MutationObserver(translateAll); // runs before the next paint, so no English text flashes
  watch.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: TEXT_ATTRIBUTES });
  translateAll();
  return () => {
    watch.disconnect();
    for (const { text, replace } of replaced) replace(text);
  };
}

/** Starts once per language, however often Streamlit calls it, and ends the translation into another language. */
export default function () {
  const running = inDocument('translation', () => ({ language: null, end() {} }));
  if (running.language === LANGUAGE) return;
  running.end();
  const footer = make('div', 'foot');
  const ends = [showOfflineBanner(footer), showStorageWarning(footer), () => footer.remove(), startTranslating()];
  document.body.append(footer);
  Object.assign(running, { language: LANGUAGE, end: () => ends.forEach((end) => end()) });
}
