// Two texts under one encoding: each with its tokens, and how far apart their numbers are.
import { tabState, updateTab } from '../../../../web/js/editor/tab-state.js';
import { inDocument } from '../../../../web/js/dom/document-state.js';
import { make } from '../../../../web/js/dom/elements.js';
import { mount } from '../../../../web/js/dom/component.js';
import { TokenPointer } from '../../../../web/js/tokens/token-pointer.js';
import { specialTokenNote } from '../../../../web/js/editor/notice.js';
import { TokenizedText } from '../../../../web/js/tokens/tokenized-text.js';
import { countDocument, formatDecimal, formatInteger, setText } from '../../../../web/js/tokens/readout.js';
import { EditableText } from '../../../../web/js/editor/editable-text.js';
import { History } from '../../../../web/js/editor/history.js';
import { byteRange } from '../../../../web/js/tokens/byte-ranges.js';
import { TextComponent } from '../../../../web/js/editor/text-component.js';
import { tr, trn } from '../../../../web/js/dom/i18n.js';

const ROWS = { tokens: tr('tokens'), characters: tr('characters (code points)'), bytes: tr('bytes in UTF-8') };

/** The second text. Only this tab stores it; the server does not. */
export class SecondText extends EditableText {
  constructor(area, notice, onChange) {
    super(area, notice, onChange, inDocument('secondHistory', () => new History()));
    this.setText(tabState().second ?? '');
  }

  /** Shows a text that the page gives, once, or undoes the last one, unless it was edited since. */
  receive(push) {
    if (!push || push.id === tabState().secondPush) return;
    updateTab({ secondPush: push.id });
    const replaced = inDocument('replacedSecond', () => ({})); // until a reload, like the undo of the server
    if (!push.undo) {
      if (this.raw !== replaced.given) replaced.before = this.raw;
      this.replace(replaced.given = push.text);
    } else if (this.raw === replaced.given) this.replace(replaced.before);
  }

  replace(text) {
    this.endComposition();
    this.history.record(this.raw, text);
    this.setText(text);
    this.onEdit();
  }

  onEdit() {
    updateTab({ second: this.raw });
  }
}

class EitherTextPointer extends TokenPointer {
  constructor(texts) {
    super(texts.$);
    this.texts = texts;
    for (const tokenized of texts.tokenizedTexts) this.watch(tokenized, tokenized.tokens);
  }

  // The page Why explains the server's text, which is the first.
  whyOf(tokenized, hit) {
    if (tokenized !== this.texts.tokenizedTexts[0]) return null;
    return () => this.texts.askWhy(tokenized.encoding.key, byteRange(hit).from);
  }
}

export class Texts extends TextComponent {
  constructor(root) {
    super(root);
    const [one, other] = root.querySelectorAll('.pane');
    const onChange = () => this.tokenizedTexts?.[1].requestMissing();
    this.second = new SecondText(other.querySelector('textarea'), this.notice, onChange);
    this.tokenizedTexts = [[one, this.textEditor], [other, this.second]].map(([pane, textEditor]) => (
      // the host of each is this component with another text
      new TokenizedText(pane.querySelector('.tokens'), pane, Object.assign(Object.create(this), { textEditor }))));
    this.pointer = new EitherTextPointer(this);
    for (const { host } of this.tokenizedTexts) host.pointer = this.pointer;
  }

  applyData({ encoding, second }) {
    const changed = this.tokenizedTexts.filter((tokenized) => tokenized.setEncoding(encoding));
    this.second.receive(second);
    if (changed.length) this.pointer.unpin();
    return changed;
  }

  linkExtras() {
    return { ...super.linkExtras(), ...(this.second.raw && { second: this.second.reading.text }) };
  }

  onEdit() {
    this.desk.classList.add('unsure');
  }

  destroy() {
    this.second.endComposition();
    super.destroy();
  }

  onSettled() {
    this.pointer.onSettled();
    const counts = this.tokenizedTexts.map(({ doc }) => countDocument(doc)), { encoding } = this.tokenizedTexts[0];
    const notes = counts
      .map((own) => specialTokenNote(encoding, own))
      .map((words, i) => words && (i ? tr('Second text: {words}', { words }) : tr('First text: {words}', { words })));
    this.notice.show(this.second.reading.tooLong ? this.second.reading : this.textEditor.reading, notes);
    if (this.tokenizedTexts.some(({ isStale }) => isStale)) return;
    this.desk.classList.remove('unsure');
    setText(this.$('.finding'), findingOf(...counts.map(({ tokens }) => tokens)));
    this.desk
      .querySelector('tbody')
      .replaceChildren(...Object.entries(ROWS).map(([name, words]) => row(words, ...counts.map((own) => own[name]))));
  }
}

// Returns which text costs how many times the tokens of the other; a ratio near 1 gets the decimals that show it.
function findingOf(first, second) {
  if (!first || !second) return tr('Type both texts to compare their tokens.');
  const most = Math.max(first, second), least = Math.min(first, second);
  if (most === least)
    return trn(
      'Both texts cost the same: {n} token each.', 'Both texts cost the same: {n} tokens each.', most,
      { n: formatInteger(most) },
    );
  const digits = Math.max(1, Math.ceil(-Math.log10(most / least - 1)));
  const facts = { times: formatDecimal(most / least, digits), n: formatInteger(most), least: formatInteger(least) };
  return second > first
    ? tr('The second text costs {times} times the first: {n} tokens instead of {least}.', facts)
    : tr('The first text costs {times} times the second: {n} tokens instead of {least}.', facts);
}

function row(words, first, second) {
  const difference = `${second < first ? '−' : second > first ? '+' : ''}${formatInteger(Math.abs(second - first))}`;
  const compared = first && second ? [difference, formatDecimal(second / first)] : ['–', '–'];
  const numbers = [formatInteger(first), formatInteger(second), ...compared];
  return make(
    'tr', '', Object.assign(make('th', '', words), { scope: 'row' }),
    ...numbers.map((text) => make('td', '', text)),
  );
}

export default mount(Texts);
