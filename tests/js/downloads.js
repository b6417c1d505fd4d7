// Downloads from the editor while tokens are missing.
import { copyIds, download } from '/ui/playground/js/downloads.js';
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
