// The loupe: a panel with one token's characters, its bytes as tiles, the merges that make it, and the boundaries of
// its piece. It is in the component's `.dock` where that is beside the tokens, else at the bottom of the window.
// Nothing is computed while it is closed.
import { prefersReducedMotion, make, makeButton, interpolate } from '../dom/elements.js';
import { characterParts, partInWords } from '../tokens/utf8-characters.js';
import { Merges } from './merges.js';
import { codePointOf } from '../tokens/paint.js';
import { isolated, setText, visibleText } from '../tokens/readout.js';
import { Tiles } from './tiles.js';
import { tr } from '../dom/i18n.js';

const TOP_BAR_PX = 64; // the bar over the top of the page
const GROW_MS = 160;
const FIRST_STEP_MS = 500, STEP_MS = 550, ALL_STEPS_MS = 4500; // automatic playing: its delay, each step, all steps
const WHEEL_PX_PER_STEP = 40;
const MAX_RIVALS = 5;
const MAX_CHARACTERS = 16;
const MAX_PIECE_CHARACTERS = 40;

/** @typedef {object} Subject  A token to open.
 *  @property {string} head  short description
 *  @property {string} which  its number and id
 *  @property {string[]} notes  further sentences
 *  @property {Uint8Array} bytes
 *  @property {() => Element[]} elements  elements that show it
 *  @property {() => Promise<object> | null} ask  resolves to the core's facts (tokenizer/encoding/loupe.py) and
 *  `at`, the first byte of the token in its piece
 *  @property {((by: number) => void)} go  moves to another token
 *  @property {(() => void) | null} why  opens the page with more */

export class Loupe {
  /** Draws into `frame`; `onClose(isBack)` is called after it closed, with whether the focus returns to the token. */
  constructor(frame, onClose) {
    Object.assign(this, { frame, onClose, subject: null, epoch: 0, wheel: 0 });
  }

  get isOpen() {
    return this.subject !== null;
  }

  open(subject) {
    const wasOpen = this.isOpen;
    this.stop();
    this.build();
    Object.assign(this, { subject, facts: null, merges: null, depth: 0, states: [0] });
    delete this.element.dataset.explained;
    this.element.inert = false;
    this.drawSubject();
    this.listen();
    this.place();
    if (!wasOpen) this.animateOpening();
    this.element.focus({ preventScroll: true });
    this.load();
  }

  /** Updates after the token moved or its facts became outdated. */
  update(subject) {
    if (!this.isOpen) return;
    this.subject = subject;
    this.drawSubject();
    this.place();
    this.load(false);
  }

  build() {
    if (this.element) return;
    const button = (name, action, words, title, label = null) =>
      Object.assign(makeButton(name, action, words), { title, ariaLabel: label });
    const stepButton = (words, by, label) => button('step', () => this.step(by), words, label);
    this.parts = {
      head: Object.assign(make('h2', 'head'), { dir: 'auto' }),
      which: make('p', 'which'),
      characters: make('ul', 'characters'),
      tiles: make('div', 'tiles'),
      sentence: make('p', 'sentence'),
      rivals: make('ol', 'rivals'),
      walls: make('ul', 'walls'),
      notes: make('p', 'notes'),
      count: make('b', 'count'),
      why: button(
        'why', () => this.subject.why(), tr('Why this split?'),
        tr('Show the pre-token that contains this token, with all its merges, on another page'),
      ),
    };
    const { head, which, characters, tiles, sentence, rivals, walls, notes, count, why } = this.parts;
    const turn = make(
      'span', 'turn', button('', () => this.subject.go(-1), '‹', tr('Previous token (←)'), tr('Previous token')),
      button('', () => this.subject.go(1), '›', tr('Next token (→)'), tr('Next token')),
      button('', () => this.close(true), '✕', tr('Close (Esc)'), tr('Close')),
    );
    this.steps = make(
      'p', 'steps', stepButton(tr('Back'), -1, tr('One merge back (↑)')), count,
      stepButton(tr('Next'), 1, tr('One merge forward (↓)')),
    );
    this.merging = make('div', 'merging', tiles, this.steps, sentence, rivals);
    sentence.setAttribute('aria-live', 'polite');
    this.element = make(
      'section', 'loupe', make('div', 'title', make('div', '', head, which), turn), characters, this.merging, walls,
      notes, make('footer', '', why),
    );
    Object.assign(this.element, { popover: 'manual', tabIndex: -1, role: 'dialog' });
    this.tiles = new Tiles(tiles);
    this.element.addEventListener('keydown', (event) => this.onKey(event));
    this.element.addEventListener('wheel', (event) => this.onWheel(event), { passive: false });
    this.element.addEventListener('focusout', ({ relatedTarget }) => {
      if (relatedTarget && !this.element.contains(relatedTarget)) this.close(false);
    });
    this.frame.append(this.element);
  }

