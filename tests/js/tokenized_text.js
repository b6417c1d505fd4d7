// ui/components/js/tokens/tokenized-text.js: a text and its tokens on screen, through edits.
import { TokenizedText } from '/ui/components/js/tokens/tokenized-text.js';
import { equal } from './check.js';

const ENCODING = { key: 'gpt2', name: 'gpt2', special: 'text', specials: {}, cuts: true, front: false };

/** Resolves once `isDone()`, or after two seconds. */
async function settle(isDone) {
  for (let i = 0; i < 100 && !isDone(); i++) await new Promise((resolve) => { setTimeout(resolve, 20); });
}

export async function several_edits_in_one_task_end_with_the_tokens_of_the_last() {
  const view = document.createElement('div'), reading = { text: '', tooLong: false };
  document.body.append(view);
  const client = {
    ask: async (name, query, body) =>
      (await fetch(`/api/${name}?${new URLSearchParams(query)}`, { method: 'POST', body })).arrayBuffer(),
  };
  const nothing = () => {};
  const tokenized = new TokenizedText(view, view, {
    textEditor: { get reading() { return reading; }, get raw() { return reading.text; } },
    notice: { showProblem(problem) { throw new Error(problem); }, withdraw: nothing },
    paintOptions: () => ({ withBytes: false }), pointer: { onTokenMoved: nothing },
    client, onSettled: nothing, onVerified: nothing,
  });
  tokenized.setEncoding(ENCODING);
  const edit = (text) => { reading.text = text; return tokenized.requestMissing(); };
  const shown = () => [view.textContent, 'stale' in view.dataset, view.dataset.chars];
  try {
    for (const texts of [['one\ntwo'], ['', 'one'], ['', 'x', ''], ['one\n\ntwo\nthree'], ['one\n\n', 'one\n', '']]) {
      texts.forEach(edit);
      const last = texts.at(-1);
      await settle(() => !('stale' in view.dataset) && view.dataset.chars === String(last.length));
      equal(shown(), [last, false, String(last.length)], JSON.stringify(texts));
    }
  } finally {
    tokenized.destroy();
    view.remove();
  }
}
