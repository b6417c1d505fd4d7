// The take-home page: the app's components, with the answers of the server stored in the page.
import { setText, summary } from '../../../../ui/components/js/tokens/readout.js';
import { firstWhere } from '../../../../ui/components/js/dom/binary-search.js';
import { fromBase64 } from '../../../../ui/components/js/net/wire-format.js';
import { tr } from '../../../../ui/components/js/dom/i18n.js';

/** Replaces EditorClient: answers from the stored data. */
class StoredAnswers {
  /** `pieces` are rows of start, end, and indexes into `values`. */
  constructor({ answers, pieces }, values) {
    Object.assign(this, { answers, pieces, values });
  }

  async ask(name, { at }) {
    return name === 'loupe'
      ? new TextEncoder().encode(JSON.stringify(this.piece(Number(at))))
      : fromBase64(this.answers[name]).buffer;
  }

  piece(at) {
    const [start, end, ...indices] = this.pieces[firstWhere(this.pieces.length, (i) => this.pieces[i][0] > at) - 1];
    return Object.assign({ start, end }, ...indices.map((index) => this.values[index]));
  }

  update() {}

  close() {}
}

/** Mounts each of the `parts` in its place, and describes the token under the pointer below the tokens. */
export default function open(parts) {
  const { parts: stored, values } = JSON.parse(document.querySelector('#data').textContent);
  addEventListener('tokenloupe-token', ({ detail }) =>
    setText(
      document.querySelector('.reads'),
      tr('{token}, bytes {bytes}', { token: summary(detail), bytes: detail.bytes }),
    ),
  );
  addEventListener('beforeprint', () => { document.querySelector('details').open = true; });
  for (const place of document.querySelectorAll('[data-part]')) {
    const { data, ...answers } = stored[place.dataset.part];
    parts[place.dataset.part]({ parentElement: place.shadowRoot, data, client: new StoredAnswers(answers, values) });
  }
}
