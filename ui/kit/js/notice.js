// The line under the text: what went wrong, and what of the text is not read as it stands.
import { SPECIAL, UNKNOWN } from './document.js';
import { counted, grouped, setText } from './readout.js';
import { LONG_CHUNK, MOST_BYTES } from './text.js';

const SILENT = 'The server is not answering. What you see is from an older text; yours is safe here, and will be read when the server is back.';

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

const TOO_LONG = `This text has over ${grouped(MOST_BYTES)} bytes, more than can be tokenized at once. It stays in the box, but the tokens are those of the text before. Shorten it to continue.`;

const surrogates = (n) => `${grouped(n)} lone surrogate${n === 1 ? '' : 's'} in this text cannot be written in UTF-8 and ${n === 1 ? 'counts' : 'count'} as U+FFFD (\ufffd).`;

/** The sentence about special tokens that the text spells, or null where it spells none. */
export function bothCounts({ special, name }, { tokens, otherCount }) {
  if (!otherCount) return null;
  const [asText, asSpecial] = special === 'text' ? [tokens, otherCount] : [otherCount, tokens];
  return `This text contains names of ${name}’s special tokens: ${counted(asText, 'token')} if they are read as text, ${grouped(asSpecial)} as special tokens. Shown: as ${special === 'text' ? 'text' : 'special tokens'}.`;
}

/** The sentence about a text that is read as a whole, where that makes tokens wait for a pause; else null. */
export function waits({ model }, { cuts, text }) {
  return cuts || text.length <= LONG_CHUNK ? null : `${model} reads a text as a whole: past ${grouped(LONG_CHUNK)} characters the tokens follow when you pause.`;
}

/** What decoding the tokens of a document does not give back, in words. */
export function whatIsLost({ chunks }) {
  const count = (kind) => chunks.reduce((n, { kinds }) => n + (kinds?.filter((one) => one === kind).length ?? 0), 0);
  const unknown = count(UNKNOWN), bytes = chunks.reduce((n, chunk) => n + chunk.numLost, 0), reasons = [];
  if (unknown) reasons.push(`${unknown === 1 ? 'one token is' : `${grouped(unknown)} tokens are`} unknown: the text ${unknown === 1 ? 'it stands' : 'they stand'} for is not in this vocabulary`);
  if (bytes) reasons.push(`${bytes === 1 ? 'one byte is' : `${grouped(bytes)} bytes are`} in no token`);
  if (reasons.length) return reasons.join(', and ');
  return count(SPECIAL) ? 'two special tokens of this text share an id, and decoding gives the other one’s name' : 'the text is changed before it is read';
}
