// Links the columns: the hovered, pinned or keyboard-selected bytes of one are highlighted in all.
import { TokenPointer } from '../../components/js/tokens/token-pointer.js';
import { describe, setText } from '../../components/js/tokens/readout.js';
import { byteRange } from '../../components/js/tokens/byte-ranges.js';
import { tr } from '../../components/js/dom/i18n.js';
import { fillTable, nameStretch } from './range-table.js';

export class LinkedColumns extends TokenPointer {
  constructor(compare) {
    super(compare.$);
    this.compare = compare;
  }

  /** Moves the class `mark` to all tokens with the same bytes, in the columns of the same text. */
  light(mark, reader, hit) {
    const same = hit ? this.compare.columns.filter(({ doc }) => doc.text === reader.doc.text) : [];
    this.highlight.set(mark, same.flatMap((column) => column.spans(byteRange(hit))));
  }

  headOf(reader, words) {
    return tr('{name}, {words}', { name: reader.encoding.name, words });
  }

  whyOf(reader, hit) {
    return () => this.compare.askWhy(reader.encoding.key, byteRange(hit).from);
  }

  pin(reader, hit, view) {
    super.pin(reader, hit, view);
    this.compare.lock.align(reader.host, this.byte);
  }

  /** The bytes stay pinned when the loupe closes: the table below describes them. */
  get unpinsOnClose() {
    return false;
  }

  /** Shows the pinned bytes with the columns' current tokens. */
  refresh() {
    if (this.pinned && !this.compare.columns.includes(this.pinned.reader.host)) this.pinned = null;
    const there = this.compare.$('.stretch'), { reader, hit } = this.pinned ?? {}, heading = there.querySelector('h2');
    this.light('pinned', reader, hit);
    there.querySelector('.pin-hint').hidden = Boolean(hit);
    for (const one of there.querySelectorAll('table, button')) one.hidden = !hit;
    if (!hit) return void setText(heading, tr('The same bytes in every encoding'));
    nameStretch(heading, byteRange(hit), describe(reader, hit));
    fillTable(there.querySelector('table'), this.compare.columns, byteRange(hit), ({ encoding }, at) =>
      this.compare.askWhy(encoding.key, at),
    );
  }

  /** Rings the tokens on both sides of a boundary; one token where there is no boundary. */
  show(boundary) {
    Object.assign(this, { reader: null, byte: boundary });
    this.highlight.set(
      'now', this.compare.columns.flatMap((column) => column.spans({ from: boundary - 1, to: boundary + 1 })),
    );
  }
}
