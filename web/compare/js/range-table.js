// Table of the pinned bytes: per encoding the tokens that overlap them, as bars over the bytes with text and id.
import { make, makeButton } from '../../js/dom/elements.js';
import { describe, formatInteger, setText, visibleText } from '../../js/tokens/readout.js';
import { byteRange, overlapping } from '../../js/tokens/byte-ranges.js';
import { tr } from '../../js/dom/i18n.js';

const MAX_SHOWN_TOKENS = 40; // per encoding
const MIN_TOKEN_REM = 4.25; // width of a token, so that its id fits

/** Returns the tokens of each column that overlap the bytes from..to: { column, facts, more: number of tokens
 *  left out }. */
function tokensInRange(columns, { from, to }, most = MAX_SHOWN_TOKENS) {
  return columns.map((column) => {
    const facts = [];
    let more = 0;
    for (const { chunk, from: first, to: end } of overlapping(column.doc, from, to)) {
      for (let k = first; k < end; k++) {
        const hit = { chunk, k };
        if (facts.length < most) facts.push({ ...describe(column.tokenized, hit), ...byteRange(hit) });
        else more++;
      }
    }
    return { column, facts, more };
  });
}

const shortName = ({ special, partial, text, bytes }) => special ?? (partial ? bytes : `“${visibleText(text)}”`);

/** Fills the table: a header of bytes, and per row a bar for each token, and a button if there is `askWhy`. */
export function fillTable(table, columns, range, askWhy) {
  const rows = tokensInRange(columns, range), all = rows.flatMap(({ facts }) => facts);
  const first = Math.min(...all.map(({ from }) => from)), last = Math.max(...all.map(({ to }) => to));
  const minBytes = Math.min(...all.map(({ from, to }) => Math.max(1, to - from)));
  table.style.setProperty('--bytes', `repeat(${last - first}, minmax(${MIN_TOKEN_REM / minBytes}rem, 1fr))`);
  const placeInGrid = (element, from, to) => {
    element.style.gridColumn = `${from - first + 1} / ${Math.max(from + 1, to) - first + 1}`;
    return element;
  };
  const bytes = rows[0].facts.filter(({ from, to }) => to > from).flatMap((fact) =>
    fact.bytes.split(' ').map((hex, i) => placeInGrid(make('span', 'hex', hex), fact.from + i, fact.from + i + 1)),
  );
  table.tHead.querySelector('.lane').replaceChildren(...bytes);
  table.tBodies[0].replaceChildren(...rows.map(({ column, facts, more }) => {
    const head = Object.assign(make('th', '', column.encoding.name), { scope: 'row' });
    const lane = make('div', 'lane', ...facts.map((fact) => placeInGrid(tokenBar(fact), fact.from, fact.to)));
    const cell = make('td', 'there', lane);
    if (more) cell.append(make('span', 'more', tr('and {n} more', { n: more })));
    const buttons = askWhy ? [whyButton(column, () => askWhy(column, range.from))] : [];
    const number = make('td', 'number', formatInteger(facts.length + more));
    return make('tr', '', head, number, cell, make('td', '', ...buttons));
  }));
}

function whyButton({ encoding }, action) {
  const button = makeButton('', action, tr('Why?'));
  button.ariaLabel = tr('Why does {name} split the text like this?', { name: encoding.name });
  return button;
}

function tokenBar(facts) {
  const one = make(
    'span', 'chip', make('bdi', facts.partial ? 'hex' : '', shortName(facts)),
    make('small', '', tr('id {id}', { id: String(facts.id) })),
  );
  one.title = facts.bytes;
  return one;
}

/** Describes the pinned bytes, counted from 1; a token may have none. */
export function describeRange(heading, { from, to }, facts) {
  if (from === to) return void setText(heading, tr('No part of the text belongs to this token alone.'));
  const token = shortName(facts), first = from + 1;
  setText(
    heading,
    first === to
      ? tr('Pinned: {token}, byte {first} of the text', { token, first })
      : tr('Pinned: {token}, bytes {first} to {last} of the text', { token, first, last: to }),
  );
}
