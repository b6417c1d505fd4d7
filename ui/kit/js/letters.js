// Characters and the bytes that they are written in: a stretch of bytes may begin or end within one.
import { spelled, textOf } from './readout.js';

/** The characters that some bytes write: { text, from, to } in bytes; what is no UTF-8 has `text` null, byte by byte. */
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

/** The characters that the bytes from..to touch, as { text, isPart }: where they hold a part of one alone, `isPart` says which. */
export function characterAt(characters, from, to, isShort = false) {
  const touched = characters.filter((one) => one.from < to && one.to > from), [first] = touched, last = touched[touched.length - 1];
  const text = touched.map((one) => one.text ?? '').join('');
  if (!first || touched.some((one) => one.text === null) || (first.from >= from && last.to <= to)) return { text, isPart: '' };
  return { text, isPart: touched.length === 1 ? partInWords(first, from, to, isShort) : isShort ? '…' : 'in part' };
}

/** The name of bytes from..to that begin or end within a character: the character, and which of its bytes they are. */
export function partName(bytes, from, to) {
  let start = from, end = to;
  while (start > 0 && isContinuation(bytes[start])) start--;
  while (isContinuation(bytes[end])) end++;
  const { text, isPart } = characterAt(characterParts(bytes.subarray(start, end)), from - start, to - start);
  return `${spelled(text)}, ${isPart}`;
}

const isContinuation = (byte) => (byte & 0xc0) === 0x80;

/** Which of the bytes of a character these are: "byte 2 of 3", "bytes 1–2 of 3"; in short "2/3", "1–2/3". */
export function partInWords(character, from, to, isShort = false) {
  const size = character.to - character.from, a = Math.max(from, character.from) - character.from + 1, b = Math.min(to, character.to) - character.from;
  if (isShort) return `${a === b ? a : `${a}–${b}`}/${size}`;
  return a === b ? `byte ${a} of ${size}` : `bytes ${a}–${b} of ${size}`;
}
