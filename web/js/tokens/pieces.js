// Converts tokens to drawable pieces. A token may be a third of a character; a piece consists of whole graphemes.
import { utf8Length } from '../editor/text.js';

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const ASCII = /^[\t\n -~]*$/; // without \r: CR LF is one grapheme

/** Returns where graphemes start, in UTF-16 units and in UTF-8 bytes; the last entry is the end of the text. */
function graphemeStarts(text) {
  const units = [0], bytes = [0];
  let at = 0;
  for (const { segment } of graphemes.segment(text)) {
    at += utf8Length(segment);
    units.push(units[units.length - 1] + segment.length);
    bytes.push(at);
  }
  return { units, bytes };
}

/** @typedef {object} Piece  A run of whole graphemes of one token (first === last), or one grapheme that the
 *  tokens first..last share. A gap is a piece with `last` before `first`, the next token; an empty token is a
 *  piece without text.
 *  @property {number} first
 *  @property {number} last
 *  @property {string} text
 *  @property {number} at  first byte
 *  @property {number} to  end byte
 *  @property {number} graphemes  their number */

/** Returns the pieces of a chunk, in order; their texts concatenate to its text.
 *  @returns {Piece[]} */
export function piecesOf(chunk) {
  const { text } = chunk, { ends, firsts, lasts } = runsOf(chunk), out = [];
  const { units, bytes } = ASCII.test(text) ? { units: null, bytes: null } : graphemeStarts(text);
  const put = (run, last, from, to) =>
    out.push({
      first: firsts ? firsts[run] : run, last: lasts ? lasts[last] : last, graphemes: to - from,
      text: units ? text.slice(units[from], units[to]) : text.slice(from, to), at: bytes ? bytes[from] : from,
      to: bytes ? bytes[to] : to,
    });
  const byteAt = bytes ? (g) => bytes[g] : (g) => g, most = bytes ? bytes.length : text.length + 1;
  let g = 0; // the next grapheme to draw
  for (let run = 0; run < ends.length; run++) {
    const from = g;
    while (g + 1 < most && byteAt(g + 1) <= ends[run]) g++;
    if (g > from || ends[run] === (run ? ends[run - 1] : 0)) put(run, run, from, g);
    if (byteAt(g) >= ends[run] || g + 1 >= most) continue; // the run must end with a grapheme
    let last = run;
    while (ends[last] < byteAt(g + 1)) last++;
    put(run, last, g, g + 1);
    g++;
    run = ends[last] === byteAt(g) ? last : last - 1; // resume a run that extends beyond the shared grapheme
  }
  return out;
}

// Returns the tokens and gaps as runs: the end of each, and its first and last token if these differ from the run's
// number.
function runsOf({ starts, ends, bytes }) {
  const size = bytes.length, n = ends.length, isGap = (k) => (k < n ? starts[k] : size) > (k ? ends[k - 1] : 0);
  let k = 0;
  while (k <= n && !isGap(k)) k++;
  if (k > n) return { ends };
  const runs = { ends: [], firsts: [], lasts: [] };
  const put = (end, first, last) => { runs.ends.push(end); runs.firsts.push(first); runs.lasts.push(last); };
  for (k = 0; k <= n; k++) {
    if (isGap(k)) put(k < n ? starts[k] : size, k, k - 1);
    if (k < n) put(ends[k], k, k);
  }
  return runs;
}
