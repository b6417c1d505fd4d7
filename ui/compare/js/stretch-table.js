// The stretch that is pinned: for every encoding the tokens that overlap it, with text or bytes, and id.
import { make, makeButton } from '../../kit/js/dom.js';
import { describe, grouped, setText, spelled } from '../../kit/js/readout.js';
import { overlapping } from '../../kit/js/stretch.js';

const MOST_SHOWN = 40; // tokens of one encoding

/** What the columns have where bytes from..to stand, in their order: { column, facts: of each token, more: how many are not described }. */
export function tokensThere(columns, { from, to }, most = MOST_SHOWN) {
  return columns.map((column) => {
    const facts = [];
    let more = 0;
    for (const { chunk, from: first, to: end } of overlapping(column.doc, from, to)) {
      for (let k = first; k < end; k++) if (facts.length < most) facts.push(describe(column.reader, { chunk, k })); else more++;
    }
    return { column, facts, more };
  });
}

/** What a token is, as short as can be. */
export const inShort = ({ special, partial, text, bytes }) => special ?? (partial ? bytes : `“${spelled(text)}”`);

/** Fills the table's body. */
export function fillTable(table, columns, range, askWhy) {
  table.tBodies[0].replaceChildren(...tokensThere(columns, range).map(({ column, facts, more }) => {
    const head = Object.assign(make('th', '', column.encoding.name), { scope: 'row' }), cell = make('td', '', ...facts.map(chip));
    const button = makeButton('', () => askWhy(column, range.from), 'Why?');
    button.ariaLabel = `Why does ${column.encoding.name} split here?`;
    if (more) cell.append(make('span', 'more', `and ${grouped(more)} more`));
    return make('tr', '', head, make('td', 'number', grouped(facts.length + more)), cell, make('td', '', button));
  }));
}

function chip(facts) {
  const one = make('span', 'chip', make('bdi', facts.partial ? 'hex' : '', inShort(facts)), make('small', '', `id ${facts.id}`));
  if (!facts.partial) one.append(make('small', 'hex', facts.bytes));
  return one;
}

/** Says which stretch it is. */
export function nameStretch(heading, { from, to }, facts) {
  setText(heading, `Pinned: ${inShort(facts)}, ${to - from === 1 ? `byte ${grouped(from)}` : `bytes ${grouped(from)} to ${grouped(to - 1)}`}`);
}
