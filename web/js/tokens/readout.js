// Text about a document and its tokens: counters and headings. Inserted as text, never as markup.
import { BYTE, SPECIAL, UNKNOWN } from '../editor/document.js';
import { hex, nameOf } from './paint.js';
import { LANGUAGE, tr, trn } from '../dom/i18n.js';

const PENDING_MS = 2_000; // an old count stays while the server has not answered, also over a slow line

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenientDecoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes bytes as UTF-8, invalid ones as U+FFFD. */
export const decodeUtf8 = (bytes) => lenientDecoder.decode(bytes);

export const formatInteger = (n) => n.toLocaleString(LANGUAGE);
export const formatDecimal = (x, digits = 2) =>
  x.toLocaleString(LANGUAGE, { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Decodes bytes as UTF-8; returns null if they are invalid by themselves. */
export function textOf(bytes) {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Returns the counts of a whole document, all from the encoder's answers; null while an answer is pending. */
export function countDocument({ chunks, tally }) {
  const sum = (of) => chunks.reduce((n, chunk) => n + of(chunk), 0);
  const measured = (of) => (chunks.every(({ units }) => units) ? sum(({ units }) => of(units)) : null);
  const isTokenized = chunks.every(({ ids }) => ids), tokenized = (of) => (isTokenized ? sum(of) : null);
  return {
    tokens: tokenized(({ ids }) => ids.length), characters: sum((chunk) => chunk.numCodePoints),
    bytes: sum((chunk) => chunk.bytes.length), graphemes: measured((units) => units.graphemes),
    words: measured((units) => units.words), distinct: isTokenized ? tally.size : null,
    partial: tokenized((chunk) => chunk.numPartial),
    // a chunk without names of special tokens has as many tokens either way
    otherCount: tokenized((chunk) => chunk.otherCount) && sum((chunk) => chunk.otherCount || chunk.ids.length),
  };
}

const UNITS = {
  tokens: (n) => trn('token', 'tokens', n), characters: (n) => trn('character', 'characters', n),
  words: (n) => trn('word', 'words', n), bytes: (n) => trn('byte', 'bytes', n),
  graphemes: (n) => trn('grapheme', 'graphemes', n), distinct: (n) => trn('distinct token', 'distinct tokens', n),
  partial: (n) => trn('token with part of a character', 'tokens with part of a character', n),
};

export function showCounts(root, counts) {
  const { tokens, characters, bytes, partial } = counts;
  const ofTokens = (words) => (tokens ? words() : tokens === null ? null : '–');
  const texts = {
    ...counts, partialShare: tokens === 0 ? '' : ofTokens(() => `${Math.round((100 * partial) / tokens)} %`),
    bytesPerToken: ofTokens(() => formatDecimal(bytes / tokens)),
    charactersPerToken: ofTokens(() => formatDecimal(characters / tokens)),
  };
  for (const element of root.querySelectorAll('[data-count]')) showCount(element, texts[element.dataset.count]);
}

// While a count is pending, the old one stays in gray, so that no key makes it flicker.
function showCount(element, count) {
  clearTimeout(element.pendingTimer);
  element.classList.toggle('pending', count === null);
  if (count === null) element.pendingTimer = setTimeout(() => setText(element, '…'), PENDING_MS);
  else setText(element, count.toLocaleString(LANGUAGE));
  const unit = element.closest('dd')?.nextElementSibling, { count: name } = element.dataset;
  if (unit && name in UNITS) setText(unit, UNITS[name](count));
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function describe({ specials, doc }, { chunk, k }) {
  const bytes = chunk.tokenBytes(k), id = chunk.ids[k], partial = chunk.isPartial(k), kind = chunk.kinds?.[k];
  return {
    number: chunk.base + k + 1, numTokens: doc.numTokens, id, bytes: bytes.length ? hex(bytes) : tr('none'),
    numBytes: bytes.length, partial, isUnknown: kind === UNKNOWN, isByte: kind === BYTE,
    special: kind === SPECIAL ? specials.get(id) : null, text: partial ? null : textOf(bytes),
  };
}

/** Isolates a text, so that its direction does not move the words around it. */
export const isolated = (text) => `\u2068${text}\u2069`;

/** Returns a token's text with invisible characters named: "·the", "↵", "‹ZWSP›". */
export function visibleText(text) {
  return Array.from(text, (character) => {
    if (character === ' ' || character === '\n' || character === '\t' || character === '\r') return nameOf(character);
    if (/[\p{Z}\p{C}]/u.test(character)) return `‹${nameOf(character)}›`;
    return character;
  }).join('').replace(/^(?=\p{M})/u, '◌');
}

/** Describes a token in one line, for the live region. */
export const summary = (facts) =>
  tr('token {number} of {total}: {what}, id {id}', {
    number: facts.number, total: facts.numTokens, what: textInWords(facts), id: String(facts.id),
  });

/** Describes a token by its numbers: "id 8959 · 6 bytes · 5 characters". */
export function numbersOf({ id, numBytes, text }) {
  const count = (n, unit) => `${formatInteger(n)} ${UNITS[unit](n)}`;
  const characters = text === null ? tr('with part of a character') : count(Array.from(text).length, 'characters');
  return [tr('id {id}', { id: String(id) }), count(numBytes, 'bytes'), characters].join(' · ');
}

function textInWords(facts) {
  if (facts.special) return tr('special {name}', { name: facts.special });
  if (facts.isUnknown) return tr('unknown token for “{text}”', { text: visibleText(facts.text ?? '') });
  return facts.partial
    ? trn('{n} byte, part of a character', '{n} bytes, with part of a character', facts.numBytes)
    : `“${visibleText(facts.text)}”`;
}

/** Returns the loupe's heading, and the line under it. */
export const titleOf = (facts) => facts.special ?? (facts.partial ? facts.bytes : visibleText(facts.text) || '∅');
export const positionOf = (facts) =>
  tr('token {number} of {total}, id {id}', { number: facts.number, total: facts.numTokens, id: String(facts.id) });

/** Returns sentences about what is unusual about a token. */
export function notesOf(facts) {
  if (facts.isUnknown)
    return [tr('This is the unknown token, which replaces text for which the vocabulary has no token.')];
  if (facts.isByte)
    return [
      tr(
        'This is a byte token: if the vocabulary has no token for a character, each byte of the character becomes a ' +
          'token.',
      ),
    ];
  const sentence = tr('These bytes alone are not valid text: the token begins or ends inside a character.');
  return facts.partial ? [sentence] : [];
}

