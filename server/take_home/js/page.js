// The page that is taken home: the components of the app, and in the page itself what they would ask a server.
import { setText, summary } from '../../../ui/components/js/tokens/readout.js';
import { firstWhere } from '../../../ui/components/js/dom/binary-search.js';
import { fromBase64 } from '../../../ui/components/js/net/wire-format.js';
import { tr } from '../../../ui/components/js/dom/i18n.js';

/** Answers as a door does, from what the page brought. */
class Kept {
  /** `pieces` are where a piece of the text begins and ends, and of each thing that is told of it which of the
   *  `values` it is. */
  constructor({ answers, pieces }, values) {
    Object.assign(this, { answers, pieces, values });
  }

  async ask(name, { at }) {
    return name === 'loupe'
      ? new TextEncoder().encode(JSON.stringify(this.piece(Number(at))))
      : fromBase64(this.answers[name]).buffer;
  }

  piece(at) {
    const [start, end, ...told] = this.pieces[firstWhere(this.pieces.length, (i) => this.pieces[i][0] > at) - 1];
    return Object.assign({ start, end }, ...told.map((place) => this.values[place]));
  }

  update() {}

  close() {}
}

/** Draws each of the `parts` in its place, and says below the tokens which one is meant. */
export default function open(parts) {
  const { told, values } = JSON.parse(document.querySelector('#told').textContent);
  addEventListener('tokenloupe-token', ({ detail }) =>
    setText(
      document.querySelector('.reads'),
      tr('{token}, bytes {bytes}', { token: summary(detail), bytes: detail.bytes }),
    ),
  );
  addEventListener('beforeprint', () => { document.querySelector('details').open = true; });
  for (const place of document.querySelectorAll('[data-part]')) {
    const { data, ...kept } = told[place.dataset.part];
    parts[place.dataset.part]({ parentElement: place.shadowRoot, data, door: new Kept(kept, values) });
  }
}
