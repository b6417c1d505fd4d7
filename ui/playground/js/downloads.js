// Downloads from the editor: ids, tables, pages, pictures.
import { copyText, saveFile } from '../../../web/js/dom/clipboard.js';
import { make } from '../../../web/js/dom/elements.js';
import { RefusedError } from '../../../web/js/net/rpc-client.js';
import { encodeTexts } from '../../../web/js/net/wire-format.js';
import { tr, trn } from '../../../web/js/dom/i18n.js';
import { drawSvg } from '../../../web/js/tokens/picture.js';

export function copyIds({ doc, desk, $ }) {
  requireTokens(doc);
  return copyText(doc.chunks.flatMap((chunk) => Array.from(chunk.ids)).join(' '), desk, $('.done'), tr('Ids copied.'));
}

/** Throws RefusedError while the tokens of a chunk are missing. */
function requireTokens({ chunks }) {
  if (chunks.some(({ ids }) => !ids))
    throw new RefusedError(tr('Some tokens of this text are still missing. Try again in a moment.'));
}

/** Saves the tokens as "csv", "json", "html", "ipynb" or "svg". */
export async function download(editor, form) {
  const { doc, client, encoding: { key, name, special } } = editor;
  const bytes = new TextEncoder().encode(doc.text);
  const content =
    form === 'svg'
      ? picture(editor)
      : await client.ask(form, { encoding: key, special }, encodeTexts([{ bytes }]));
  saveFile(
    new Blob([content], { type: form === 'svg' ? 'image/svg+xml' : '' }),
    `tokens-${name.replace(/[^\w.-]+/g, '_')}.${form}`,
  );
}

function picture({ desk, doc, notice, tokens }) {
  requireTokens(doc);
  const frame = make('div', 'tokens sheet');
  desk.append(frame);
  const { svg, left } = drawSvg(doc.chunks, frame, tokens.paintOptions());
  frame.remove();
  const words = trn(
    'The picture contains only the first tokens; there was no room for {n} more token.',
    'The picture contains only the first tokens; there was no room for {n} more tokens.',
    left,
  );
  if (left) notice.showProblem(words);
  return svg;
}
