// Paints a chunk's tokens as elements. Text nodes contain exactly the source text; marks and labels are
// pseudo-elements, which are never copied.
import { BYTE, SPECIAL, UNKNOWN, WRAPPING } from '../editor/document.js';
import { WHITE_SPACE } from '../editor/text.js';
import { make } from '../dom/elements.js';
import { piecesOf } from './pieces.js';
import { tr } from '../dom/i18n.js';

const CHARACTER_NAMES = new Map(
  Object.entries({
    '\u00a0': 'NBSP', '\u00ad': 'SHY', '\u061c': 'ALM', '\u180e': 'MVS', '\u200b': 'ZWSP', '\u200c': 'ZWNJ',
    '\u200d': 'ZWJ', '\u200e': 'LRM', '\u200f': 'RLM', '\u2007': 'FSP', '\u2028': 'LS', '\u2029': 'PS',
    '\u202a': 'LRE', '\u202b': 'RLE', '\u202c': 'PDF', '\u202d': 'LRO', '\u202e': 'RLO', '\u202f': 'NNBSP',
    '\u2060': 'WJ', '\u2066': 'LRI', '\u2067': 'RLI', '\u2068': 'FSI', '\u2069': 'PDI', '\u3000': '□',
    '\ufeff': 'BOM', '\u0000': 'NUL', '\u007f': 'DEL',
  }),
);
const MARKS = { ' ': '·', '\t': '→', '\n': '↵', '\r': '␍' };
const INVISIBLE = new RegExp(
  '[\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u0084\\u0086-\\u009f\\u00ad\\u061c\\u180e' +
    '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb]',
);
// the characters of WHITE_SPACE and INVISIBLE
const SIGNS =
  '\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u061c\\u1680\\u180e' +
  '\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u2069\\u3000\\ufeff\\ufff9-\\ufffb';
const HAS_SIGNS = new RegExp(`[${SIGNS}]`), SIGN_RUNS = new RegExp(` +|[${SIGNS}]|[^${SIGNS}]+`, 'g');
const anyOf = (...scripts) => new RegExp(`[${scripts.map((script) => `\\p{Script=${script}}`).join('')}]`, 'u');
const JOINING = anyOf('Arabic', 'Syriac', 'Mongolian', 'Nko', 'Mandaic', 'Phags_Pa', 'Adlam');
export const RIGHT_TO_LEFT = anyOf('Arabic', 'Hebrew', 'Syriac', 'Thaana', 'Nko', 'Mandaic', 'Samaritan', 'Adlam');
const KIND_CLASSES = new Map([[SPECIAL, ' special'], [UNKNOWN, ' unknown'], [BYTE, ' byte'], [WRAPPING, ' wrapping']]);
const ONLY_MARKS = /^[\p{M}\u200c\u200d]+$/u;

export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');

/** Returns the name of an invisible character: "ZWSP", "↵", "U+0007". */
export const nameOf = (character) => MARKS[character] ?? CHARACTER_NAMES.get(character) ?? codePointOf(character);

