// Lists suspicious tokens by group, as the server finds them.
import { make, makeButton } from '../../../web/js/dom/elements.js';
import { formatInteger } from '../../../web/js/tokens/readout.js';
import { mark, tr } from '../../../web/js/dom/i18n.js';
import { tokenButton } from './chip.js';

const DESCRIPTIONS = {
  unreachable: mark(
    'The text of each of these tokens is encoded as other tokens. Some of these tokens may still occur in longer ' +
      'texts.',
  ),
  parts: mark('The bytes of these tokens are not whole characters, so the tokens alone are not valid text.'),
  inside: mark(
    'In our sample texts, these tokens were always merged into longer tokens. In other texts, some may remain.',
  ),
  suspicious: mark(
    'Simple rules find these tokens by their text alone. The rules may find harmless tokens and miss suspicious ones.',
  ),
};

const NONE = mark('Every ordinary token that is valid text is reachable: its text, when encoded, gives that token.');

export class Anomalies {
  /** Draws into `element`; `choose(id)` selects a token, `show(group)` shows a group in the table. */
  constructor(element, { choose, show }) {
    Object.assign(this, { groups: element.querySelector('.groups'), choose, show, epoch: 0, isFilled: true });
  }

  /** Sets the groups and their names, without contents. */
  empty(words) {
    Object.assign(this, { isFilled: false, epoch: this.epoch + 1, words });
    this.groups.replaceChildren(...Object.keys(words).map((name) => this.card(name)));
  }

  /** Loads the groups one after the other; `ask(group)` resolves to { total, tokens }. */
  async fill(ask) {
    if (this.isFilled) return;
    this.isFilled = true;
    const { epoch } = this;
    for (const name of Object.keys(this.words)) {
      const found = await ask(name).catch(({ message }) => ({ problem: message }));
      if (epoch !== this.epoch) return;
      this.groups.querySelector(`[data-group="${name}"]`).replaceWith(this.card(name, found));
    }
  }

  card(name, found = null) {
    const count = make('b', 'count', found?.total === undefined ? '…' : formatInteger(found.total));
    const card = make(
      'article', 'group', make('h3', '', count, ' ', this.words[name]),
      make('p', '', found?.problem ?? tr(name === 'unreachable' && found?.total === 0 ? NONE : DESCRIPTIONS[name])),
    );
    card.dataset.group = name;
    if (!found?.total) return card;
    const reasons = found.reasons.map(([n, words]) => make('li', '', make('b', '', formatInteger(n)), ` ${words}`));
    if (reasons.length) card.append(make('ul', 'reasons', ...reasons));
    for (const rule of found.rules) card.append(this.rule(rule));
    if (found.tokens.length) card.append(make('ul', 'some', ...found.tokens.map((token) => this.tokenItem(token))));
    card.append(makeButton('all', () => this.show(name), tr('Show all in the table')));
    return card;
  }

  // The results of one of several rules.
  rule({ name, description, total, tokens }) {
    const head = makeButton('by-rule', () => this.show(name), make('b', '', formatInteger(total)), ' ', description);
    head.title = tr('Show all in the table');
    return make('div', 'rule', head, make('ul', 'some', ...tokens.map((token) => this.tokenItem(token))));
  }

  tokenItem(token) {
    const item = make('li', token.reasons ? 'explained' : '', tokenButton(token, this.choose));
    if (token.reasons) item.append(make('span', '', token.reasons.join(' ')));
    return item;
  }
}
