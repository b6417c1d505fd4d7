// The wire format of web/js/net/wire-format.js, as the server reads and writes it.
import { concat } from '../../../../web/js/net/wire-format.js';

/** Returns the texts of a request: { text, bytes } each. */
export function textsIn(body) {
  const head = new DataView(body.buffer, body.byteOffset), count = head.getUint32(0, true);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let at = 4 + 4 * count;
  return Array.from({ length: count }, (_, i) => {
    const bytes = body.subarray(at, (at += head.getUint32(4 + 4 * i, true)));
    return { text: decoder.decode(bytes), bytes };
  });
}

/** Returns the response with the tokens of texts that they cover whole. */
export function encodeTokens(answers) {
  const each = (of) => Uint32Array.from(answers, of);
  const lengths = answers.map(({ starts, ends }) => ends.map((end, k) => end - starts[k]));
  const rows = [
    each(({ ids }) => ids.length), each(({ otherCount }) => otherCount), each(() => 1),
    concat(answers.map(({ ids }) => ids), Uint32Array), concat(lengths, Uint32Array), [], [],
  ];
  const head = [rows.length, ...rows.map((row) => row.length)];
  return concat([head, ...rows], Uint32Array).buffer;
}