  // Shows what is known without a request.
  drawSubject() {
    const { subject, parts } = this;
    setText(parts.head, subject.head);
    setText(parts.which, subject.which);
    this.element.ariaLabel = `${subject.head}, ${subject.which}`;
    parts.why.hidden = !subject.why;
    this.drawFacts();
  }

  // Shows the token's own bytes as tiles until the core's facts about its piece arrive.
  drawFacts() {
    const { subject, facts, parts } = this, merges = facts?.merges ? new Merges(facts.merges) : null;
    this.merges = merges;
    const at = facts?.at ?? 0;
    const data = merges ? merges.bytes : subject.bytes;
    const end = at + (facts?.size ?? subject.bytes.length);
    parts.characters.replaceChildren(...charactersOf(data, merges ? at : 0, merges ? end : data.length));
    const units = merges ? unitsOf(merges, at, end) : [0, subject.bytes.length];
    this.tiles.open(merges ?? unmergedPiece(subject.bytes), units);
    const { from, to } = this.tiles; // the units of the token
    parts.characters.dir = parts.tiles.dir;
    this.ownSteps = merges ? merges.made.flatMap(([a, , b], step) => (a >= from && b <= to ? [step] : [])) : [];
    this.states = merges ? [...this.ownSteps, merges.numSteps] : [0];
    this.steps.hidden = !this.ownSteps.length;
    parts.walls.replaceChildren(...(facts ? wallItems(facts) : []));
    parts.walls.hidden = !facts;
    const piece = facts?.spelled?.[subject.id];
    const notes = [...subject.notes];
    if (piece !== undefined) notes.push(tr('Stored in the vocabulary as {piece}', { piece }));
    setText(parts.notes, notes.join(' '));
    parts.notes.hidden = !notes.length;
    this.merging.hidden = !subject.bytes.length;
    this.draw(false);
  }

  async load(isFresh = true) {
    const epoch = ++this.epoch, { subject } = this;
    let facts;
    try {
      facts = await subject.ask();
    } catch (error) {
      facts = { problem: error.message, walls: [], merges: null };
    }
    if (epoch !== this.epoch || !this.isOpen || !facts) return;
    const same = !isFresh && JSON.stringify(facts) === JSON.stringify(this.facts);
    this.facts = facts;
    if (same) return;
    this.depth = 0;
    this.drawFacts();
    this.place();
    this.element.dataset.explained = epoch;
    if (!prefersReducedMotion() && this.ownSteps.length) this.play();
  }

  play() {
    const stepMs = Math.min(STEP_MS, ALL_STEPS_MS / this.ownSteps.length);
    const next = () => {
      this.goToDepth(this.depth + 1);
      if (this.depth < this.ownSteps.length) this.timer = setTimeout(next, stepMs);
    };
    this.timer = setTimeout(next, FIRST_STEP_MS);
  }

  stop() {
    clearTimeout(this.timer);
  }

