// The live editor: what is typed goes into the document, its tokens come through the door, the views show them.
import { Actions } from './actions.js';
import { recolor } from './colors.js';
import { kept, keep, save } from './desk.js';
import { Document } from './document.js';
import { Door, Refused } from './door.js';
import { Focus } from './focus.js';
import { IdsView } from './ids-view.js';
import { textFrom } from './link.js';
import { countDocument, grouped, setText, showCounts } from './readout.js';
import { rawAfterEdit, shown, wellFormed } from './text.js';
import { TokensView } from './tokens-view.js';
import { question, rows, share } from './wire.js';

const FIRST_BATCH = 20_000; // UTF-16 units: small, so that the first screen has its colours soon
const BATCH = 150_000;
const COMMIT_AFTER = 700;   // ms without a key until the server's desk hears of the text
const UNITS_AFTER = 120;    // ms without a key until graphemes and words are counted
const FADE_AFTER = 1500;    // ms until what is shown of an older text looks old
const LONG_CHUNK = 20_000;  // a chunk of this many units waits for a pause before it is sent
const PAUSE = 150;
const QUICK_PASTE = 60_000; // longer pastes bypass the browser's own, which takes seconds for a megabyte
const MOST_BYTES = 5_000_000;

const SILENT = 'The server does not answer. What is shown is of an older text; yours is safe here, and goes on when the server is back.';

const utf8Size = (text) => (text.length * 3 <= MOST_BYTES ? text.length : new TextEncoder().encode(text).length);

