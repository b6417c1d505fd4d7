// A token as it stands in the table and elsewhere: on its colour, what cannot be seen named, bytes in hex where they
// are no text.
import { make } from '../../components/js/dom/elements.js';
import { COLORS } from '../../components/js/tokens/colors.js';
import { spelled } from '../../components/js/tokens/readout.js';

/** @typedef {object} Shown  A token as the server tells of it.
 *  @property {number} id
 *  @property {string | null} text  null where its bytes are no text
 *  @property {string} hex  its bytes, the first ones of many
 *  @property {boolean} isSpecial */

/** What a token is called. */
export const nameOf = ({ text, hex }) => (text === null ? hex || '–' : spelled(text) || '∅');

/** A token as an element. */
export function chip(token) {
  const color = token.id === null ? 'none' : `c${token.id % COLORS}`;
  const element = make('bdi', `chip ${color}`, nameOf(token));
  element.classList.toggle('hex', token.text === null);
  element.classList.toggle('special', Boolean(token.isSpecial));
  element.dir = token.text === null ? 'ltr' : 'auto';
  return element;
}
