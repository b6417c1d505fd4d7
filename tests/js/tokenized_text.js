// web/js/tokens/tokenized-text.js: a text and its tokens on screen, through edits.
import { TokenizedText } from '/web/js/tokens/tokenized-text.js';
import { Document } from '/web/js/editor/document.js';
import { decodeTokens, encodeTexts, toBase64 } from '/web/js/net/wire-format.js';
import { adjacentTokens, equal, spansOf } from './check.js';

const ENCODING = { key: 'gpt2', name: 'gpt2', special: 'text', specials: {}, cuts: true, front: false };

/** Resolves once `isDone()`, or after two seconds. */
async function settle(isDone) {
  for (let i = 0; i < 100 && !isDone(); i++) await new Promise((resolve) => { setTimeout(resolve, 20); });
}

/** Calls `use({ tokenized, client, edit, encodeAs, expectTokens })` with an empty text; `client` counts questions. */
async function withText(use) {
  const view = document.createElement('div'), reading = { text: '', tooLong: false }, nothing = () => {};
  document.body.append(view);
  const client = {
    numAsked: 0,
    async ask(name, query, body) {
      this.numAsked++;
      return (await fetch(`/api/${name}?${new URLSearchParams(query)}`, { method: 'POST', body })).arrayBuffer();
    },
  };
  const tokenized = new TokenizedText(view, view, {
    textEditor: { get reading() { return reading; }, get raw() { return reading.text; } },
    notice: { showProblem(problem) { throw new Error(problem); }, withdraw: nothing },
    paintOptions: () => ({ withBytes: false }), pointer: { onTokenMoved: nothing },
    client, onSettled: nothing, onVerified: nothing,
  });
  const encodeAs = (key) => tokenized.setEncoding({ ...ENCODING, key, name: key });
  encodeAs('gpt2');
  const edit = (text) => { reading.text = text; tokenized.requestMissing(); };
  const expectTokens = async (text, key, words) => {
    const [spans] = await spansOf(key, [text]), wanted = [text, false, key, String(spans.length)];
    const shown = () => [view.textContent, 'stale' in view.dataset, view.dataset.encoding, view.dataset.tokens];
    await settle(() => shown().join() === wanted.join());
    equal(shown(), wanted, words);
  };
  try {
    await use({ tokenized, client, edit, encodeAs, expectTokens });
  } finally {
    tokenized.destroy();
    view.remove();
  }
}

export async function edits_in_one_task_end_with_the_tokens_of_the_last() {
  await withText(async ({ edit, expectTokens }) => {
    for (const texts of [['one\ntwo'], ['', 'one'], ['', 'x', ''], ['one\n\ntwo\nthree'], ['one\n\n', 'one\n', '']]) {
      texts.forEach(edit);
      await expectTokens(texts.at(-1), 'gpt2', JSON.stringify(texts));
    }
  });
}

export async function an_edit_and_another_encoding_in_one_task_end_with_its_tokens() {
  await withText(async ({ edit, encodeAs, expectTokens }) => {
    edit('สวัสดี');
    await expectTokens('สวัสดี', 'gpt2');
    for (const [text, key] of [['', 'o200k_base'], ['สวัสดี ครับ', 'gpt2'], ['', 'cl100k_base']]) {
      edit(text);
      encodeAs(key);
      edit('สวัสดี');
      await expectTokens('สวัสดี', key, `${text}, then ${key}`);
    }
  });
}

export async function tokens_that_came_with_the_page_are_drawn_without_a_question() {
  await withText(async ({ tokenized, client, edit, encodeAs, expectTokens }) => {
    const text = 'สวัสดี one', query = { encoding: 'gpt2', special: 'text', from: 'start' };
    const answer = await client.ask('tokens', query, encodeTexts([{ bytes: new TextEncoder().encode(text) }]));
    const given = { key: 'gpt2', special: 'text', text, answer: toBase64(new Uint8Array(answer)) };
    for (const [other, numAsked] of [[{}, 0], [{ special: 'special' }, 1], [{ text: 'one' }, 1], [null, 1]]) {
      edit('');
      tokenized.given = other && { ...given, ...other };
      client.numAsked = 0;
      edit(text);
      await expectTokens(text, 'gpt2');
      equal(client.numAsked, numAsked, JSON.stringify(other));
    }
    tokenized.given = given;
    encodeAs('cl100k_base');
    edit(`${text}!`);
    edit(text);
    await expectTokens(text, 'cl100k_base');
  });
}

export async function correction_by_the_server_is_counted_though_another_edit_is_not_verified_yet() {
  await withText(async ({ tokenized, client, edit, expectTokens }) => {
    const lines = 'one two\n'.repeat(200), first = `x${lines}`, second = `${first}three`, copy = new Document();
    edit(lines);
    await expectTokens(lines, 'gpt2');
    for (const text of [lines, first, second]) copy.edit(text);
    const last = copy.chunks.at(-1), query = { encoding: 'gpt2', special: 'text', from: 'inside' };
    const [right] = decodeTokens(await client.ask('tokens', query, encodeTexts([last])));
    const wrong = ({ bytes }) => adjacentTokens(Array.from(bytes, () => 1)); // a token for each byte
    tokenized.pageEncoder = {
      encode: (batch) => batch.map((chunk) => (chunk.text === last.text ? right : wrong(chunk))),
    };
    const { ask } = client;
    client.ask = async (...given) => {
      const answer = await ask.apply(client, given);
      client.ask = ask;
      edit(second);
      return answer;
    };
    edit(first);
    await settle(() => tokenized.doc.text === second);
    await settle(() => tokenized.doc.isVerified);
    await expectTokens(second, 'gpt2');
  });
}

export async function nothing_is_asked_for_a_page_that_was_left() {
  await withText(async ({ tokenized, client, edit, expectTokens }) => {
    edit('one two');
    await expectTokens('one two', 'gpt2');
    const { numAsked } = client;
    tokenized.destroy();
    tokenized.ask('units', tokenized.doc.chunks);
    equal(client.numAsked, numAsked);
  });
}

export async function words_that_could_not_be_counted_are_counted_later() {
  await withText(async ({ tokenized, client, edit, expectTokens }) => {
    edit('one two');
    await expectTokens('one two', 'gpt2');
    let isCounted = false, numAsked = 0;
    client.ask = async () => {
      if (++numAsked <= 2) throw new Error('too many questions');
      return Uint32Array.of(2, 1, 1, 7, 2).buffer; // two rows of one number
    };
    Object.assign(tokenized, { retryMs: 10 });
    tokenized.host.onUnits = () => { isCounted = true; };
    tokenized.countUnitsLater(0);
    await settle(() => isCounted);
    equal([tokenized.doc.chunks[0].units, isCounted], [{ graphemes: 7, words: 2 }, true]);
  });
}
