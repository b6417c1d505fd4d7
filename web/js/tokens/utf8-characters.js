// Characters and their UTF-8 bytes: a byte range may begin or end inside a character.
import { isContinuation } from '../editor/document.js';
import { visibleText, textOf } from './readout.js';
import { mark, tr } from '../dom/i18n.js';

/** Returns the characters of bytes: { text, from, to } with byte offsets; each byte of invalid UTF-8 has `text`
 *  null. */
export function characterParts(bytes) {
  const found = [];
  for (let from = 0, to; from < bytes.length; from = to) {
    const lead = bytes[from];
    to = from + (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
    let text = to <= bytes.length ? textOf(bytes.subarray(from, to)) : null;
    if (text === null) to = from + 1;
    found.push({ text, from, to });
  }
  return found;
}

/** Returns the characters that the bytes from..to touch: { text, partLabel }; `partLabel` names the covered part of a
 *  character, "" if all are whole. */
export function characterAt(characters, from, to, isShort = false) {
  const touched = characters.filter((one) => one.from < to && one.to > from);
  const [first] = touched;
  const last = touched[touched.length - 1];
  const text = touched.map((one) => one.text ?? '').join('');
  if (!first || touched.some((one) => one.text === null) || (first.from >= from && last.to <= to))
    return { text, partLabel: '' };
  if (touched.length === 1) return { text, partLabel: partInWords(first, from, to, isShort) };
  return { text, partLabel: isShort ? '…' : tr('some of the bytes') };
}

/** Names bytes from..to that begin or end inside a character: the character, and which of its bytes they are. */
export function partName(bytes, from, to) {
  let start = from, end = to;
  while (start > 0 && isContinuation(bytes[start])) start--;
  while (isContinuation(bytes[end])) end++;
  const { text, partLabel } = characterAt(characterParts(bytes.subarray(start, end)), from - start, to - start);
  return tr('{text}, {part}', { text: visibleText(text), part: partLabel });
}

/** Describes bytes that are only the beginning of a character: "Thai character, 2 of 3 bytes", in short "1–2/3"; ""
 *  for others. */
export function incompleteName(bytes, isShort = false) {
  const [lead] = bytes, size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (!bytes.length || lead < 0xc2 || lead > 0xf4 || bytes.length >= size || !bytes.subarray(1).every(isContinuation))
    return '';
  if (isShort) return `${bytes.length > 1 ? '1–' : ''}${bytes.length}/${size}`;
  const kinds = new Set(lettersFrom(bytes, size).map((letter) => SCRIPTS.find(([, has]) => has.test(letter))?.[0]));
  const [script] = kinds;
  const sizes = { n: bytes.length, size };
  if (kinds.size > 1 || !script) return tr('character, {n} of {size} bytes', sizes);
  return tr('{script} character, {n} of {size} bytes', { script: tr(script), ...sizes });
}

const SCRIPT_NAMES = [
  mark('Latin'), mark('Greek'), mark('Cyrillic'), mark('Armenian'), mark('Hebrew'), mark('Arabic'), mark('Syriac'),
  mark('Thaana'), mark('Devanagari'), mark('Bengali'), mark('Gurmukhi'), mark('Gujarati'), mark('Tamil'),
  mark('Telugu'), mark('Kannada'), mark('Malayalam'), mark('Sinhala'), mark('Thai'), mark('Lao'), mark('Tibetan'),
  mark('Myanmar'), mark('Georgian'), mark('Hangul'), mark('Ethiopic'), mark('Khmer'), mark('Hiragana'),
  mark('Katakana'), mark('Bopomofo'), mark('Han'),
];
export const SCRIPTS = SCRIPT_NAMES.map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')]);

// Samples of the characters that begin with these bytes.
function lettersFrom(bytes, size) {
  const free = 6 * (size - bytes.length), mask = size === 2 ? 0x1f : size === 3 ? 0x0f : 0x07;
  const first = [...bytes.subarray(1)].reduce((point, byte) => (point << 6) | (byte & 0x3f), bytes[0] & mask) << free;
  const step = Math.max(1, 2 ** free / 512);
  const points = Array.from({ length: Math.min(512, 2 ** free) }, (_, i) => first + Math.floor(i * step));
  return points
    .filter((point) => point <= 0x10ffff && (point < 0xd800 || point > 0xdfff))
    .map((point) => String.fromCodePoint(point))
    .filter((one) => /[\p{L}\p{M}]/u.test(one));
}

/** Names which of a character's bytes these are: "byte 2 of 3", "bytes 1–2 of 3"; in short "2/3", "1–2/3". */
export function partInWords(character, from, to, isShort = false) {
  const size = character.to - character.from;
  const a = Math.max(from, character.from) - character.from + 1;
  const b = Math.min(to, character.to) - character.from;
  if (isShort) return `${a === b ? a : `${a}–${b}`}/${size}`;
  return a === b ? tr('byte {a} of {size}', { a, size }) : tr('bytes {a}–{b} of {size}', { a, b, size });
}
