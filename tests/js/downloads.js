// Downloads from the editor while tokens are missing; saved files.
import { copyIds, download } from '/ui/playground/js/downloads.js';
import { saveFile } from '/web/js/dom/clipboard.js';
import { check, equal } from './check.js';

export async function ids_and_picture_are_refused_while_tokens_are_missing() {
  const editor = { doc: { text: 'ab', chunks: [{ ids: [1] }, { ids: null }] }, encoding: {} };
  for (const act of [() => copyIds(editor), () => download(editor, 'svg')]) {
    let problem = null;
    try { await act(); } catch (error) { problem = error; }
    check(problem?.isRefusal, String(problem));
    equal(problem.message, 'Some tokens of this text are still missing. Try again in a moment.');
  }
}

export async function only_a_csv_file_begins_with_a_byte_order_mark() {
  const { click } = HTMLAnchorElement.prototype, saved = [];
  HTMLAnchorElement.prototype.click = function () { saved.push(this.href); };
  try { for (const name of ['a.csv', 'a.json']) saveFile(new Blob(['ที่']), name); } finally {
    HTMLAnchorElement.prototype.click = click;
  }
  const files = await Promise.all(saved.map(async (href) => new Uint8Array(await (await fetch(href)).arrayBuffer())));
  equal(files.map((bytes) => bytes[0]), [0xef, 0xe0]);
}