  /** Moves by some merges, and stops automatic playing. */
  step(by) {
    this.stop();
    this.goToDepth(this.depth + by);
  }

  goToDepth(to) {
    const next = Math.max(0, Math.min(this.ownSteps.length, to));
    if (next === this.depth) return;
    this.depth = next;
    this.draw(true);
  }

  draw(isSliding) {
    const { merges, depth, ownSteps, parts, tiles } = this;
    const isLast = depth === ownSteps.length;
    const next = isLast ? -1 : merges.made[ownSteps[depth]][1];
    this.element.dataset.depth = depth;
    this.element.dataset.depths = ownSteps.length;
    tiles.move(this.states[depth], next, isSliding);
    setText(parts.count, ownSteps.length ? tr('Merge {n} of {total}', { n: depth, total: ownSteps.length }) : '');
    const [back, , on] = this.steps.children;
    back.disabled = !depth;
    on.disabled = isLast;
    setText(parts.sentence, this.facts ? this.sentence() : '');
    parts.rivals.replaceChildren(...(isLast ? [] : this.rivals(next)));
    this.element.classList.toggle('done', isLast);
    if (isSliding) this.place(false); // a step must not scroll the page
  }

  sentence() {
    const { merges, facts, depth, ownSteps, subject } = this;
    if (!merges) return facts.problem;
    if (merges.whole) return tr(
      'The vocabulary contains this pre-token as one token, so that token is used without any merge.');
    const isLast = depth === ownSteps.length;
    const done = depth ? mergeSentence(this.tiles, ownSteps[depth - 1]) : this.startSentence(isLast);
    if (!isLast) return `${done} ${tr('The pair with the lowest rank is merged next:')}`;
    return `${done} ${subject.bytes.length ? this.endSentence(facts) : ''}`;
  }

  startSentence(isLast) {
    const { from, to } = this.tiles, n = to - from, { isBytes } = this.merges;
    const [first, ...rest] = this.merges.bytesOf(from, to);
    if (isLast)
      return isBytes || (first > 127 && !rest.length) // a byte of a character without a token
        ? tr('This token is a single byte, so nothing was merged.')
        : tr('This token is a single character, so nothing was merged.');
    return isBytes ? tr('{n} bytes, nothing merged yet.', { n }) : tr('{n} characters, nothing merged yet.', { n });
  }

  endSentence({ isSoFar }) {
    const { from, to } = this.tiles;
    if (from === 0 && to === this.merges.numUnits) return tr('This token is the whole pre-token.');
    return isSoFar
      ? tr('So far, no merge joins this token with the tokens next to it.')
      : tr('No merge joins this token with the tokens next to it.');
  }

  // Lists the possible merges at this step that touch the token: the next one, and the others.
  rivals(next) {
    const { merges, tiles, depth } = this, state = this.states[depth];
    const near = merges.candidates(state).filter(({ at }) => at === next || (at >= tiles.from && at <= tiles.to));
    const left = near.length - MAX_RIVALS - 1;
    const items = near
      .sort((a, b) => (b.at === next) - (a.at === next))
      .slice(0, MAX_RIVALS + 1)
      .map(({ at, rank }) => {
        const [one] = merges.parts(state, at - 1, at);
        const [other] = merges.parts(state, at, at + 1);
        const name = ({ from, to }) => tiles.nameOf(from, to);
        return make(
          'li', at === next ? 'winner' : 'rival',
          Object.assign(make('bdi', '', `${name(one)} + ${name(other)}`), { dir: 'auto' }),
          make('small', '', tr('rank {rank}', { rank: String(rank) })),
        );
      });
    return left > 0 ? [...items, make('li', 'more', tr('and {n} more', { n: left }))] : items;
  }

