// From tokens to what can be drawn. A token may be a third of a character; a piece never is.

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const ASCII = /^[\t\n -~]*$/; // without \r: CR LF is one grapheme

/** Where graphemes start in a text, in UTF-16 units and in UTF-8 bytes, with the end of the text as the last entry. */
function graphemeStarts(text) {
  const units = [0], bytes = [0];
  let at = 0;
  for (const { segment } of graphemes.segment(text)) {
    for (const character of segment) at += utf8Length(character.codePointAt(0));
    units.push(units[units.length - 1] + segment.length);
    bytes.push(at);
  }
  return { units, bytes };
}

const utf8Length = (point) => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);

/** The pieces of a chunk, in order; their texts join to its text. A piece is either a run of whole graphemes of one token
 *  (first === last), or one grapheme that the tokens first..last share. It begins at byte `at`, and `shares` says how many bytes
 *  each of its tokens has in it; `graphemes` how many it is. */
export function piecesOf(chunk) {
  const { ends, text } = chunk, out = [];
  if (ASCII.test(text)) {
    for (let k = 0, start = 0; k < ends.length; start = ends[k++]) out.push({ first: k, last: k, text: text.slice(start, ends[k]), shares: [ends[k] - start], at: start, graphemes: ends[k] - start });
    return out;
  }
  const { units, bytes } = graphemeStarts(text), whole = (from, to) => text.slice(units[from], units[to]);
  let g = 0; // the first grapheme not drawn yet
  for (let k = 0; k < ends.length; k++) {
    const start = g;
    while (g + 1 < bytes.length && bytes[g + 1] <= ends[k]) g++;
    if (g > start) out.push({ first: k, last: k, text: whole(start, g), shares: [bytes[g] - bytes[start]], at: bytes[start], graphemes: g - start });
    if (bytes[g] >= ends[k] || g + 1 >= bytes.length) continue; // the token ends with a grapheme
    const end = bytes[g + 1];
    let last = k, at = bytes[g];
    const shares = [];
    for (;; last++) {
      const to = Math.min(ends[last], end);
      shares.push(to - at);
      at = to;
      if (ends[last] >= end) break;
    }
    out.push({ first: k, last, text: whole(g, g + 1), shares, at: bytes[g], graphemes: 1 });
    g++;
    k = ends[last] === end ? last : last - 1; // a token that goes on after the shared grapheme is taken up again
  }
  return out;
}
