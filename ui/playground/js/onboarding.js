// First visit: counts for each line of the sample text, and three suggestions, until the visitor changes the text.
import { make } from '../../components/js/dom/elements.js';
import { fixed, grouped, setText } from '../../components/js/tokens/readout.js';
import { decodeTokens } from '../../components/js/net/wire-format.js';
import { tr } from '../../components/js/dom/i18n.js';

const utf8 = new TextEncoder();

export class Onboarding {
  constructor(editor) {
    this.editor = editor;
    const { area } = editor.writing;
    area.addEventListener('focus', () => { if (this.isShown) area.select(); }); // the first input replaces the sample
  }

  /** `lines` are { name, text }; together they are the sample text. */
  use(lines) {
    if (this.lines) return;
    this.lines = lines;
    this.text = lines.map(({ text }) => text).join('\n');
    this.places = lines.map(({ name }, i) => {
      const count = make('dd', '', '–'), times = make('span', 'times');
      this.editor
        .$('.counts')
        .append(make('div', 'each', count, make('dt', '', tr('tokens in {language}', { language: name }), times)));
      return { count, times: i ? times : null };
    });
  }

  get isShown() {
    return this.editor.writing.raw === this.text;
  }

  /** Runs after tokens have arrived, for this text or another. */
  async settled() {
    const { desk, reader } = this.editor, { isShown } = this;
    desk.classList.toggle('arriving', isShown);
    if (!isShown || this.counted === reader.encoding) return;
    const { encoding } = reader;
    const texts = this.lines.map(({ text }) => ({ bytes: utf8.encode(text) }));
    const answer = await reader.ask('tokens', texts).catch(() => null);
    if (!answer || encoding !== reader.encoding) return;
    this.counted = encoding;
    const counts = decodeTokens(answer)[1].map(({ ends }) => ends.length);
    this.places.forEach(({ count, times }, i) => {
      setText(count, grouped(counts[i]));
      if (!times) return;
      const facts = { times: fixed(counts[i] / counts[0], 1), language: this.lines[0].name };
      setText(times, `, ${tr('{times} times {language}', facts)}`);
    });
  }
}
