// Steps through the disagreements by button or key, and counts them.
import { make, interpolate } from '../../js/dom/elements.js';
import { letterOf } from '../../js/dom/key-bindings.js';
import { formatInteger, setText } from '../../js/tokens/readout.js';
import { tr, trn } from '../../js/dom/i18n.js';
import { topOf } from './scroll-lock.js';

export class Disagreements {
  constructor(compare) {
    this.compare = compare;
    this.shared = make('b', 'shared', '–');
    this.some = make('b', 'some', '–');
    const words = tr('Token boundaries: {shared} in all token views, {some} only in some');
    compare.$('.numbers').append(...interpolate(words, this));
  }

  onKey(event) {
    if (event.target.matches('textarea') || event.ctrlKey || event.metaKey || event.altKey) return;
    if (letterOf(event) === 'n') this.go(!event.shiftKey);
  }

  /** Moves to the next or previous disagreement, and from the last to the first. */
  go(isNext) {
    const { boundaries, pointer, scrollLock, columns } = this.compare;
    if (!this.compare.isAgreed || !boundaries.numDisputed) return void this.announce(this.noneInWords());
    const top = topOf(columns[0])?.byte ?? 0, from = pointer.byte >= 0 ? pointer.byte : isNext ? top - 1 : top + 1;
    const found = isNext
      ? (boundaries.after(from) ?? boundaries.after(0))
      : (boundaries.before(from) ?? boundaries.before(Infinity));
    this.compare.$('.columns').scrollIntoView({ block: 'nearest' });
    scrollLock.reveal(found.byte);
    pointer.show(found.byte);
    this.announce(this.inWords(found, boundaries.numDisputed));
  }

  inWords({ number, byte, mask }, total) {
    const names = (cut) =>
      this.compare.columns.filter((_, d) => Boolean(mask & (1 << d)) === cut).map(({ encoding }) => encoding.name);
    const [here, others] = [names(true), names(false)].map((some) => ({ names: some.join(', '), n: some.length }));
    const facts = {
      number, total, byte,
      cut: trn('{names} has a token boundary here', '{names} have a token boundary here', here.n, here),
      not: trn('{names} has no token boundary here', '{names} have no token boundary here', others.n, others),
    };
    return tr('Difference {number} of {total}, after byte {byte} of the text: {cut}; {not}', facts);
  }

  noneInWords() {
    if (!this.compare.isAgreed) return tr('Loading tokens …');
    return this.compare.columns.length > 1
      ? tr('No differences: all token views have the same token boundaries.')
      : tr('To see differences, choose a second model whose tokens can be shown.');
  }

  announce(text) {
    setText(this.compare.$('.where'), text);
    setText(this.compare.$('.live'), text);
  }

  count() {
    const { $, columns, boundaries } = this.compare;
    $('.numbers').hidden = columns.length < 2;
    setText(this.shared, formatInteger(boundaries.numShared));
    setText(this.some, formatInteger(boundaries.numDisputed));
  }
}
