// The line under the text: errors, and how the tokenized text differs from the typed text.
import { SPECIAL, UNKNOWN } from './document.js';
import { formatInteger, setText } from '../tokens/readout.js';
import { LONG_CHUNK_UNITS, MAX_TEXT_BYTES } from './text.js';
import { tr, trn } from '../dom/i18n.js';

const SILENT = tr(
  'The server is not answering. What you see may belong to an older text. Your text is kept here and ' +
    'will be tokenized when the server is back.',
);

export class Notice {
  constructor(element, silent = SILENT) {
    this.element = element;
    this.silent = silent; // what it says while the server does not answer
    this.problem = ''; // the last error, until the next input
    this.facts = [];   // sentences about the text
    this.isAlert = false;
  }

  /** Shows an error until the next input. */
  showProblem(text) {
    this.problem = text;
    this.draw();
  }

  /** Shows that the server does not answer, or clears that message. */
  setSilent(isSilent) {
    if (isSilent) this.showProblem(this.silent); else this.withdraw(this.silent);
  }

  /** Hides an error if it is the one that is shown. */
  withdraw(text) {
    if (text && this.problem === text) this.showProblem('');
  }

  /** Shows facts about the text, and notes, of which some may be null. */
  show({ tooLong, replaced }, notes) {
    this.facts = [tooLong && TOO_LONG, replaced && surrogateNote(replaced), ...notes].filter(Boolean);
    this.isAlert = tooLong;
    this.draw();
  }

  draw() {
    const lines = this.problem ? [this.problem, ...this.facts] : this.facts;
    this.element.hidden = !lines.length;
    this.element.classList.toggle('alert', Boolean(this.problem || this.isAlert));
    setText(this.element, lines.join(' '));
  }
}

const TOO_LONG = tr(
  'This text has over {most} bytes, too many to tokenize at once. The text stays in the box, but the tokens shown' +
    ' belong to the previous text. Shorten the text to continue.',
  { most: MAX_TEXT_BYTES },
);

const surrogateNote = (n) =>
  trn(
    '{n} lone surrogate (half of a UTF-16 character) in this text cannot be written in UTF-8 and counts as U+FFFD (�).',
    '{n} lone surrogates (halves of UTF-16 characters) in this text cannot be written in UTF-8 and count as ' +
      'U+FFFD (�).', n,
  );

/** Returns the sentence about special tokens that the text spells, or null. */
export function specialTokenNote({ special, name }, { tokens, otherCount }) {
  if (!otherCount) return null;
  const [asText, asSpecial, shown] =
    special === 'text'
      ? [tokens, otherCount, tr('These names are now read as text.')]
      : [otherCount, tokens, tr('These names are now read as special tokens.')];
  const counts = trn(
    'This text contains names of {name}’s special tokens. The whole text has {n} token if these names are read as ' +
      'text, and {special} if they are read as special tokens.',
    'This text contains names of {name}’s special tokens. The whole text has {n} tokens if these names are read as ' +
      'text, and {special} if they are read as special tokens.',
    asText, { name, special: asSpecial },
  );
  return `${counts} ${shown}`;
}

/** Returns one sentence for several encodings about special tokens that the text spells; `readings` are the arguments
 *  of `specialTokenNote`. Null if no encoding has such a token. */
export function specialTokenNotes(readings) {
  const found = readings.filter(([, counts]) => counts?.otherCount);
  if (found.length < 2) return found.length ? specialTokenNote(...found[0]) : null;
  const counts = found.map(([{ name }, { otherCount }]) => `${name}: ${formatInteger(otherCount)}`).join(', ');
  return found[0][0].special === 'text'
    ? tr(
        'This text contains names of special tokens, which are now read as text. Tokens if they are read as special ' +
          'tokens: {counts}.',
        { counts },
      )
    : tr(
        'This text contains names of special tokens, which are now read as special tokens. Tokens if they are read ' +
          'as text: {counts}.',
        { counts },
      );
}

/** Returns the sentence about a text that cannot be chunked, whose tokens wait for a pause in typing; else null. */
export function pauseNote({ model }, { hasSafeCuts, text }) {
  return hasSafeCuts || text.length <= LONG_CHUNK_UNITS
    ? null
    : tr(
        '{model} tokenizes a text as a whole: above {most} characters, the tokens are updated only when you stop ' +
          'typing.',
        { model, most: LONG_CHUNK_UNITS },
      );
}

/** Returns sentences about what decoding the tokens does not restore. */
export function lossReason({ chunks }) {
  const count = (kind) => chunks.reduce((n, { kinds }) => n + (kinds?.filter((one) => one === kind).length ?? 0), 0);
  const unknown = count(UNKNOWN), bytes = chunks.reduce((n, chunk) => n + chunk.numLost, 0);
  const one =
    unknown &&
    trn(
      'one token is unknown: the text it stands for is not in this vocabulary',
      '{n} tokens are unknown: the text they stand for is not in this vocabulary', unknown,
    );
  const other = bytes && trn('one byte is not in any token', '{n} bytes are not in any token', bytes);
  if (one && other) return tr('{one}, and {other}', { one, other });
  if (one || other) return one || other;
  return count(SPECIAL)
    ? tr(
        'the tokenizer changes the text before the text is encoded or when the ids are decoded, or a special token ' +
          'has the same id as another token',
      )
    : tr('the tokenizer changes the text before the text is encoded, or when the ids are decoded');
}
