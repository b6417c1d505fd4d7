// The text as a string: edits, safe cuts, line ends, and what the encoders read. Pure functions; offsets are UTF-16
// code units.

/** Matches right-to-left blocks and directional controls. */
export const RTL_CHARACTERS =
  /[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\ud802\ud803\ud83a\ud83b]/;

// target length of a chunk in code units: small enough to repaint on every key, large enough to be few
export const CHUNK_UNITS = 1000;

// Unicode White_Space, which is what \s means to the encoders. JavaScript's \s differs (U+0085, U+FEFF).
export const WHITE_SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const CJK_LETTER = /[\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]/;
const CJK_STOP = /[。，、！？；：]/;

const isWhite = (text, i) => WHITE_SPACE.test(text[i]);

/** Returns the smallest edit from `before` to `after`: they share `start` units at the front and `tail` at the
 *  back. */
export function findEdit(before, after) {
  const shorter = Math.min(before.length, after.length);
  const start = longest(shorter, (from, to) => before.slice(from, to) === after.slice(from, to));
  const tail = longest(shorter - start, (from, to) => slice(before, from, to) === slice(after, from, to));
  return { start, tail };
}

const slice = (text, from, to) => text.slice(text.length - to, text.length - from); // offsets count from the end

// Returns the largest n up to `most` for which `isSame(0, n)` holds, by binary search: comparing slices is the engine's
// fastest loop.
function longest(most, isSame) {
  let low = 0, high = most;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isSame(low, middle)) low = middle; else high = middle - 1;
  }
  return low;
}

/** Whether tokenizing text[..i] and text[i..] separately gives the tokens of the whole, for split patterns that
 *  allow cuts. Depends on text[i-2 .. i+1] only. Every such pattern starts a new pre-token at each of these
 *  places (tests prove it), and no piece of Gemma crosses one: it has "> </", and reads "▁" as a space. */
export function isSafeCut(text, i) {
  if (i < 1 || i >= text.length) return false;
  const at = text[i], before = text[i - 1];
  if (before === '\n') return i > 1 && !isWhite(text, i - 2) && !isWhite(text, i) && at !== '/';
  if (at === ' ')
    return (
      i + 1 < text.length &&
      before !== '▁' &&
      !(before === '>' && text[i + 1] === '<') &&
      !isWhite(text, i - 1) &&
      !isWhite(text, i + 1)
    );
  return CJK_STOP.test(at) && CJK_LETTER.test(before);
}

/** Returns the ascending ends of chunks of text[from..to], the last one `to`. Chunks are whole lines if lines are
 *  short enough. */
export function cutEnds(text, from, to) {
  const ends = [];
  let start = from;
  while (to - start > CHUNK_UNITS) {
    const end = nextCut(text, start, to);
    if (end === to) break;
    ends.push(end);
    start = end;
  }
  ends.push(to);
  return ends;
}

function nextCut(text, start, to) {
  const lineLimit = Math.min(to, start + 2 * CHUNK_UNITS); // up to here, only a cut after a line is taken
  for (let i = start + CHUNK_UNITS; i < lineLimit; i++) if (text[i - 1] === '\n' && isSafeCut(text, i)) return i;
  for (let i = start + CHUNK_UNITS; i < to; i++) if (isSafeCut(text, i)) return i;
  return to;
}

/** A textarea normalizes every line end to \n: `shown` is its value for the `raw` text. */
export const shown = (raw) => (raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw);

/** Returns the offset in `raw` of the offset `at` in shown(raw). */
export function rawOffset(raw, at) {
  if (!raw.includes('\r')) return at;
  let seen = 0, i = 0;
  for (; seen < at; seen++) i += raw[i] === '\r' && raw[i + 1] === '\n' ? 2 : 1;
  return i;
}

/** Returns the raw text after the textarea changed to `value`: line ends outside the edit stay, and `pasted` text
 *  brings its own. */
export function rawAfterEdit(raw, value, pasted = null) {
  const before = shown(raw);
  if (value === before) return raw;
  if (before === raw && !pasted?.includes('\r')) return value;
  const { start, tail } = findEdit(before, value);
  const head = raw.slice(0, rawOffset(raw, start)), rest = raw.slice(rawOffset(raw, before.length - tail));
  if (pasted !== null) {
    const whole = withPasted(value, before, pasted, raw);
    if (whole !== null) return whole;
  }
  return joinRaw(head, value.slice(start, value.length - tail), rest);
}

// A lone \r that now stands before a \n would merge two line ends into one, so it becomes \n.
function joinRaw(...parts) {
  return parts
    .filter(Boolean)
    .reduce(
      (raw, part) => (part.startsWith('\n') ? raw.replace(/\r+$/, (ends) => '\n'.repeat(ends.length)) : raw) + part,
      '',
    );
}

// The diff may be shorter than the paste (pasting "ab" between "a" and "b"), so look for the paste itself.
function withPasted(value, before, pasted, raw) {
  const put = shown(pasted), { start } = findEdit(before, value), gone = before.length - value.length + put.length;
  const tail = longest(
    Math.min(before.length, value.length), (from, to) => slice(before, from, to) === slice(value, from, to),
  );
  for (let at = start; gone >= 0 && at >= Math.max(0, value.length - tail - put.length); at--) {
    if (value.startsWith(put, at))
      return joinRaw(raw.slice(0, rawOffset(raw, at)), pasted, raw.slice(rawOffset(raw, at + gone)));
  }
  return null;
}

/** Replaces every lone surrogate by U+FFFD, as the encoders do. */
export const wellFormed = (text) => text.toWellFormed();

export const LONG_CHUNK_UNITS = 20_000; // UTF-16 units: longer chunks are sent only after a pause in typing
export const MAX_TEXT_BYTES = 5_000_000;

/** Returns what the encoders read of a raw text: { raw, text, tooLong, replaced: number of lone surrogates }. */
export function readingOf(raw) {
  const text = wellFormed(raw);
  return {
    raw, text, tooLong: utf8Size(text) > MAX_TEXT_BYTES, replaced: text === raw ? 0 : countDifferent(text, raw),
  };
}

/** Returns the number of bytes of a text in UTF-8; faster for short texts than to encode them. */
export function utf8Length(text) {
  let length = 0;
  for (const character of text) {
    const point = character.codePointAt(0);
    length += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return length;
}

const utf8Size = (text) => (text.length * 3 <= MAX_TEXT_BYTES ? text.length : new TextEncoder().encode(text).length);

function countDifferent(a, b) {
  let n = 0;
  for (let i = 0; i < a.length; i++) n += a.charCodeAt(i) !== b.charCodeAt(i);
  return n;
}
