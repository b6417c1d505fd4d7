// Links that contain a text, and text in a picture's XML.
import { compress, fragmentFor, restFrom, textFrom } from '/web/js/net/text-link.js';
import { buildLink, currentPage } from '/web/js/net/page-link.js';
import { wellFormed } from '/web/js/editor/text.js';
import { escapeXml } from '/web/js/dom/elements.js';
import { check, equal, NO_CONTROL, random, SAMPLES, upTo } from './check.js';

const THOUGHT = 'The same thought costs more. ความคิด 👍 '.repeat(5);
const read = (fragment) => textFrom(fragment).then((text) => ({ text }), (error) => ({ error: error.message }));

export async function link_round_trips_the_text() {
  const { times, text } = random('links');
  const longest = [
    'a'.repeat(2000),
    `${'ที่'.repeat(666)}กก`,
    '👍'.repeat(2000),
    upTo(2000)
      .map((n) => String.fromCharCode(0x4e00 + n))
      .join(''),
  ];
  for (const one of [...Object.values(SAMPLES), ...longest, ...times(200, () => wellFormed(text(40)))])
    equal(await textFrom(`#${await fragmentFor(one)}`), one);
}

export async function text_over_2000_characters_has_no_link() {
  for (const text of ['a'.repeat(2001), '👍'.repeat(2001), 'a'.repeat(9999)]) equal(await fragmentFor(text), null);
}

export async function truncated_or_changed_link_is_refused() {
  const whole = await fragmentFor(THOUGHT), start = whole.indexOf('&t=') + 3;
  for (let at = start; at < whole.length; at++) {
    check((await read(whole.slice(0, at))).error?.includes('damaged'), `cut at ${at}`);
    if (at === whole.length - 1) continue; // its last letter may have unused bits
    const { text = THOUGHT } = await read(
      `${whole.slice(0, at)}${whole[at] === 'A' ? 'B' : 'A'}${whole.slice(at + 1)}`,
    );
    equal(text, THOUGHT, `one wrong letter, at ${at}, gives another text`);
  }
}

export async function invalid_link_is_refused() {
  for (const fragment of ['#v=1', '#v=1&t=', '#v=1&t=!!!', '#v=1&t=%00%ff', '#v=1&t=AAAA', 'v=1&t=__79'])
    check((await read(fragment)).error?.includes('damaged'), fragment);
  check((await read('#v=2&t=AwA')).error.includes('newer version of Tokenloupe (v=2)'));
  equal(await read('#section'), { text: null });
}

export async function deep_content_of_a_link_is_refused() {
  const nested = (levels) => compress(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  check(Array.isArray(await restFrom(`#v=1&s=${await nested(50)}`)));
  for (const levels of [51, 500, 40_000])
    check(await restFrom(`#v=1&s=${await nested(levels)}`).then(() => false, () => true), levels);
}

export async function other_content_of_a_link_round_trips() {
  const { times, text } = random('rest');
  for (const rest of [
    {}, { show: ['bytes'] }, { second: THOUGHT, typed: { own: [null, 7] } },
    ...times(50, () => ({ typed: { a: wellFormed(text(40)) } })),
  ]) {
    const compressed = await compress(JSON.stringify(rest)),
      both = `#${await fragmentFor(THOUGHT)}&s=${compressed}`;
    equal(await restFrom(both), rest);
    equal(await textFrom(both), THOUGHT);
    equal(await restFrom(`#step=7&v=1&s=${compressed}`), rest);
    equal(await textFrom(`#v=1&s=${compressed}`), null);
  }
  for (const fragment of ['', '#section', `#${await fragmentFor('a')}`, '#v=2&s=AAAA', '#s=AAAA'])
    equal(await restFrom(fragment), null);
}

export async function truncated_other_content_is_refused() {
  const whole = `v=1&s=${await compress(JSON.stringify({ second: THOUGHT }))}`;
  const refused = (fragment) => restFrom(fragment).then(() => false, () => true);
  for (let at = whole.indexOf('s=') + 2; at < whole.length; at++)
    check(await refused(whole.slice(0, at)), `cut at ${at}`);
  for (const fragment of [
    'v=1&s=!!!', 'v=1&s=%00%ff', `v=1&s=${await compress('{')}`, `v=1&s=${await compress(' '.repeat(200_000))}`,
  ])
    check(await refused(fragment), fragment.slice(0, 40));
}

export async function decompression_bomb_is_refused() {
  const stream = new Blob([new Uint8Array(5_000_000)]).stream().pipeThrough(new CompressionStream('deflate'));
  const letters = Array.from(new Uint8Array(await new Response(stream).arrayBuffer()), (byte) =>
    String.fromCharCode(byte),
  ).join('');
  check((await read(`v=1&t=${btoa(letters).replaceAll('+', '-').replaceAll('/', '_')}`)).error.includes('damaged'));
}

export async function link_says_that_it_contains_a_training_text_only_if_it_does() {
  const noise = random('noise'), long = String.fromCharCode(...noise.times(20_000, () => 32 + noise.below(90)));
  const linkOf = (recipe) => buildLink({ query: '', rest: { made: { 'trained-a': recipe } }, omissions: [] });
  const facts = ({ includesCorpus, omitsTyped }) => [includesCorpus, omitsTyped];
  equal(facts(await linkOf({ texts: ['ab ab'] })), [true, false]);
  equal(facts(await linkOf({ texts: [long] })), [false, true]);
  equal(facts(await linkOf({ source: { name: 'one of ours' } })), [false, false]);
}

export async function link_has_a_text_unless_it_is_empty_or_too_long() {
  for (const [text, hasText] of [['', false], ['a', true], ['a'.repeat(2001), false], [undefined, false]])
    equal((await buildLink({ query: '', text, rest: {}, omissions: [] })).hasText, hasText);
}

export async function page_is_shared_whatever_its_address_and_without_a_recipe() {
  const { fetch } = window, before = location.href, key = `trained-${'0'.repeat(32)}`;
  window.fetch = () => Promise.reject(new TypeError('no server'));
  history.replaceState(null, '', `/?text=100%&encodings=gpt2%2C${key}`);
  try {
    const { hasTrained, includesCorpus, omissions } = await currentPage();
    equal([hasTrained, includesCorpus, omissions.length], [true, false, 1]);
  } finally {
    history.replaceState(null, '', before);
    window.fetch = fetch;
  }
}

export function escaped_text_is_xml_of_the_same_text() {
  const { times, text } = random('xml'), parsed = (xml) => new DOMParser().parseFromString(xml, 'application/xml');
  const every = upTo(0x10000).filter((n) => n < 0xd800 || n > 0xdfff).map((n) => String.fromCharCode(n)).join('');
  for (const one of [`${every}\u{1f44d}\u{10ffff}`, ...times(300, () => wellFormed(text(20, NO_CONTROL)))]) {
    const xml = escapeXml(one), found = parsed(`<a b="${xml}" c='${xml}'>${xml}</a>`);
    equal(found.querySelector('parsererror'), null);
    // as XML parses it
    equal(
      found.documentElement.textContent,
      one.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd').replaceAll('\r', '\n'),
    );
    check(!/[<>"']/.test(xml));
  }
}
