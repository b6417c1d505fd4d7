// The number of rows that a query of the vocabulary found, in words.
import { tr, trn } from '../../../web/js/dom/i18n.js';

/** Returns how many rows of the `whole` vocabulary's tokens were found; rows of the role "unused" are no tokens. */
export function totalInWords({ total, whole }, role) {
  if (role === 'unused') return tr('unused ids: {n}', { n: total });
  return total === whole ? trn('{n} token', '{n} tokens', total) : tr('{n} of {whole} tokens', { n: total, whole });
}