export class Editor {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.area = this.$('textarea');
    this.view = this.$('.tokens');
    this.doc = new Document();
    this.raw = '';        // the text as it is, with its own line ends
    this.encoding = null; // what the page says of the encoding, once it is known
    this.epoch = 0;       // grows when the encoding changes: answers for an older one are dropped
    this.gone = [];       // chunks still on screen whose text is gone; they go when the new tokens come
    this.problem = '';    // what went wrong, until the reader goes on
    this.tokens = new TokensView(this.view, () => ({ isSpecial: (id) => this.specials.has(id), withBytes: this.actions.isOn('bytes') }));
    this.tokens.text = () => this.doc.text;
    this.ids = new IdsView(this.$('.ids'));
    this.focus = new Focus(this);
    this.actions = new Actions(this);
    this.window = new AbortController(); // ends what listens to the window when the editor goes
    this.listen();
  }

  // ---- from the page ----

  /** Takes what a rerun of the page says; `component` is Streamlit's, new every time. */
  update(component) {
    const { data } = component;
    this.component = component;
    this.door ??= new Door(data.url);
    this.door.send = (ask) => this.component.setTriggerValue('ask', ask);
    this.door.receive(data.answer);
    this.door.silent = () => this.say(SILENT);
    const first = this.encoding === null, changed = JSON.stringify(data.encoding) !== JSON.stringify(this.encoding);
    if (changed) this.changeEncoding(data.encoding);
    if (first) this.open(data.push);
    else if (data.push.id !== kept().push) this.meet(data.push);
    else if (changed) this.pump();
  }

  changeEncoding(encoding) {
    this.encoding = encoding;
    this.specials = new Map(Object.entries(encoding.specials).map(([name, id]) => [id, name]));
    this.epoch++;
    this.gone.push(...this.doc.restart(encoding.cuts).gone);
    this.focus.unpin();
    this.markStale();
    setText(this.$('.badge .name'), encoding.name);
    setText(this.$('.badge .table'), `rank table sha256 ${encoding.hash.slice(0, 8)}…`);
    this.$('.badge .table').title = encoding.hash;
  }

  // A link's text comes first, then what this tab held before, then what the server offers.
  async open(push) {
    const desk = kept(), fromLink = await this.linkedText();
    if (fromLink !== null) return this.show(fromLink, push.id, push.text);
    if (desk.text !== null && (push.initial || push.id === desk.push)) return this.show(desk.text, push.id, push.text);
    return this.show(push.text, push.id, push.text);
  }

  show(text, pushId, known) {
    this.committed = known;
    this.setText(text);
    keep({ text, push: pushId });
    if (text !== known) this.commit();
  }

  // A text from the page; or, after a server came back without our session, its first one: then ours stands, and the server hears of it.
  meet(push) {
    if (!push.initial) return this.take(push);
    keep({ push: push.id });
    this.committed = push.text;
    this.commit();
  }

  take(push) {
    this.commit(); // what was typed since the last commit is what "undo" brings back
    clearTimeout(this.commitTimer);
    this.committed = push.text;
    this.setText(push.text);
    keep({ text: push.text, push: push.id });
  }

  async linkedText() {
    if (!location.hash.includes('v=')) return null;
    try {
      return await textFrom(location.hash);
    } catch (error) {
      this.say(error.message);
      return null;
    }
  }

  async followLink() {
    const text = await this.linkedText();
    if (text === null) return;
    this.setText(text);
    this.changed();
  }

  setText(text) {
    this.raw = text;
    this.area.value = shown(text);
    this.pump();
  }

  // ---- from the reader ----

  listen() {
    this.area.addEventListener('input', () => this.typed());
    this.area.addEventListener('paste', (event) => this.paste(event));
    this.area.addEventListener('keydown', (event) => this.undoPaste(event));
    const { signal } = this.window;
    addEventListener('pagehide', save, { signal });
    addEventListener('pointerdown', () => this.holdCommit(), { signal, capture: true });
    addEventListener('hashchange', () => this.followLink(), { signal });
  }

  typed() {
    const before = this.raw;
    this.problem = '';
    this.raw = rawAfterEdit(this.raw, this.area.value, this.pasted ?? null);
    this.pasted = null;
    if (this.raw === before) return;
    if (location.hash.includes('v=')) history.replaceState(history.state, '', location.pathname + location.search); // the link's text is no longer what stands here
    this.changed();
    this.pump();
  }

  changed() {
    keep({ text: this.raw });
    this.commitSoon();
  }

  commitSoon() {
    clearTimeout(this.commitTimer);
    this.commitTimer = setTimeout(() => this.commit(), COMMIT_AFTER);
  }

  // A click may be on the menu, and a commit that crosses a page change turns the page back: whoever clicks has a moment first.
  holdCommit() {
    if (this.raw !== this.committed) this.commitSoon();
  }

  paste(event) {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    this.pasted = text.includes('\r') ? text : null;
    setTimeout(() => { this.pasted = null; }); // the input event comes before this, or never
    if (text.length < QUICK_PASTE) return; // the browser's own, which can be undone
    event.preventDefault();
    const before = this.raw;
    this.area.setRangeText(shown(text), this.area.selectionStart, this.area.selectionEnd, 'end');
    this.area.dispatchEvent(new Event('input', { bubbles: true }));
    this.unpasted = { before, after: this.raw };
  }

  // The browser cannot undo a paste that bypassed it, so we do.
  undoPaste(event) {
    const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z';
    if (!isUndo || this.raw !== this.unpasted?.after) return;
    event.preventDefault();
    this.setText(this.unpasted.before);
    this.unpasted = null;
    this.changed();
  }

  commit() {
    if (this.raw === this.committed || this.tooLong) return;
    this.committed = this.raw;
    this.component.setTriggerValue('commit', { text: wellFormed(this.raw), push: kept().push });
  }

  // ---- tokens ----

  /** Brings the document up to the text, one question at a time; what is typed meanwhile waits for the answer and goes next. */
  async pump() {
    if (this.busy) return;
    this.busy = true;
    try {
      while (await this.step());
    } catch (error) {
      this.say(error instanceof Refused ? error.message : `The tokens could not be fetched (${error.message}). Your text is safe; it is tried again as you type.`);
    } finally {
      this.busy = false;
    }
  }

  async step() {
    let batch = this.nextBatch();
    if (batch[0]?.text.length > LONG_CHUNK) {
      await this.pause();
      batch = this.nextBatch();
    }
    if (batch.length) await this.fetch(batch);
    else this.settle();
    return batch.length > 0 || (wellFormed(this.raw) !== this.doc.text && !this.tooLong);
  }

  nextBatch() {
    const fresh = this.takeEdit();
    return this.doc.waiting(this.drawn ? BATCH : FIRST_BATCH, fresh[0]);
  }

  // A long chunk is sent when the typing pauses, not on every key.
  async pause() {
    let before;
    do {
      before = this.raw;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    } while (this.raw !== before);
  }

  takeEdit() {
    const text = wellFormed(this.raw);
    this.tooLong = utf8Size(text) > MOST_BYTES;
    this.replaced = text === this.raw ? 0 : countDifferent(text, this.raw);
    if (this.tooLong || text === this.doc.text) return [];
    const { gone, fresh } = this.doc.edit(text);
    this.gone.push(...gone);
    this.drawn = fresh.length < 50; // a great change is drawn from a small batch on
    this.$('.desk').classList.toggle('leftward', this.doc.chunks.some((chunk) => chunk.leftward));
    this.markStale();
    return fresh;
  }

  async fetch(batch) {
    const epoch = this.epoch, answer = await this.ask('tokens', batch);
    if (epoch !== this.epoch) return;
    const [counts, others, holds, ids, lengths] = rows(answer);
    const theirIds = share(ids, counts), theirLengths = share(lengths, counts);
    const { colors, kept: same } = this.colorsFor(batch, ids);
    const theirColors = share(colors, counts);
    const pin = this.focus.pinnedPlace(same, ids.length), pinnedId = this.focus.pinnedId();
    this.doc.forget(this.gone);
    batch.forEach((chunk, i) => this.doc.settle(chunk, { ids: theirIds[i], lengths: theirLengths[i], colors: theirColors[i], otherCount: others[i], roundTrip: holds[i] === 1 }));
    this.draw(batch);
    if (pin !== null) this.focus.movePin(pin, batch, pinnedId);
  }

  ask(name, chunks) {
    return this.door.ask(name, { encoding: this.encoding.key, special: this.encoding.special }, question(chunks));
  }

  colorsFor(batch, ids) {
    const { chunks } = this.doc, first = chunks.indexOf(batch[0]), next = chunks[first + batch.length], before = chunks[first - 1];
    const old = batch[0].stale ? [] : this.gone.filter((chunk) => chunk.ids);
    return recolor(ids, { ids: joined(old.map((chunk) => chunk.ids), Uint32Array), colors: joined(old.map((chunk) => chunk.colors), Uint8Array) },
      before?.colors?.at(-1) ?? -1, next?.colors?.[0] ?? -1);
  }

  draw(batch) {
    const gone = this.gone.filter((chunk) => chunk.nodes || chunk.idsBlock);
    this.gone = [];
    this.doc.number();
    const eager = !this.drawn || batch.length < 5;
    this.tokens.replace(gone, batch, this.doc.chunks, eager);
    this.ids.replace(gone, batch, this.doc.chunks, eager);
    this.drawn = true;
  }

  /** All tokens are there: say so. */
  settle() {
    this.doc.forget(this.gone);
    for (const chunk of this.gone) { this.tokens.drop(chunk); this.ids.drop(chunk); }
    this.tokens.sweep();
    this.gone = [];
    this.doc.number();
    if (!this.tooLong) {
      this.view.dataset.chars = this.doc.text.length;
      this.view.dataset.tokens = this.doc.numTokens;
      this.view.dataset.encoding = this.encoding.name;
      this.markStale(false);
    }
    if (this.problem === SILENT) this.problem = '';
    const counts = countDocument(this.doc);
    showCounts(this.root, counts);
    this.notice(counts);
    this.badge(counts);
    this.$('.empty').hidden = this.doc.text.length > 0;
    clearTimeout(this.unitsTimer);
    if (counts.graphemes === null) this.unitsTimer = setTimeout(() => this.countUnits(), this.doc.unmeasured() < FIRST_BATCH ? 0 : UNITS_AFTER);
  }

  // What is shown is of an older text or encoding: the style fades it when that lasts.
  markStale(isStale = true) {
    clearTimeout(this.staleTimer);
    if (isStale) this.view.dataset.stale = ''; else delete this.view.dataset.stale;
    if (isStale) this.staleTimer = setTimeout(() => this.$('.desk').classList.add('stale'), FADE_AFTER);
    else this.$('.desk').classList.remove('stale');
  }

  notice(counts = countDocument(this.doc)) {
    const lines = this.problem ? [this.problem] : [], many = this.replaced !== 1;
    if (this.tooLong) lines.push(`This text has over ${grouped(MOST_BYTES)} bytes, more than is tokenized at once. It stays in the box; the tokens are those of the text before. Shorten it to go on.`);
    if (this.replaced) lines.push(`${grouped(this.replaced)} lone surrogate${many ? 's' : ''} in this text cannot be written in UTF-8 and ${many ? 'count' : 'counts'} as U+FFFD (\ufffd).`);
    if (counts.otherCount) lines.push(this.bothCounts(counts));
    const notice = this.$('.notice');
    notice.hidden = !lines.length;
    notice.classList.toggle('alert', Boolean(this.problem || this.tooLong));
    setText(notice, lines.join(' '));
  }

  bothCounts({ tokens, otherCount }) {
    const { special, name } = this.encoding, [asText, asSpecial] = special === 'text' ? [tokens, otherCount] : [otherCount, tokens];
    return `This text spells special tokens of ${name}: ${grouped(asText)} tokens if they are read as text, ${grouped(asSpecial)} as special tokens. Shown: as ${special === 'text' ? 'text' : 'special tokens'}.`;
  }

  // What is claimed of the numbers: the server decoded the tokens of every chunk and compared the bytes.
  badge({ bytes }) {
    const holds = this.doc.chunks.every((chunk) => chunk.roundTrip);
    const state = !bytes ? 'nothing to check yet' : holds ? `round trip holds for ${grouped(bytes)} byte${bytes === 1 ? '' : 's'}`
      : `round trip does not hold: ${this.whatIsLost()}`;
    setText(this.$('.badge .state'), state);
    setText(this.$('.badge .way'), this.door.byRerun ? 'The live route cannot be reached: the page itself answers, more slowly.' : '');
  }

  whatIsLost() {
    const { unknown } = this.encoding, lost = this.doc.chunks.reduce((n, chunk) => n + chunk.ids.filter((id) => id === unknown).length, 0);
    if (!lost) return 'two special tokens of this text share an id, and decoding gives the other one’s name';
    return `${lost === 1 ? 'one character is' : `${grouped(lost)} characters are`} not in this vocabulary of characters; decoding gives \ufffd for them`;
  }

  async countUnits() {
    const without = this.doc.chunks.filter((chunk) => !chunk.units);
    for (let from = 0; from < without.length && !this.busy;) {
      const batch = [];
      for (let size = 0; from < without.length && size < BATCH; size += without[from++].text.length) batch.push(without[from]);
      try {
        const [graphemes, words] = rows(await this.ask('units', batch));
        batch.forEach((chunk, i) => { chunk.units = { graphemes: graphemes[i], words: words[i] }; });
      } catch (error) {
        return void console.warn(error.message);
      }
    }
    if (!this.busy) showCounts(this.root, countDocument(this.doc));
  }

  async askPreTokens(chunks) {
    const epoch = this.epoch, [counts, lengths] = rows(await this.ask('pretokens', chunks));
    if (epoch === this.epoch) share(lengths, counts).forEach((row, i) => { chunks[i].preTokens = row; });
  }

  /** Says what went wrong, until the reader types again. */
  say(text) {
    this.problem = text;
    this.notice();
  }

  leave() {
    clearTimeout(this.commitTimer);
    save();
    this.tokens.pages.close();
    this.ids.pages.close();
    clearTimeout(this.unitsTimer);
    clearTimeout(this.staleTimer);
    this.door?.close();
    this.window.abort();
  }
}

function joined(arrays, Kind) {
  const out = new Kind(arrays.reduce((n, array) => n + array.length, 0));
  let at = 0;
  for (const array of arrays) { out.set(array, at); at += array.length; }
  return out;
}

function countDifferent(a, b) {
  let n = 0;
  for (let i = 0; i < a.length; i++) n += a.charCodeAt(i) !== b.charCodeAt(i);
  return n;
}
