// First visit: counts for each line of the sample text, and three suggestions, until the visitor changes the text.
import { make } from '../../components/js/dom/elements.js';
import { formatDecimal, formatInteger, setText } from '../../components/js/tokens/readout.js';
import { decodeTokens } from '../../components/js/net/wire-format.js';
import { tr } from '../../components/js/dom/i18n.js';

const utf8 = new TextEncoder();

export class Onboarding {
  constructor(editor) {
    this.editor = editor;
    const { area } = editor.textEditor;
    area.addEventListener('focus', () => { if (this.isShown) area.select(); }); // the first input replaces the sample
  }

  /** `lines` are { name, text }; together they are the sample text. */
  setLines(lines) {
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
    return this.editor.textEditor.raw === this.text;
  }

  /** Runs after tokens have arrived, for this text or another. */
  async onSettled() {
    const { desk, tokenized } = this.editor, { isShown } = this;
    desk.classList.toggle('arriving', isShown);
    if (!isShown || this.counted === tokenized.encoding) return;
    const { encoding } = tokenized;
    const texts = this.lines.map(({ text }) => ({ bytes: utf8.encode(text) }));
    const answer = await tokenized.ask('tokens', texts).catch(() => null);
    if (!answer || encoding !== tokenized.encoding) return;
    this.counted = encoding;
    const counts = decodeTokens(answer)[1].map(({ ends }) => ends.length);
    this.places.forEach(({ count, times }, i) => {
      setText(count, formatInteger(counts[i]));
      if (!times) return;
      const facts = { times: formatDecimal(counts[i] / counts[0], 1), language: this.lines[0].name };
      setText(times, `, ${tr('{times} times as many as {language}', facts)}`);
    });
  }
}
