// What is said about the text and about one token: counters, tooltip, pinned card. Everything is put in as text, never as markup.
import { SPECIAL, UNKNOWN } from './document.js';
import { make } from './dom.js';
import { hex, nameOf } from './paint.js';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const grouped = (n) => n.toLocaleString('en-US');
export const counted = (n, unit) => `${grouped(n)} ${unit}${n === 1 ? '' : 's'}`;
export const fixed = (x, digits = 2) => x.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** The text of some bytes, or null where they are not UTF-8 by themselves. */
export function textOf(bytes) {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

/** The numbers of a whole document, all from the encoder's own answers; `null` where an answer is still to come. */
export function countDocument({ chunks, tally }) {
  const sum = (of) => chunks.reduce((n, chunk) => n + of(chunk), 0), measured = (of) => (chunks.every(({ units }) => units) ? sum(({ units }) => of(units)) : null);
  return {
    tokens: sum((chunk) => chunk.ids?.length ?? 0), characters: sum((chunk) => chunk.points), bytes: sum((chunk) => chunk.bytes.length),
    graphemes: measured((units) => units.graphemes), words: measured((units) => units.words),
    distinct: tally.size, partial: sum((chunk) => chunk.numPartial), otherCount: sum((chunk) => chunk.otherCount),
  };
}

/** Writes the counts into the elements that carry data-count. */
export function showCounts(root, counts) {
  const { tokens, characters, bytes, partial } = counts, texts = {
    ...counts, partialShare: tokens ? `${Math.round((100 * partial) / tokens)} %` : '–',
    bytesPerToken: tokens ? fixed(bytes / tokens) : '–', charactersPerToken: tokens ? fixed(characters / tokens) : '–',
  };
  for (const element of root.querySelectorAll('[data-count]')) showCount(element, texts[element.dataset.count]);
}

// A count that is still to come leaves the old one, faded and for a moment only: no flicker on every key, no stale number left standing.
function showCount(element, count) {
  clearTimeout(element.late);
  element.classList.toggle('pending', count === null);
  if (count === null) element.late = setTimeout(() => setText(element, '…'), 400);
  else setText(element, count.toLocaleString('en-US'));
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** The facts of one token that a reader shows. */
export function describe({ specials, encoding, doc }, { chunk, k }) {
  const bytes = chunk.tokenBytes(k), id = chunk.ids[k], partial = chunk.isPartial(k), kind = chunk.kinds?.[k];
  return {
    number: chunk.base + k + 1, numTokens: doc.numTokens, id, bytes: bytes.length ? hex(bytes) : 'none', numBytes: bytes.length, partial, isUnknown: kind === UNKNOWN,
    special: kind === SPECIAL ? specials.get(id) : null, text: partial ? null : textOf(bytes), preToken: encoding.split ? preTokenOf(chunk, k) : { none: 'none: the text is not split first' },
    merges: encoding.merges ? null : 'none to replay',
  };
}

/** A token's text with what cannot be seen named: "·the", "↵", "‹ZWSP›". */
export function spelled(text) {
  return Array.from(text, (character) => {
    if (character === ' ' || character === '\n' || character === '\t' || character === '\r') return nameOf(character);
    if (/[\p{Z}\p{C}]/u.test(character)) return `‹${nameOf(character)}›`;
    return character;
  }).join('').replace(/^(?=\p{M})/u, '◌');
}

function preTokenOf(chunk, k) {
  if (!chunk.preTokens) return null;
  const { starts, ends } = chunk.preTokens, index = ends.findIndex((end) => end > chunk.starts[k]);
  if (index < 0 || starts[index] > chunk.starts[k]) return { none: 'none' };
  return { index, text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(chunk.bytes.subarray(starts[index], ends[index])) };
}

/** What the pre-token of a description is called, once it is known. */
function preTokenText(facts, place) {
  if (!facts.preToken) return '…';
  if (facts.preToken.none) return facts.preToken.none;
  const text = facts.preToken.text, short = Array.from(text.slice(0, 80)).slice(0, 30).join('');
  return `${place ? `${grouped(place.number)} of ${grouped(place.of)} ` : ''}“${spelled(short)}${short.length < text.length ? '…' : ''}”`;
}

/** What a token is in one line, for the tooltip's head and the live region. */
export function summary(facts) {
  const text = facts.special ? `special ${facts.special}` : facts.isUnknown ? `unknown: “${spelled(facts.text ?? '')}”` : facts.partial ? `${counted(facts.numBytes, 'byte')}, part of a character` : `“${spelled(facts.text)}”`;
  return `token ${grouped(facts.number)} of ${grouped(facts.numTokens)}: ${text}, id ${facts.id}`;
}

/** Rows of [name, value] about a token. */
export function factRows(facts, shared, place) {
  const rows = [['id', String(facts.id)], ['bytes', facts.bytes]];
  if (facts.special) rows.push(['special', facts.special]);
  if (facts.isUnknown) rows.push(['unknown', 'not in this vocabulary']);
  if (facts.partial) rows.push(['text', 'not valid UTF-8 alone']);
  else rows.push(['text', spelled(facts.text)], ['points', codePoints(facts.text)]);
  if (shared) rows.push(['shares', `“${spelled(shared.text)}” with ${counted(shared.count - 1, 'token')}: band ${shared.band} of ${shared.count}`]);
  rows.push(['pre-token', preTokenText(facts, place)]);
  if (facts.merges) rows.push(['merges', facts.merges]);
  return rows;
}

function codePoints(text) {
  const points = Array.from(text.slice(0, 40), (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
  return points.slice(0, 12).join(' ') + (points.length > 12 ? ' …' : '');
}

/** Fills a <dl> with rows. */
export function fillRows(list, rows) {
  list.replaceChildren(...rows.flatMap(([name, value]) => [make('dt', '', name), Object.assign(make('dd', '', value), { dir: 'auto' })]));
}
