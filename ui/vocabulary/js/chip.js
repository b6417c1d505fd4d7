// A token as a chip: its text on its color, invisible characters named, bytes in hex if they are not text.
import { make, makeButton } from '../../../web/js/dom/elements.js';
import { COLORS } from '../../../web/js/tokens/colors.js';
import { tr } from '../../../web/js/dom/i18n.js';
import { visibleText } from '../../../web/js/tokens/readout.js';

/** @typedef {object} Shown  A token as the server describes it.
 *  @property {number} id
 *  @property {string | null} text  null if its bytes are not text
 *  @property {string} hex  its first bytes
 *  @property {boolean} isSpecial
 *  @property {boolean} [isAdvert]  for adult videos or gambling; its text is veiled */

/** The name of a token; that of an advert is not its text. */
export const nameOf = (token) => (token.isAdvert ? tr('hidden (adult or gambling)') : spelled(token));

const spelled = ({ text, hex }) => (text === null ? hex || '–' : visibleText(text) || '∅');

/** Creates the chip of a token; the style sheet draws the text of an advert, if it is shown, or its veil. */
export function chip(token) {
  const color = token.id === null ? 'none' : `c${token.id % COLORS}`;
  const element = make('bdi', `chip ${color}`, token.isAdvert ? '' : nameOf(token));
  if (token.isAdvert) {
    element.classList.add('advert');
    Object.assign(element.dataset, { text: spelled(token), veil: nameOf(token) });
  }
  element.classList.toggle('hex', token.text === null);
  element.classList.toggle('special', Boolean(token.isSpecial));
  element.dir = token.text === null ? 'ltr' : 'auto';
  return element;
}

/** Creates a button with the chip and the id of a token, which calls `choose(id)`. */
export function tokenButton(token, choose) {
  const button = makeButton('kin', () => choose(token.id), chip(token), make('small', '', String(token.id)));
  button.ariaLabel = tr('{token}, id {id}', { token: nameOf(token), id: String(token.id) });
  return button;
}
