// Characters and their bytes in the loupe.
import { incompleteName, characterAt, characterParts, partName } from '/web/js/tokens/utf8-characters.js';
import { check, equal, PIECES, random } from './check.js';

const utf8 = new TextEncoder();

export function characters_equal_the_text_and_partial_ones_are_marked() {
  const { text, below } = random('letters');
  for (let round = 0; round < 200; round++) {
    const own = text(8, PIECES).toWellFormed(), bytes = utf8.encode(own), found = characterParts(bytes);
    equal(found.map((one) => one.text), Array.from(own));
    equal([...found.map((one) => one.from), bytes.length], [0, ...found.map((one) => one.to)]);
    if (!bytes.length) continue;
    const from = below(bytes.length);
    const to = from + 1 + below(bytes.length - from);
    const { text: touched, partLabel } = characterAt(found, from, to);
    const isWhole = found.some((one) => one.from === from) && found.some((one) => one.to === to);
    equal(partLabel === '', isWhole);
    check(utf8.encode(touched).length >= to - from);
    if (isWhole) equal(Array.from(utf8.encode(touched)), Array.from(bytes.subarray(from, to)));
    else check(partName(bytes, from, to).endsWith(`, ${partLabel}`));
  }
}

export function incomplete_characters_are_named_by_their_script() {
  const named = (...bytes) => incompleteName(Uint8Array.from(bytes));
  equal(named(0xe0, 0xb8), 'Thai character, 2 of 3 bytes');
  equal(named(0xe0, 0xb9), 'Thai character, 2 of 3 bytes');
  equal(named(0xd8), 'Arabic character, 1 of 2 bytes');
  equal(named(0xe0), 'character, 1 of 3 bytes');
  equal(named(0xf0, 0x9f), 'character, 2 of 4 bytes');
  for (const whole of ['a', 'ท', 'é', '👍']) equal(named(...utf8.encode(whole)), '');
  for (const other of [[0xb8], [0xb8, 0xe0], [0xff], [], [0x61, 0xe0]]) equal(named(...other), '');
}

export function part_of_a_character_is_named_with_its_bytes() {
  const bytes = utf8.encode('aที');
  equal(partName(bytes, 1, 3), 'ท, bytes 1–2 of 3');
  equal(partName(bytes, 3, 4), 'ท, byte 3 of 3');
  equal(partName(bytes, 4, 6), '◌ี, bytes 1–2 of 3');
  equal(partName(bytes, 3, 5), 'ที, some of the bytes');
  equal(characterAt(characterParts(bytes), 0, 4), { text: 'aท', partLabel: '' });
  equal(characterParts(Uint8Array.of(0xb8, 0x61)).map(({ text }) => text), [null, 'a']);
}
