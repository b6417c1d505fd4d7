// The chosen token beside the table: facts, similar tokens, its merges, tokens that contain it.
import { make, makeButton } from '../../../web/js/dom/elements.js';
import { formatInteger } from '../../../web/js/tokens/readout.js';
import { tr } from '../../../web/js/dom/i18n.js';
import { chip, tokenButton } from './chip.js';

export class Detail {
  /** Draws into `element`; `choose(id)` selects another token, `loupe()` opens this one, `close()` deselects,
   *  `showScript(script)` filters by a script. */
  constructor(element, { choose, loupe, close, showScript }) {
    Object.assign(this, { element, choose, loupe, close, showScript });
  }

  empty(scripts) {
    const rows = scripts.map(({ script, words, count, tokens }) => {
      const name = makeButton(
        'script-of', () => this.showScript(script), words, ' ', make('small', '', formatInteger(count)),
      );
      name.title = tr('Show the tokens of this script, the longest first');
      return make('li', '', name, ...tokens.map((token) => this.tokenButton(token)));
    });
    this.element.replaceChildren(
      make('header', '', make('h2', '', tr('The longest tokens of each script'))),
      make(
        'p', 'hint',
        tr(
          'Choose a token to see its variants, the merges that make it, and the tokens that contain it, if there are ' +
            'any.',
        ),
      ),
      make('ul', 'scripts', ...rows),
    );
  }

  show(token) {
    const sections = [
      this.head(token), facts(token.facts), notes(token.notes), this.variants(token), this.parents(token),
      this.tree(token),
    ];
    this.element.replaceChildren(...sections.filter(Boolean));
    this.element.scrollTop = 0;
  }

  head(token) {
    const look = makeButton('look', this.loupe, tr('Open the loupe'));
    const close = Object.assign(makeButton('close', this.close, '✕'), {
      ariaLabel: tr('Close'), title: tr('Back to the longest tokens of each script'),
    });
    look.dataset.k = ''; // so that a click on it does not close the loupe
    return make(
      'header', '', make('h2', 'name', chip(token)), make('span', 'id', tr('id {id}', { id: String(token.id) })),
      look, close,
    );
  }

  // A button that selects another token; plain text if there is none.
  tokenButton(token) {
    if (token.id === null) return make('span', 'absent', chip(token), make('small', '', token.label));
    return tokenButton(token, this.choose);
  }

  variants({ variants }) {
    if (!variants.length) return null;
    const rows = variants.flatMap(([words, tokens]) => [
      make('dt', '', words), make('dd', '', ...tokens.map((token) => this.tokenButton(token))),
    ]);
    return make('section', 'variants', make('h3', '', tr('Variants')), make('dl', '', ...rows));
  }

  tree({ tree, noTree }) {
    if (!tree && !noTree) return null;
    const drawn = tree
      ? Object.assign(make('div', 'tree', make('ul', '', this.node(tree))), {
          dir: 'ltr', tabIndex: 0, role: 'region', ariaLabel: tr('Tree of merges'),
        })
      : make('p', 'hint', noTree);
    return make('section', 'merges', make('h3', '', tr('Tree of merges')), drawn);
  }

  node(node) {
    const { halves } = node;
    const item = make('li', halves.length || node.isCut ? '' : 'leaf', this.tokenButton(node), node.isCut ? ' …' : '');
    if (halves.length) item.append(make('ul', '', ...halves.map((half) => this.node(half))));
    return item;
  }

  parents({ parents: { total, tokens, words } }) {
    if (!words) return null;
    const list = make('div', 'many', ...tokens.map((token) => this.tokenButton(token)));
    if (total > tokens.length) list.append(make('small', '', tr('and {n} more', { n: total - tokens.length })));
    return make('section', 'parents', make('h3', '', words), list);
  }
}

function facts(rows) {
  return make(
    'dl', 'facts', ...rows.map(([term, value]) => make('div', '', make('dt', '', term), make('dd', '', value))),
  );
}

function notes(texts) {
  return texts.length ? make('div', 'notes', ...texts.map((text) => make('p', '', text))) : null;
}