  onKey(event) {
    const { key } = event;
    const moves = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity, PageUp: -5, PageDown: 5 };
    const turns = { ArrowLeft: -1, ArrowRight: 1 };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === 'Escape') this.close(true);
    else if (key in moves) this.step(moves[key]);
    else if (key in turns) this.subject.go(turns[key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  onWheel(event) {
    const { scrollHeight, clientHeight } = this.element;
    // the content can scroll
    if (event.ctrlKey || (scrollHeight > clientHeight && !event.composedPath().includes(this.merging))) return;
    event.preventDefault();
    this.wheel += event.deltaMode ? event.deltaY * WHEEL_PX_PER_STEP : event.deltaY;
    if (Math.abs(this.wheel) < WHEEL_PX_PER_STEP) return;
    this.step(Math.sign(this.wheel));
    this.wheel = 0;
  }

  // A click elsewhere closes the loupe, except on a token, which it then shows. The docked loupe reaches to the bottom
  // of the window, so it is resized when the page scrolls.
  listen() {
    if (this.listeners) return;
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    const follow = () => {
      this.following ||= requestAnimationFrame(() => { this.following = 0; if (this.isOpen) this.place(); });
    };
    const isInside = (one) => one === this.element || one.dataset?.k !== undefined;
    addEventListener('click', (event) => { if (!event.composedPath().some(isInside)) this.close(false); }, { signal });
    for (const place of [window, this.frame]) { // scroll events inside a component do not reach the window
      place.addEventListener('scroll', (event) => {
        if (this.isDocked && !event.composedPath().includes(this.element)) follow();
      }, { signal, capture: true });
    }
    addEventListener('resize', follow, { signal });
  }

  get anchor() {
    const boxes = this.subject.elements().flatMap((one) => [...one.getClientRects()]);
    return boxes.length
      ? { top: boxes[0].top, left: boxes[0].left, right: boxes[0].right, bottom: boxes[boxes.length - 1].bottom }
      : null;
  }

  // Moves the loupe into the dock if that is beside the tokens, else over all other elements.
  attach() {
    const { element, frame } = this, dock = frame.querySelector('.dock'), view = frame.querySelector('.tokens');
    this.isDocked = !!dock && dock.getBoundingClientRect().left >= view.getBoundingClientRect().right;
    const place = this.isDocked ? dock : frame;
    if (element.parentElement !== place) place.append(element); // ends a popover, too
    element.classList.toggle('docked', this.isDocked);
    element.classList.toggle('from-below', !this.isDocked);
    if (this.isDocked === element.matches(':popover-open')) element.togglePopover(!this.isDocked);
  }

  // Places the loupe in the dock, down to the end of the window, or at the bottom of the window.
  place(canScroll = true) {
    if (!this.frame.isConnected) return; // another page was opened
    this.attach();
    const { element, anchor } = this;
    if (!anchor) return; // the token belongs to an older text, until the new tokens arrive
    const top = this.frame.getBoundingClientRect().top + element.offsetTop;
    element.style.maxHeight = this.isDocked ? `max(20rem, ${innerHeight - top - 8}px)` : '';
    if (!this.isDocked && canScroll) this.scrollAboveSheet(anchor);
  }

  // The sheet covers the lower part of the screen, so the page scrolls until the token is above it, and all tokens of
  // its view if there is room for them.
  scrollAboveSheet(anchor) {
    const end = innerHeight - this.element.offsetHeight;
    const view = this.subject.elements()[0]?.closest('.tokens')?.getBoundingClientRect();
    const rest = view ? Math.min(view.bottom + 8 - end, view.top - TOP_BAR_PX) : 0;
    const hidden = Math.max(anchor.bottom + 16 - end, rest);
    if (hidden <= 0) return;
    this.frame.style.paddingBlockEnd = `${this.element.offsetHeight}px`;
    scrollContainer(this.frame)?.scrollBy({ top: hidden, behavior: 'instant' });
  }

  animateOpening(isBack = false) {
    const { element, anchor } = this;
    if (prefersReducedMotion() || !anchor) return null;
    const box = element.getBoundingClientRect();
    const x = anchor.left - box.left;
    const y = anchor.top - box.top;
    const scaleX = Math.min(1, (anchor.right - anchor.left) / box.width);
    const scaleY = Math.min(1, (anchor.bottom - anchor.top) / box.height);
    const small = !this.isDocked
      ? { transform: 'translateY(100%)', opacity: 1 }
      : { transform: `translate(${x}px, ${y}px) scale(${scaleX}, ${scaleY})`, opacity: 0.3 };
    const frames = [small, { transform: 'none', opacity: 1 }];
    return element.animate(isBack ? frames.reverse() : frames, { duration: GROW_MS, easing: 'ease-out' });
  }

  /** Shrinks into the token; `isBack`: the focus returns to it. */
  close(isBack = false) {
    if (!this.isOpen) return;
    this.stop();
    const shrinking = this.animateOpening(true);
    this.element.inert = true; // elements under it receive pointer events again
    this.subject = null;
    this.epoch++;
    this.listeners.abort();
    this.listeners = null;
    this.frame.style.paddingBlockEnd = '';
    const hide = () => {
      if (this.isOpen) return;
      this.element.classList.remove('docked');
      if (this.element.matches(':popover-open')) this.element.hidePopover();
    };
    if (shrinking) shrinking.finished.then(hide, hide); else hide();
    this.onClose(isBack);
  }
}

function scrollContainer(element) {
  for (let one = element; one; one = one.parentElement ?? one.getRootNode().host) {
    if (one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY)) return one;
  }
  return document.scrollingElement;
}

