// A text as the encoders read it, and whether it is not too long for that.
import { wellFormed } from './text.js';

export const MOST_BYTES = 5_000_000;

/** What of a raw text is read: { raw, text, tooLong, replaced: how many lone surrogates it had }. */
export function readingOf(raw) {
  const text = wellFormed(raw);
  return { raw, text, tooLong: utf8Size(text) > MOST_BYTES, replaced: text === raw ? 0 : countDifferent(text, raw) };
}

const utf8Size = (text) => (text.length * 3 <= MOST_BYTES ? text.length : new TextEncoder().encode(text).length);

function countDifferent(a, b) {
  let n = 0;
  for (let i = 0; i < a.length; i++) n += a.charCodeAt(i) !== b.charCodeAt(i);
  return n;
}
