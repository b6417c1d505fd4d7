// Links the columns: the hovered, pinned or keyboard-selected bytes of one are highlighted in all.
import { TokenPointer } from '../../js/tokens/token-pointer.js';
import { describe, setText } from '../../js/tokens/readout.js';
import { byteRange } from '../../js/tokens/byte-ranges.js';
import { tr } from '../../js/dom/i18n.js';
import { fillTable, describeRange } from './range-table.js';

export class LinkedColumns extends TokenPointer {
  constructor(compare) {
    super(compare.$);
    this.compare = compare;
  }

  /** Moves the class `mark` to all tokens with the same bytes, in the columns of the same text. */
  highlightToken(mark, tokenized, hit) {
    const same = hit ? this.compare.columns.filter(({ doc }) => doc.text === tokenized.doc.text) : [];
    this.highlight.set(mark, same.flatMap((column) => column.spans(byteRange(hit))));
  }

  headOf(tokenized, words) {
    return tr('{name}, {words}', { name: tokenized.encoding.name, words });
  }

  whyOf(tokenized, hit) {
    return this.compare.canAskWhy ? () => this.compare.askWhy(tokenized.encoding.key, byteRange(hit).from) : null;
  }

  pin(tokenized, hit, view) {
    super.pin(tokenized, hit, view);
    this.compare.scrollLock.align(tokenized.host, this.byte);
  }

  /** The bytes stay pinned when the loupe closes: the table below describes them. */
  get unpinsOnClose() {
    return false;
  }

  refresh() {
    if (this.pinned && !this.compare.columns.includes(this.pinned.tokenized.host)) this.pinned = null;
    const place = this.compare.$('.stretch'), heading = place.querySelector('h2');
    const { tokenized, hit } = this.pinned ?? {};
    this.highlightToken('pinned', tokenized, hit);
    place.querySelector('.pin-hint').hidden = Boolean(hit);
    for (const one of place.querySelectorAll('table, button')) one.hidden = !hit;
    if (!hit) return void setText(heading, tr('Pinned bytes in each encoding'));
    const { from, to } = byteRange(hit);
    place.querySelector('table').hidden = from === to;
    describeRange(heading, { from, to }, describe(tokenized, hit));
    if (from === to) return;
    const askWhy = ({ encoding }, at) => this.compare.askWhy(encoding.key, at);
    const { columns, canAskWhy } = this.compare;
    fillTable(place.querySelector('table'), columns, byteRange(hit), canAskWhy ? askWhy : null);
  }

  /** Rings the tokens on both sides of a boundary; one token where there is no boundary. */
  show(boundary) {
    Object.assign(this, { tokenized: null, byte: boundary });
    this.highlight.set(
      'now', this.compare.columns.flatMap((column) => column.spans({ from: boundary - 1, to: boundary + 1 })),
    );
  }
}