// Returns bytes without merges in the form of Merges, for tiles only.
const unmergedPiece = (bytes) => ({
  bytes,
  numUnits: bytes.length,
  offsets: Array.from({ length: bytes.length + 1 }, (_, i) => i),
  bytesOf: (from, to) => bytes.subarray(from, to),
  parts: () => (bytes.length ? [{ from: 0, to: bytes.length, id: '', step: -1 }] : []),
});

// Returns the units of a piece that the bytes from..to touch.
const unitsOf = ({ offsets }, from, to) => [offsets.findIndex((at) => at >= from), offsets.findIndex((at) => at >= to)];

function charactersOf(bytes, from, to) {
  const touched = characterParts(bytes).filter((one) => one.from < to && one.to > from && one.text !== null);
  const left = touched.length - MAX_CHARACTERS;
  if (touched.every((one) => one.to - one.from === 1)) return []; // its tiles show the same
  const items = touched.slice(0, MAX_CHARACTERS).map((one) => {
    const isWhole = one.from >= from && one.to <= to;
    const item = make(
      'li', isWhole ? '' : 'some', make('bdi', 'glyph-of', visibleText(one.text)),
      make('small', '', codePointOf(one.text)),
    );
    if (!isWhole) item.append(make('small', '', partInWords(one, from, to)));
    return item;
  });
  return left > 0 ? [...items, make('li', 'more', tr('and {n} more', { n: left }))] : items;
}

function mergeSentence(tiles, step) {
  const { made, ranks } = tiles.merges, [from, middle, to] = made[step], name = (a, b) => isolated(tiles.nameOf(a, b));
  return tr('{one} + {other} became {both}, rank {rank}.', {
    one: name(from, middle), other: name(middle, to), both: name(from, to), rank: String(ranks[step]),
  });
}

function wallItems({ walls: [left, right], piece }) {
  const characters = Array.from(piece ?? ''), isLong = characters.length > MAX_PIECE_CHARACTERS;
  const shown = isLong ? `${characters.slice(0, MAX_PIECE_CHARACTERS).join('')}…` : piece;
  const quoted = piece && interpolate(tr('Pre-token: “{piece}”.'), { piece: make('bdi', '', visibleText(shown)) });
  return [quoted, left, right].filter(Boolean).map((words) => make('li', '', ...[words].flat()));
}
