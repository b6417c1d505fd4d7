// The live editor: what is typed goes into the document, its tokens come through the door, the views show them.
import { recolor } from './colors.js';
import { kept, keep, save } from './desk.js';
import { Document } from './document.js';
import { Door, Refused } from './door.js';
import { IdsView } from './ids-view.js';
import { fragmentFor, LONGEST, textFrom } from './link.js';
import { countDocument, describe, factRows, fillRows, grouped, setText, showCounts, summary } from './readout.js';
import { drawSvg } from './svg.js';
import { rawAfterEdit, shown, wellFormed } from './text.js';
import { TokensView } from './tokens-view.js';
import { question, rows, share } from './wire.js';

const FIRST_BATCH = 20_000; // UTF-16 units: small, so that the first screen has its colours soon
const BATCH = 150_000;
const COMMIT_AFTER = 700;   // ms without a key until the server's desk hears of the text
const UNITS_AFTER = 120;    // ms without a key until graphemes and words are counted
const LONG_CHUNK = 20_000;  // a chunk of this many units waits for a pause before it is sent
const PAUSE = 150;
const QUICK_PASTE = 20_000; // longer pastes bypass the browser's own, which takes seconds for a megabyte
const MOST_BYTES = 5_000_000;

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
    this.pinned = null;   // { chunk, k }
    this.hovered = null;
    this.current = -1;    // where the keyboard is, a token's index
    this.marked = {};     // class -> the elements that carry it
    this.problem = '';    // what went wrong, until the reader goes on
    this.tokens = new TokensView(this.view, () => ({ isSpecial: (id) => this.specials.has(id), withBytes: this.isOn('bytes') }));
    this.tokens.text = () => this.doc.text;
    this.ids = new IdsView(this.$('.ids'));
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
    const first = this.encoding === null, changed = JSON.stringify(data.encoding) !== JSON.stringify(this.encoding);
    if (changed) this.changeEncoding(data.encoding);
    if (first) this.open(data.push);
    else if (data.push.id !== kept().push) this.take(data.push);
    else if (changed) this.pump();
  }

  changeEncoding(encoding) {
    this.encoding = encoding;
    this.specials = new Map(Object.entries(encoding.specials).map(([name, id]) => [id, name]));
    this.epoch++;
    this.gone.push(...this.doc.restart(encoding.cuts).gone);
    this.unpin();
    this.measured = false;
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

  take(push) {
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

  setText(text) {
    this.raw = text;
    this.area.value = shown(text);
    this.pump();
  }

  // ---- from the reader ----

  listen() {
    this.area.addEventListener('input', () => this.typed());
    this.area.addEventListener('paste', (event) => this.paste(event));
    this.area.addEventListener('blur', () => this.commit());
    addEventListener('pagehide', () => { save(); this.commit(); });
    addEventListener('hashchange', async () => { if (this.area.isConnected) { const text = await this.linkedText(); if (text !== null) { this.setText(text); this.changed(); } } });
    for (const view of [this.tokens, this.ids]) {
      view.element.addEventListener('pointermove', (event) => this.hover(view.at(event), event));
      view.element.addEventListener('pointerleave', () => this.hover(null));
      view.element.addEventListener('click', (event) => { const hit = view.at(event); if (hit && !this.isSelecting()) this.pin(hit); });
    }
    this.view.addEventListener('keydown', (event) => this.key(event));
    this.root.addEventListener('click', (event) => this.press(event.target.closest?.('[data-do]')));
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
    clearTimeout(this.commitTimer);
    this.commitTimer = setTimeout(() => this.commit(), COMMIT_AFTER);
  }

  paste(event) {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    this.pasted = text.includes('\r') ? text : null;
    if (text.length < QUICK_PASTE) return; // the browser's own, which can be undone
    event.preventDefault();
    this.area.setRangeText(shown(text), this.area.selectionStart, this.area.selectionEnd, 'end');
    this.area.dispatchEvent(new Event('input', { bubbles: true }));
  }

  commit() {
    clearTimeout(this.commitTimer);
    if (this.raw === this.committed || this.tooLong) return;
    this.committed = this.raw;
    this.component.setTriggerValue('commit', { text: wellFormed(this.raw) });
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
    this.view.dataset.stale = '';
    return fresh;
  }

  async fetch(batch) {
    const epoch = this.epoch, answer = await this.ask('tokens', batch);
    if (epoch !== this.epoch) return;
    const [counts, others, ids, lengths] = rows(answer);
    const theirIds = share(ids, counts), theirLengths = share(lengths, counts);
    const { colors, kept: same } = this.colorsFor(batch, ids);
    const theirColors = share(colors, counts);
    const pin = this.pinnedPlace(same, ids.length), pinnedId = this.pinned?.chunk.ids[this.pinned.k];
    this.doc.forget(this.gone);
    batch.forEach((chunk, i) => this.doc.settle(chunk, { ids: theirIds[i], lengths: theirLengths[i], colors: theirColors[i], otherCount: others[i] }));
    this.draw(batch);
    if (pin !== null) this.movePin(pin, batch, pinnedId);
  }

  ask(name, chunks) {
    return this.door.ask(name, { encoding: this.encoding.name, special: this.encoding.special }, question(chunks));
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
    this.tokens.replace(gone, batch, this.doc.chunks, !this.drawn || batch.length < 5);
    this.ids.replace(gone, batch, this.doc.chunks);
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
      delete this.view.dataset.stale;
    }
    const counts = countDocument(this.doc);
    showCounts(this.root, counts);
    this.notice(counts);
    this.badge(counts);
    this.$('.empty').hidden = this.doc.text.length > 0;
    clearTimeout(this.unitsTimer);
    if (counts.graphemes === null) this.unitsTimer = setTimeout(() => this.countUnits(), this.doc.unmeasured() < FIRST_BATCH ? 0 : UNITS_AFTER);
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

  badge({ bytes }) {
    setText(this.$('.badge .state'), bytes ? `round trip holds for ${grouped(bytes)} byte${bytes === 1 ? '' : 's'}` : 'nothing to check yet');
    setText(this.$('.badge .way'), this.door.byRerun ? 'the live route cannot be reached: the page itself answers, more slowly' : '');
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

  async preTokensFor(chunk) {
    const chunks = this.doc.text.length < 5 * LONG_CHUNK ? this.doc.chunks.filter((one) => !one.preTokens) : [chunk];
    if (chunk.preTokens || !chunks.length) return;
    const [counts, lengths] = rows(await this.ask('pretokens', chunks));
    share(lengths, counts).forEach((row, i) => { chunks[i].preTokens = row; });
  }

  // ---- one token ----

  hover(hit, event) {
    if (!hit) { this.light('lit', null); this.$('.tip').hidden = true; this.hovered = null; return; }
    if (this.hovered?.chunk !== hit.chunk || this.hovered?.k !== hit.k) {
      this.hovered = hit;
      this.light('lit', hit);
      this.tell(hit, (facts, rows) => {
        setText(this.$('.tip .head'), summary(facts));
        fillRows(this.$('.tip dl'), rows);
        this.$('.tip').hidden = false;
      }, () => this.hovered === hit);
    }
    this.placeTip(event);
  }

  placeTip(event) {
    const tip = this.$('.tip'), box = this.$('.desk').getBoundingClientRect();
    const x = Math.max(0, Math.min(event.clientX - box.left + 14, box.width - tip.offsetWidth - 4));
    const below = event.clientY + 24 + tip.offsetHeight < innerHeight;
    tip.style.transform = `translate(${x}px, ${event.clientY - box.top + (below ? 20 : -tip.offsetHeight - 12)}px)`;
  }

  /** Gives the facts of a token to `to`, again once its pre-token is known, while `still` holds. */
  tell(hit, to, still) {
    const { chunk, k } = hit, say = () => {
      const facts = describe(chunk, k, this.specials, this.doc.numTokens);
      to(facts, factRows(facts, this.sharedGrapheme(hit), this.preTokenPlace(chunk, facts)));
    };
    say();
    if (!chunk.preTokens) this.preTokensFor(chunk).then(() => { if (still() && chunk.preTokens) say(); }).catch(() => {});
  }

  sharedGrapheme({ chunk, k }) {
    const element = this.tokens.elementsOf(chunk, k).find((one) => one.dataset.n);
    return element ? { text: element.textContent, count: Number(element.dataset.n), band: k - Number(element.dataset.k) + 1 } : null;
  }

  preTokenPlace(chunk, facts) {
    if (!facts.preToken || this.doc.chunks.some((one) => !one.preTokens)) return null;
    let number = facts.preToken.index + 1, of = 0;
    for (const one of this.doc.chunks) {
      if (one.offset < chunk.offset) number += one.preTokens.length;
      of += one.preTokens.length;
    }
    return { number, of };
  }

  /** Gives the elements of one token, in both views, the class `mark`: lit (hovered), now (keyboard) or pinned. */
  light(mark, hit) {
    for (const element of this.marked[mark] ?? []) element.classList.remove(mark);
    this.marked[mark] = hit ? [...this.tokens.elementsOf(hit.chunk, hit.k), ...this.ids.elementsOf(hit.chunk, hit.k)] : [];
    for (const element of this.marked[mark]) {
      element.classList.add(mark);
      const n = Number(element.dataset.n ?? 1), band = hit.k - Number(element.dataset.k);
      if (n > 1) element.style.setProperty(`--${mark}`, 'leftward' in element.dataset ? n - 1 - band : band);
    }
  }

  pin(hit, scroll = false) {
    this.pinned = hit;
    this.current = hit.chunk.base + hit.k;
    this.light('pinned', hit);
    if (scroll) this.tokens.elementsOf(hit.chunk, hit.k)[0]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    scrollInto(this.ids.element, this.ids.elementsOf(hit.chunk, hit.k)[0]);
    this.tell(hit, (facts, rows) => {
      this.$('.pin').hidden = false;
      this.$('.pin-hint').hidden = true;
      setText(this.$('.pin .head'), `Token ${grouped(facts.number)} of ${grouped(facts.numTokens)}`);
      fillRows(this.$('.pin dl'), rows);
      setText(this.$('.live'), `${summary(facts)}, bytes ${facts.bytes}`);
    }, () => this.pinned === hit);
  }

  unpin() {
    this.pinned = null;
    this.light('pinned', null);
    this.$('.pin').hidden = true;
    this.$('.pin-hint').hidden = false;
  }

  // Where the pinned token will be in the batch that replaces its chunk; -1 where the edit took it, null where it is not concerned.
  pinnedPlace([front, back], total) {
    const i = this.gone.indexOf(this.pinned?.chunk), count = (chunks) => chunks.reduce((n, chunk) => n + (chunk.ids?.length ?? 0), 0);
    if (i < 0) return null;
    const place = count(this.gone.slice(0, i)) + this.pinned.k, old = count(this.gone);
    if (place < front) return place;
    return place >= old - back ? place + total - old : -1;
  }

  movePin(place, batch, id) {
    for (const chunk of batch) {
      if (place < 0) break;
      if (place < chunk.ids.length) return chunk.ids[place] === id ? this.pin({ chunk, k: place }) : this.unpin();
      place -= chunk.ids.length;
    }
    return this.unpin();
  }

  key(event) {
    if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation(); // Streamlit has hotkeys of its own: r, c
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity };
    if (event.key === 'Escape') { this.unpin(); this.hover(null); this.current = -1; this.light('now', null); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || !this.doc.numTokens) return;
    if (event.key in steps) this.move(Math.max(0, Math.min(this.doc.numTokens - 1, this.current < 0 && steps[event.key] === 1 ? 0 : this.current + steps[event.key])));
    else if (event.key === 'Enter' || event.key === ' ') { const hit = this.doc.find(Math.max(0, this.current)); if (hit) this.pin(hit, true); }
    else return;
    event.preventDefault();
  }

  move(index) {
    const hit = this.doc.find(index);
    if (!hit) return;
    this.current = index;
    this.light('now', hit);
    this.tokens.elementsOf(hit.chunk, hit.k)[0]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    const facts = describe(hit.chunk, hit.k, this.specials, this.doc.numTokens);
    setText(this.$('.live'), `${summary(facts)}, bytes ${facts.bytes}`);
  }

  isSelecting() {
    const selection = document.getSelection(), range = selection?.getComposedRanges?.({ shadowRoots: [this.view.getRootNode()] })?.[0];
    return Boolean(range && !range.collapsed && this.view.contains(range.startContainer));
  }

  // ---- buttons ----

  isOn(name) {
    return this.$(`[data-do="${name}"]`)?.getAttribute('aria-pressed') === 'true';
  }

  async press(button) {
    if (!button) return;
    const action = button.dataset.do;
    try {
      if (action === 'marks' || action === 'bytes') this.toggle(button, action);
      else if (action === 'unpin') this.unpin();
      else if (action === 'copy-ids') await this.copyOut(this.doc.chunks.map((chunk) => Array.from(chunk.ids).join(' ')).filter(Boolean).join(' '), 'Ids copied.');
      else if (action === 'link') await this.copyLink();
      else if (action === 'svg') this.downloadSvg();
      else await this.download(action);
    } catch (error) {
      this.say(error instanceof Refused ? error.message : `This did not work: ${error.message}`);
    }
  }

  toggle(button, name) {
    button.setAttribute('aria-pressed', String(!this.isOn(name)));
    this.view.classList.toggle(name, this.isOn(name));
    if (name === 'bytes') this.tokens.repaint(this.doc.chunks);
  }

  async copyOut(text, done) {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // clipboards are closed to pages without https
      const area = document.createElement('textarea');
      area.value = text;
      this.$('.desk').append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
    }
    this.flash(done);
  }

  async copyLink() {
    const fragment = await fragmentFor(wellFormed(this.raw));
    const query = new URLSearchParams({ encoding: this.encoding.name, special: this.encoding.special });
    if (fragment === null) this.say(`This text is too long for a link (over ${grouped(LONGEST)} characters). The link copied brings the encoding and options, not the text.`);
    await this.copyOut(`${location.origin}${location.pathname}?${query}${fragment ? `#${fragment}` : ''}`, fragment === null ? 'Link without the text copied.' : 'Link copied. It holds the text; no server sees it.');
  }

  async download(form) {
    const body = question([{ bytes: new TextEncoder().encode(this.doc.text) }]);
    const answer = await this.door.ask(form, { encoding: this.encoding.name, special: this.encoding.special }, body);
    this.offer(new Blob([answer]), form);
  }

  downloadSvg() {
    const frame = document.createElement('div');
    frame.className = 'tokens sheet';
    this.$('.desk').append(frame);
    const { svg, left } = drawSvg(this.doc.chunks, frame, this.tokens.show());
    frame.remove();
    if (left) this.say(`A picture holds the first tokens; ${grouped(left)} more did not fit.`);
    this.offer(new Blob([svg], { type: 'image/svg+xml' }), 'svg');
  }

  offer(blob, form) {
    const anchor = document.createElement('a');
    anchor.href = URL.createObjectURL(blob);
    anchor.download = `tokens-${this.encoding.name.replace(/[^\w.-]+/g, '_')}.${form}`;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
  }

  /** Says what went wrong, until the reader types again. */
  say(text) {
    this.problem = text;
    this.notice();
  }

  flash(text) {
    const done = this.$('.done');
    setText(done, text);
    clearTimeout(this.flashTimer);
    this.flashTimer = setTimeout(() => setText(done, ''), 4000);
  }

  leave() {
    this.commit();
    save();
    this.tokens.near.disconnect();
    this.ids.near.disconnect();
    clearTimeout(this.unitsTimer);
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

function scrollInto(box, element) {
  if (!element) return;
  const outer = box.getBoundingClientRect(), inner = element.getBoundingClientRect();
  if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 3;
}
