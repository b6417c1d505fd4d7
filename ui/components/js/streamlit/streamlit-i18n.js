// Translates Streamlit's own English texts, and mounts the banners at the bottom of the page.
import { whileAway } from './offline-banner.js';
import { inDocument } from '../dom/document-state.js';
import { make } from '../dom/elements.js';
import { whileUnkept } from './storage-warning.js';
import { TEXTS } from './streamlit-dom.js';
import { LANGUAGE, mark, tr } from '../dom/i18n.js';

const SAYS = [
  mark('Skip to main content'), mark('Open'), mark('Clear all'), mark('Selected values'), mark('Remove {name}'),
  mark('Help for {name}'), mark('No results'),
  mark('You can only select up to {most} options. Remove an option first.'), mark('Increment'), mark('Decrement'),
  mark('file upload'), mark('Upload'), mark('{size} per file'), mark('File must be {size} or smaller.'),
  mark('Copy to clipboard'), mark('Copied'), mark('Show/hide columns'), mark('Show data'), mark('Show chart'),
  mark('Download as PNG'), mark('Copy Vega-Lite spec'), mark('Copied!'), mark('Clear value'),
  mark('Choose an option'), mark('Dismiss'), mark('Close'), mark('Search'), mark('Fullscreen'),
  mark('Close fullscreen'), mark('Connecting'), mark('Connecting to Streamlit server'),
  mark('Press Enter to apply'), mark('Press Ctrl+Enter to apply'), mark('Press ⌘+Enter to apply'),
  mark('Page not found'),
  mark('The page that you have requested does not seem to exist. Running the app\'s main page.'),
];
const NAMES = ['aria-label', 'placeholder']; // attributes with text

const PATTERNS = SAYS.map((sentence) => {
  const literal = sentence.replace(/[.*+?^$()|[\]\\/]/g, '\\$&');
  return { sentence, pattern: new RegExp(`^${literal.replace(/\{(\w+)\}/g, '(?<$1>.+)')}$`) };
});

function inOther(english) {
  const known = PATTERNS.find(({ pattern }) => pattern.test(english));
  return known ? tr(known.sentence, known.pattern.exec(english).groups) : english;
}

/** Yields each text of the page with a function that replaces it. */
function* said() {
  for (const name of NAMES) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      yield { element, text: element.getAttribute(name), put: (text) => element.setAttribute(name, text) };
    }
  }
  for (const element of document.querySelectorAll(TEXTS)) {
    const [text] = element.childNodes;
    if (!(text instanceof Text) || element.childNodes.length > 1) continue;
    yield { element, text: text.data, put: (words) => { text.data = words; } }; // React keeps a reference to the node
  }
}

function begin() {
  let taken = []; // replaced texts, to restore them later
  const speak = () => {
    taken = taken.filter(({ element }) => element.isConnected);
    for (const one of said()) {
      const other = inOther(one.text);
      if (other === one.text) continue;
      taken.push(one);
      one.put(other);
    }
  };
  const watch = new MutationObserver(speak); // runs before the next paint, so no English text flashes
  watch.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: NAMES });
  speak();
  return () => {
    watch.disconnect();
    for (const { text, put } of taken) put(text);
  };
}

/** Starts once per language, however often Streamlit calls it; ends that of another language. */
export default function () {
  const now = inDocument('translation', () => ({ language: null, end() {} }));
  if (now.language === LANGUAGE) return;
  now.end();
  const foot = make('div', 'foot'), translates = LANGUAGE === 'en' ? [] : [begin()];
  const ends = [whileAway(foot), whileUnkept(foot), () => foot.remove(), ...translates];
  document.body.append(foot);
  Object.assign(now, { language: LANGUAGE, end: () => ends.forEach((end) => end()) });
}
