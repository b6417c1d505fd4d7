// A token as a chip: its text on its color, invisible characters named, bytes in hex if they are no text.
import { make } from '../../components/js/dom/elements.js';
import { COLORS } from '../../components/js/tokens/colors.js';
import { visibleText } from '../../components/js/tokens/readout.js';

/** @typedef {object} Shown  A token as the server describes it.
 *  @property {number} id
 *  @property {string | null} text  null if its bytes are no text
 *  @property {string} hex  its first bytes
 *  @property {boolean} isSpecial */

/** The name of a token. */
export const nameOf = ({ text, hex }) => (text === null ? hex || '–' : visibleText(text) || '∅');

/** Creates the chip of a token. */
export function chip(token) {
  const color = token.id === null ? 'none' : `c${token.id % COLORS}`;
  const element = make('bdi', `chip ${color}`, nameOf(token));
  element.classList.toggle('hex', token.text === null);
  element.classList.toggle('special', Boolean(token.isSpecial));
  element.dir = token.text === null ? 'ltr' : 'auto';
  return element;
}
