// Tokens of a text that nobody writes, to be looked at: what a reader would have read, but that the page brings it.
import { recolor } from '../../../kit/js/colors.js';
import { Document } from '../../../kit/js/document.js';
import { make } from '../../../kit/js/dom.js';
import { Door } from '../../../kit/js/door.js';
import { mount, Part } from '../../../kit/js/mount.js';
import { Pointing } from '../../../kit/js/pointing.js';
import { bytesOf } from '../../../kit/js/stretch.js';
import { TokensView } from '../../../kit/js/tokens-view.js';
import { question } from '../../../kit/js/wire.js';

const OTHERS = 'The encoder cuts this text into other tokens here, so no merges lead to this one.';
const NONE = { ids: new Uint32Array(), colors: new Uint8Array() };

/** One of the tokens. */
class Look extends Pointing {
  constructor(strip) {
    super(strip.$);
    this.strip = strip;
  }

  light(mark, reader, hit) {
    this.lights.set(mark, hit ? [{ elements: reader.tokens.elementsOf(hit.chunk, hit.k), from: hit.k, to: hit.k + 1 }] : []);
  }

  // The merges are those that the encoder makes; ids that somebody decodes may be others.
  async ask(reader, hit) {
    const story = await super.ask(reader, hit), { chunk, k } = hit;
    let at = 0;
    for (const [id, size] of story.merges?.tokens ?? []) {
      if (at === story.at && id === chunk.ids[k] && size === (story.size ?? chunk.ends[k] - chunk.starts[k])) return story;
      at += size;
    }
    return story.merges ? { ...story, merges: null, problem: OTHERS } : story;
  }

  whyOf(reader, hit) {
    return hit.chunk.kinds?.[hit.k] ? null : () => this.strip.askWhy(bytesOf(hit).from);
  }
}

export class Strip extends Part {
  constructor(root) {
    super(root);
    this.view = this.$('.tokens');
    this.pointing = new Look(this);
  }

  /** Takes what a rerun of the page says; the same again disturbs nothing. */
  update(component) {
    const { answer, ...data } = component.data, said = JSON.stringify(data);
    this.component = component;
    this.door ??= new Door(data.url);
    this.door.update(component, { silent: () => {} });
    if (said === this.said) return;
    Object.assign(this, { said, data });
    this.open(data);
  }

  open({ text, ids, starts, ends, kinds, encoding, lang, direction }) {
    const doc = new Document(), view = make('div', 'tokens');
    doc.cuts = false; // ids that somebody decodes may go over any cut
    const [chunk] = doc.edit(text).fresh;
    if (chunk) this.settle(doc, chunk, ...[ids, starts, ends, kinds].map((row) => Uint32Array.from(row)));
    this.pointing.unpin();
    this.pointing.leave();
    this.reader?.tokens.pages.close();
    this.view.replaceWith(view);
    Object.assign(view, { lang, dir: direction, tabIndex: 0, role: 'group', ariaRoleDescription: 'token view', ariaLabel: 'Tokens. Arrow keys move from token to token, Enter puts one under the loupe.' });
    this.view = view;
    this.reader = this.readerOf(doc, encoding);
    this.reader.tokens.replace([], doc.chunks, doc.chunks, true);
    this.pointing.watch(this.reader, this.reader.tokens);
    this.desk.classList.toggle('leftward', Boolean(chunk?.leftward));
    view.dataset.tokens = ids.length;
  }

  settle(doc, chunk, ids, starts, ends, kinds) {
    const { colors } = recolor(ids, NONE, -1, -1);
    doc.settle(chunk, { ids, starts, ends, kinds: kinds.some(Boolean) ? kinds : null, otherCount: 0, roundTrip: true }, colors);
    doc.number();
  }

  // What pointing and the loupe ask of a reader.
  readerOf(doc, encoding) {
    const specials = new Map(Object.entries(encoding.specials).map(([name, id]) => [id, name]));
    return {
      doc, encoding, specials, epoch: 0, held: null, tokens: new TokensView(this.view, () => ({ names: specials, withBytes: false })),
      ask: (name, chunks, more) => this.door.ask(name, { encoding: encoding.key, special: encoding.special, ...more }, question(chunks)),
    };
  }

  /** Turns to the page that tells why the text is cut at a byte. */
  askWhy(at) {
    this.component.setTriggerValue('why', { key: this.data.encoding.key, at, text: this.data.text });
  }

  leave() {
    this.pointing.unpin();
    this.reader?.tokens.pages.close();
    this.door?.close();
  }
}

export default mount(Strip);