/** Returns the code point of a character as "U+0041". */
export const codePointOf = (character) =>
  `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Returns the elements of the tokens from..to of a chunk: { fragment, index }; index[k - from] are the elements
 *  of token k, at least one per piece. `names` maps ids of special tokens to names. */
export function paintTokens(chunk, pieces, from, to, { names, withBytes }) {
  const fragment = document.createDocumentFragment(), index = Array.from({ length: to - from }, () => []);
  for (const piece of pieces) {
    const element =
      piece.last > piece.first
        ? sharedGrapheme(chunk, piece)
        : piece.last < piece.first
          ? gapElement(piece)
          : wholeGraphemes(chunk, piece, names);
    if (withBytes && piece.last >= piece.first) labelBytes(element, chunk, piece);
    for (let k = piece.first; k <= piece.last; k++) index[k - from].push(element);
    fragment.append(element);
  }
  return { fragment, index };
}

// A gap: text that no token covers has no color.
function gapElement(piece) {
  const element = make('span', 'gap');
  element.title = tr('This text is not in any token.');
  appendSigns(element, piece.text);
  return element;
}

function wholeGraphemes(chunk, piece, names) {
  const element = make('span', `t c${chunk.colors[piece.first]}${KIND_CLASSES.get(chunk.kinds?.[piece.first]) ?? ''}`);
  element.dataset.colors = chunk.colors[piece.first];
  element.dataset.k = piece.first;
  fillPiece(element, piece);
  if (!piece.text) label(element, names.get(chunk.ids[piece.first]) ?? '∅'); // an empty token
  return element;
}

// White space and invisible characters get elements that carry their marks: one per run of spaces, else one each.
function appendSigns(element, text) {
  let seen = false;
  for (const [run] of text.matchAll(SIGN_RUNS)) {
    const space = WHITE_SPACE.test(run), sign = space || INVISIBLE.test(run);
    seen ||= space || !sign;
    element.append(sign ? signFor(run) : run);
  }
  if (!seen) element.classList.add('unseen'); // only its name is visible, so it is always shown
}

function signFor(run) {
  const sign = make('i', run === '\n' ? 'w nl' : MARKS[run[0]] ? 'w' : 'z', run);
  sign.dataset.m = run[0] === ' ' ? '·'.repeat(run.length) : nameOf(run);
  return sign;
}

function sharedGrapheme(chunk, piece) {
  const n = piece.last - piece.first + 1;
  const isRtl = RIGHT_TO_LEFT.test(piece.text);
  const kinds = new Set(chunk.kinds?.slice(piece.first, piece.last + 1));
  const element = make(
    'span',
    `t cut${JOINING.test(piece.text) ? '' : ' room'}${kinds.size === 1 ? (KIND_CLASSES.get([...kinds][0]) ?? '') : ''}`,
  );
  element.dataset.k = piece.first;
  element.dataset.n = n;
  element.dataset.colors = chunk.colors.slice(piece.first, piece.last + 1).join(' ');
  if (isRtl) element.dataset.leftward = '';
  element.style.setProperty('--n', n);
  element.style.setProperty('--bands', bands(chunk, piece, isRtl));
  fillPiece(element, piece);
  return element;
}

function fillPiece(element, { text }) {
  if (HAS_SIGNS.test(text)) appendSigns(element, text); else element.textContent = text;
  if (ONLY_MARKS.test(text)) label(element, `◌${text}`);
}

// Equal bands, one per token, with ticks between them, so that even a one-byte token can be seen and pointed at.
function bands(chunk, piece, isRtl) {
  const stops = [], n = piece.last - piece.first + 1;
  for (let i = 0; i < n; i++) {
    const from = (100 * i) / n, to = (100 * (i + 1)) / n, color = `var(--tok-${chunk.colors[piece.first + i]})`;
    if (i) stops.push(`var(--tick) calc(${from}% - .5px) calc(${from}% + .5px)`);
    stops.push(`${color} calc(${from}% + ${i ? '.5px' : '0px'}) calc(${to}% - ${i < n - 1 ? '.5px' : '0px'})`);
  }
  return `linear-gradient(to ${isRtl ? 'left' : 'right'}, ${stops.join(',')})`;
}

/** Returns the part's element and the token number under a pointer event; in a shared grapheme, that of the band. */
export function tokenUnder({ target, clientX }) {
  const element = target.closest?.('[data-k]'), node = element?.closest('.part');
  if (!node) return { node: null };
  const n = Number(element.dataset.n ?? 1);
  const box = (element.querySelector('.glyph') ?? element).getBoundingClientRect();
  const along = (clientX - box.left) / Math.max(1, box.width);
  const band = Math.max(0, Math.min(n - 1, Math.floor(('leftward' in element.dataset ? 1 - along : along) * n)));
  return { node, k: Number(element.dataset.k) + band };
}

/** Returns the palette colors of a painted piece, one per token, from left to right on screen. */
export function bandsOf(element) {
  const colors = element.dataset.colors?.split(' ').map(Number) ?? [];
  return 'leftward' in element.dataset ? colors.reverse() : colors;
}

function label(element, text) {
  element.classList.add('bare');
  element.dataset.m = text;
}

// The bytes of a piece in hex; those of a shared grapheme follow it, each token's on its own color.
function labelBytes(element, chunk, { first, last, at, to }) {
  const labels = Array.from({ length: last - first + 1 }, (_, i) =>
    hex(chunk.bytes.subarray(Math.max(at, chunk.starts[first + i]), Math.min(to, chunk.ends[first + i]))),
  );
  if (first === last) { element.dataset.bytes = labels[0]; return; }
  const glyph = make('span', 'glyph');
  glyph.style.setProperty('--bands', element.style.getPropertyValue('--bands'));
  element.style.removeProperty('--bands');
  glyph.append(...element.childNodes);
  element.append(glyph, ...labels.map((bytes, i) => {
    const label = make('b', `c${chunk.colors[first + i]}`);
    label.dataset.k = first + i;
    label.dataset.bytes = bytes;
    return label;
  }));
}

/** Splits a chunk into parts with limited tokens and text that end at a grapheme; a part is painted at once.
 *  `cuts` are numbers of pieces where parts must end. */
export function partsOf(chunk, maxTokens = 800, maxUnits = 2400, all = piecesOf(chunk), cuts = null) {
  const parts = [];
  let pieces = [], from = 0, start = 0, length = 0;
  const close = (to) => {
    parts.push({ chunk, from, to, start, text: chunk.text.slice(start, start + length), pieces });
    start += length;
    [pieces, from, length] = [[], to, 0];
  };
  all.forEach((piece, i) => {
    pieces.push(piece);
    length += piece.text.length;
    const isFull = piece.last + 1 - from >= maxTokens || length >= maxUnits;
    if ((isFull || cuts?.has(i + 1)) && all[i + 1]?.first === piece.last + 1) close(piece.last + 1);
  });
  if (pieces.length) close(chunk.ids.length);
  return parts;
}
