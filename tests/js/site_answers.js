// The wire format as the static page reads and writes it, against the components' side.
import { encodeTexts, decodeTokens } from '/web/js/net/wire-format.js';
import { answerOf } from '/web/js/page_encoder/page-encoder.js';
import { encodeTokens, textsIn } from '/server/exports/site/js/answers.js';
import { equal } from './check.js';

export function texts_of_a_request_are_read_as_they_were_written() {
  for (const texts of [[], [''], ['a', '', 'ที่\ufeff👍🏽\r\n']]) {
    const chunks = texts.map((text) => ({ text, bytes: new TextEncoder().encode(text) }));
    equal(textsIn(encodeTexts(chunks)).map(({ text }) => text), texts);
    equal(textsIn(encodeTexts(chunks)).map(({ bytes }) => bytes), chunks.map(({ bytes }) => bytes));
  }
}

export function answers_are_decoded_as_they_were_encoded() {
  const answers = [answerOf([5, 70_000, 5], [1, 4, 9]), answerOf([], []), answerOf([200_000], [12])];
  equal(decodeTokens(encodeTokens(answers)), answers);
}
