// The line under the text: what went wrong, and what of the text is not read as it stands.
import { MOST_BYTES } from './reading.js';
import { grouped, setText } from './readout.js';

const SILENT = 'The server does not answer. What is shown is of an older text; yours is safe here, and goes on when the server is back.';

export class Notice {
  constructor(element) {
    this.element = element;
    this.problem = ''; // what went wrong, until the reader goes on
    this.facts = [];   // what is so of the text
    this.isAlert = false;
  }

  /** Says what went wrong, until the reader types again. */
  say(text) {
    this.problem = text;
    this.draw();
  }

  silent() {
    this.say(SILENT);
  }

  /** Says what is so of the text; `spelled` has sentences about special tokens. The server answered. */
  show({ tooLong, replaced }, spelled) {
    if (this.problem === SILENT) this.problem = '';
    this.facts = [tooLong && TOO_LONG, replaced && surrogates(replaced), ...spelled].filter(Boolean);
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

const TOO_LONG = `This text has over ${grouped(MOST_BYTES)} bytes, more than is tokenized at once. It stays in the box; the tokens are those of the text before. Shorten it to go on.`;

const surrogates = (n) => `${grouped(n)} lone surrogate${n === 1 ? '' : 's'} in this text cannot be written in UTF-8 and ${n === 1 ? 'counts' : 'count'} as U+FFFD (\ufffd).`;

/** The sentence about special tokens that the text spells, or null where it spells none. */
export function bothCounts({ special, name }, { tokens, otherCount }) {
  if (!otherCount) return null;
  const [asText, asSpecial] = special === 'text' ? [tokens, otherCount] : [otherCount, tokens];
  return `This text spells special tokens of ${name}: ${grouped(asText)} tokens if they are read as text, ${grouped(asSpecial)} as special tokens. Shown: as ${special === 'text' ? 'text' : 'special tokens'}.`;
}

/** What decoding the tokens of a document does not give back, in words. */
export function whatIsLost(doc, unknown) {
  const lost = doc.chunks.reduce((n, chunk) => n + chunk.ids.filter((id) => id === unknown).length, 0);
  if (!lost) return 'two special tokens of this text share an id, and decoding gives the other one’s name';
  return `${lost === 1 ? 'one character is' : `${grouped(lost)} characters are`} not in this vocabulary of characters; decoding gives \ufffd for them`;
}
