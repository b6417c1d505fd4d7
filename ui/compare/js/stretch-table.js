// The stretch that is pinned: for every encoding the tokens that overlap it, with text or bytes, and id.
import { make, makeButton } from '../../kit/js/dom.js';
import { describe, grouped, setText, spelled } from '../../kit/js/readout.js';
import { overlapping } from './stretch.js';

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
    const row = make('tr'), head = make('th', '', column.encoding.name), number = make('td', 'number', grouped(facts.length + more)), cell = make('td');
    head.scope = 'row';
    cell.append(...facts.map(chip));
    if (more) cell.append(make('span', 'more', `and ${grouped(more)} more`));
    row.append(head, number, cell, whyCell(column, () => askWhy(column, range.from)));
    return row;
  }));
}

function whyCell(column, ask) {
  const cell = make('td'), button = makeButton('', 'Why?', ask);
  button.setAttribute('aria-label', `Why does ${column.encoding.name} split here?`);
  cell.append(button);
  return cell;
}

function chip(facts) {
  const one = make('span', 'chip'), text = make('bdi', '', inShort(facts)), id = make('small', '', `id ${facts.id}`);
  one.append(text, id);
  if (!facts.partial) one.append(make('small', 'hex', facts.bytes));
  else text.className = 'hex';
  return one;
}

/** Says which stretch it is. */
export function nameStretch(heading, { from, to }, facts) {
  setText(heading, `Pinned: ${inShort(facts)}, ${to - from === 1 ? `byte ${grouped(from)}` : `bytes ${grouped(from)} to ${grouped(to - 1)}`}`);
}
