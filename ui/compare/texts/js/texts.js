// Two texts under one encoding: each with its tokens, and how far apart their numbers are.
import { tabState, updateTab } from '../../../components/js/editor/tab-state.js';
import { inDocument } from '../../../components/js/dom/document-state.js';
import { make } from '../../../components/js/dom/elements.js';
import { mount } from '../../../components/js/dom/component.js';
import { TokenPointer } from '../../../components/js/tokens/token-pointer.js';
import { bothCounts } from '../../../components/js/editor/notice.js';
import { TokenizedText } from '../../../components/js/tokens/tokenized-text.js';
import { countDocument, fixed, grouped } from '../../../components/js/tokens/readout.js';
import { rawAfterEdit, readingOf, shown } from '../../../components/js/editor/text.js';
import { byteRange } from '../../../components/js/tokens/byte-ranges.js';
import { TextComponent } from '../../../components/js/editor/text-component.js';
import { tr } from '../../../components/js/dom/i18n.js';

const ROWS = { tokens: tr('tokens'), characters: tr('characters (code points)'), bytes: tr('bytes in UTF-8') };

/** The second text: this tab keeps it, and no desk of the server's. */
class Second {
  constructor(area, onChange) {
    Object.assign(this, { area, onChange });
    this.put(tabState().second ?? '');
    area.addEventListener('input', () => this.put(rawAfterEdit(this.raw, area.value)));
  }

  /** Takes a text that the page gives, once; or takes back the last one, unless it was edited since. */
  receive(push) {
    if (!push || push.id === tabState().secondPush) return;
    updateTab({ secondPush: push.id });
    const replaced = inDocument('replacedSecond', () => ({})); // until a reload, as the server's desk has it
    if (!push.undo) {
      if (this.raw !== replaced.given) replaced.before = this.raw;
      this.put(replaced.given = push.text);
    } else if (this.raw === replaced.given) this.put(replaced.before);
  }

  put(raw) {
    updateTab({ second: raw });
    Object.assign(this, { raw, reading: readingOf(raw) });
    if (this.area.value !== shown(raw)) this.area.value = shown(raw);
    this.onChange();
  }
}

/** A token of either text. */
class EitherTextPointer extends TokenPointer {
  constructor(texts) {
    super(texts.$);
    this.texts = texts;
    for (const reader of texts.readers) this.watch(reader, reader.tokens);
  }

  // The page that tells more looks at the desk's text, which is the first.
  whyOf(reader, hit) {
    return reader === this.texts.readers[0] ? () => this.texts.askWhy(reader.encoding.key, byteRange(hit).from) : null;
  }
}

export class Texts extends TextComponent {
  constructor(root) {
    super(root);
    const [one, other] = root.querySelectorAll('.pane');
    this.second = new Second(other.querySelector('textarea'), () => this.readers?.[1].pump());
    this.readers = [[one, this.writing], [other, this.second]].map(([pane, writing]) => (
      // a reader's host is this, but for the text
      new TokenizedText(pane.querySelector('.tokens'), pane, Object.assign(Object.create(this), { writing }))));
    this.pointing = new EitherTextPointer(this);
    for (const { host } of this.readers) host.pointing = this.pointing;
  }

  take({ encoding, second }) {
    const changed = this.readers.filter((reader) => reader.use(encoding));
    this.second.receive(second);
    if (changed.length) this.pointing.unpin();
    return changed;
  }

  more() {
    return { ...super.more(), ...(this.second.raw && { second: this.second.reading.text }) };
  }

  edited() {
    this.desk.classList.add('unsure');
  }

  settled() {
    this.pointing.settled();
    const counts = this.readers.map(({ doc }) => countDocument(doc)), { encoding } = this.readers[0];
    const spelled = counts
      .map((own) => bothCounts(encoding, own))
      .map((words, i) => words && (i ? tr('Second text: {words}', { words }) : tr('First text: {words}', { words })));
    this.notice.show(this.second.reading.tooLong ? this.second.reading : this.writing.reading, spelled);
    if (this.readers.some(({ isStale }) => isStale)) return;
    this.desk.classList.remove('unsure');
    this.desk
      .querySelector('tbody')
      .replaceChildren(...Object.entries(ROWS).map(([name, words]) => row(words, ...counts.map((own) => own[name]))));
  }
}

function row(words, first, second) {
  const difference = `${second < first ? '−' : second > first ? '+' : ''}${grouped(Math.abs(second - first))}`;
  const numbers = [grouped(first), grouped(second), difference, first ? fixed(second / first) : '–'];
  return make(
    'tr', '', Object.assign(make('th', '', words), { scope: 'row' }),
    ...numbers.map((text) => make('td', '', text)),
  );
}

export default mount(Texts);
