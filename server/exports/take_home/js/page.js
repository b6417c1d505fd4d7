// The take-home page: the app's components, with the answers of the server stored in the page.
import { setText, showCounts, summary } from '../../../../web/js/tokens/readout.js';
import { firstWhere } from '../../../../web/js/dom/binary-search.js';
import { fromBase64 } from '../../../../web/js/net/wire-format.js';
import { tr, trn } from '../../../../web/js/dom/i18n.js';

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

const NO_COUNTS = { tokens: '–', characters: '–', graphemes: '–', words: '–', bytes: '–' };

/** Shows the counts of a changed text in an encoding; null if it could not be encoded. */
function onCounts(counts, name) {
  const title = counts ? trn('{n} token in {name}', '{n} tokens in {name}', counts.tokens, { name }) : name;
  setText(document.querySelector('h1'), title);
  document.title = title;
  showCounts(document, counts ?? NO_COUNTS);
  setText(document.querySelector('.reads'), ''); // a token of an older text
}

/** Mounts each of the `parts` in its place, and describes the token under the pointer below the tokens. */
export default function open(parts) {
  const { parts: stored, values } = JSON.parse(document.querySelector('#data').textContent);
  const reads = document.querySelector('.reads'); // the page for a frame has none
  if (reads) addEventListener('tokenloupe-token', ({ detail }) =>
    setText(reads, tr('{token}, bytes {bytes}', { token: summary(detail), bytes: detail.bytes })),
  );
  addEventListener('tokenloupe-counts', ({ detail }) => onCounts(detail, stored.editor.data.encoding.name));
  addEventListener('beforeprint', () => document.querySelector('details')?.setAttribute('open', ''));
  for (const place of document.querySelectorAll('[data-part]')) {
    const { data, ...answers } = stored[place.dataset.part];
    parts[place.dataset.part]({ parentElement: place.shadowRoot, data, client: new StoredAnswers(answers, values) });
  }
}
