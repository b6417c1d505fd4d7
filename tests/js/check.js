// Shared by the tests here: checks, seeded randomness, and calls of Python (tests/e2e/test_js.py).

export function check(holds, words = '') {
  if (!holds) throw new Error(words || 'does not hold');
}

/** Asserts that two values have the same JSON; typed arrays count as arrays. */
export function equal(found, wanted, words = '') {
  const [own, other] = [serialized(found), serialized(wanted)];
  if (own === other) return;
  let at = 0;
  while (own[at] === other[at]) at++;
  const part = (text) => text.slice(Math.max(0, at - 60), at + 140);
  throw new Error(`${words}\n found: …${part(own)}\nwanted: …${part(other)}`);
}

const serialized = (value) =>
  JSON.stringify(value, (_, one) =>
    ArrayBuffer.isView(one) || one instanceof Set
      ? Array.from(one)
      : one === undefined
        ? 'undefined'
        : typeof one === 'number' && !Number.isFinite(one)
          ? String(one)
          : one,
  ) ?? 'undefined';

/** Calls a function of tests/e2e/answers_for_js.py. */
export async function python(name, ...values) {
  const reply = await fetch(`/python/${name}`, { method: 'POST', body: JSON.stringify(values) });
  if (!reply.ok) throw new Error(await reply.text());
  return reply.json();
}

export const { PIECES, NO_CONTROL, SAMPLES } = await python('texts');

/** A seeded random generator. */
export function random(seed) {
  let state = Array.from(seed).reduce(
    (hash, letter) => Math.imul(hash ^ letter.codePointAt(0), 0x01000193), 0x811c9dc5,
  );
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n) => Math.floor(fraction() * n);
  const choice = (list) => list[below(list.length)];
  const times = (n, make) => Array.from({ length: n }, (_, i) => make(i));
  const text = (most, pieces = PIECES) => times(below(most + 1), () => choice(pieces)).join('');
  /** Returns `whole` after one random edit. */
  const edit = (whole, pieces = PIECES) => {
    const start = below(whole.length + 1), end = Math.min(whole.length, start + choice([0, 0, 1, 2, 5, 40]));
    return whole.slice(0, start) + text(choice([0, 1, 2, 8]), pieces) + whole.slice(end);
  };
  return { fraction, below, choice, times, text, edit };
}

export const bytesIn = (text) => new TextEncoder().encode(text).length;
export const upTo = (n) => Array.from({ length: n }, (_, i) => i);

/** Returns an answer of the server with adjacent tokens of these lengths in bytes. */
export function adjacentTokens(lengths, ids = new Uint32Array(lengths.length)) {
  let at = 0;
  const ends = Uint32Array.from(lengths, (n) => (at += n));
  return {
    ids: Uint32Array.from(ids), starts: ends.map((end, k) => end - lengths[k]), ends, kinds: null, otherCount: 0,
    roundTrip: true,
  };
}

/** Returns where tiktoken's tokens of each text start and end, in bytes. */
export const spansOf = async (name, texts) => (await python('lengths', name, texts)).map((lengths) => {
  const { starts, ends } = adjacentTokens(lengths);
  return Array.from(starts, (start, k) => [start, ends[k]]);
});
