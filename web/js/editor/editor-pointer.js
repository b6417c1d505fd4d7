// Points at one token in both views: the tokens and the ids.
import { scrollIntoBox } from '../dom/elements.js';
import { TokenPointer } from '../tokens/token-pointer.js';
import { byteRange } from '../tokens/byte-ranges.js';

export class EditorPointer extends TokenPointer {
  constructor(editor) {
    super(editor.$);
    this.editor = editor;
    for (const view of [editor.tokens, editor.ids]) this.watch(editor.tokenized, view);
  }

  refresh() {
    super.refresh();
    const { hit } = this.pinned ?? {};
    if (hit) scrollIntoBox(this.editor.ids.element, this.editor.ids.elementsOf(hit.chunk, hit.k)[0]);
  }

  whyOf(tokenized, hit) {
    return () => this.editor.askWhy(tokenized.encoding.key, byteRange(hit).from);
  }

  /** Moves the class `mark` to the elements of one token in both views: lit (hovered), now (keyboard) or pinned. */
  highlightToken(mark, tokenized, hit) {
    const { tokens, ids } = this.editor;
    this.highlight.setToken(mark, hit, ({ chunk, k }) => [tokens, ids].flatMap((view) => view.elementsOf(chunk, k)));
  }
}
