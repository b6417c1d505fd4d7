// A class on the stage: polls and draws the board of its room, and opens the room again on a server that has lost it.
import { delay, make, makeButton } from '../../../../web/js/dom/elements.js';
import { mount, Component } from '../../../../web/js/dom/component.js';
import { wholeParts } from '../../../../web/js/dom/whole-words.js';
import { COLORS } from '../../../../web/js/tokens/colors.js';

const REQUEST_TIMEOUT_MS = 40_000; // until an unanswered request is sent again
const RETRY_MS = 1_500;
const POLL_MS = 100;
let chosenLarge = null; // what the teacher chose for the code; null: large until phones have joined
let isPressed = false; // whether a button of the pointer is down

for (const kind of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'])
  addEventListener(kind, ({ buttons }) => { isPressed = buttons > 0; }, { capture: true, passive: true });

class Room extends Component {
  constructor(root) {
    super(root);
    this.stageId = crypto.getRandomValues(new Uint32Array(2)).join('-');
    this.bars = new Map();
    this.sentences = [];
  }

  update(component) {
    this.component = component;
    const { data } = component, { code, address, qr, words } = data;
    const isNew = this.data?.code !== code || this.data.language !== data.language;
    this.data = data;
    this.desk.dataset.visitor = data.visitor;
    Object.assign(this.$('.qr'), { src: qr, alt: words.qr.replace('{address}', () => address) });
    this.setText('.address', address.replace(/^https?:\/\//, '').replace(/\/[^/]*$/, ''));
    this.setText('.code', code);
    this.showWarning();
    this.setText('h3', words.texts);
    this.showSize();
    if (isNew) this.poll();
  }

  destroy() {
    this.request?.abort();
    clearInterval(this.clock);
    this.data = null;
  }

  setText(where, text) {
    if (this.$(where).textContent !== text) this.$(where).replaceChildren(...wholeParts(text));
  }

  /** A full class is more urgent than an address that may be unreachable. */
  showWarning() {
    this.setText('.warning', this.full || this.data.warning);
    this.$('.warning').classList.toggle('local', this.data.is_local);
    this.$('.warning').classList.toggle('full', Boolean(this.full));
  }

  get isLarge() {
    return chosenLarge ?? (this.game ? this.game.phase === 'collect' : !this.hasPhones && !this.isClosed);
  }

  showSize() {
    this.desk.classList.toggle('large', this.isLarge);
    this.setText('.size', this.data.words[this.isLarge ? 'small' : 'large']);
  }

  onPress({ dataset }) {
    if (dataset.do === 'size') {
      chosenLarge = !this.isLarge;
      this.showSize();
    }
  }

  async poll() {
    this.request?.abort();
    const request = this.request = new AbortController();
    let version = '';
    while (!request.signal.aborted) {
      const { code, language, words } = this.data;
      const reply = await this.ask(
        `${code}/board?${new URLSearchParams({ have: version, lang: language, who: this.stageId })}`, request,
      );
      if (request.signal.aborted) return;
      const board = reply?.ok ? await reply.json().catch(() => null) : null;
      if (board?.over) return this.setText('.lost', this.data.words.over);
      if (board) {
        version = board.version;
        // The first answers move what is below the bars: a button that moves while it is pressed gets no click.
        while (isPressed) await delay(POLL_MS);
        if (request.signal.aborted) return;
        this.draw(board);
        this.setText('.lost', '');
        await delay(POLL_MS);
        continue;
      }
      if (reply?.status === 404 && await this.reopen(request)) {
        this.reportLostRoom();
        continue;
      }
      this.setText('.lost', words.lost);
      await delay(RETRY_MS);
    }
  }

  async ask(path, request, options = {}) {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    const headers = { 'x-class-secret': this.data.kept.secret, ...options.headers };
    return fetch(`${this.data.url}/${path}`, { signal, cache: 'no-store', ...options, headers }).catch(() => null);
  }

  /** The data that opens the class again: a game continues between two runs of the page. */
  kept() {
    return this.game ? { ...this.data.kept, game: this.game.kept } : this.data.kept;
  }

  async reopen(request) {
    const reply = await this.ask('open', request, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(this.kept()),
    });
    return reply?.ok;
  }

  /** Makes the page run on a server that had lost the room, so that the next press is handled. */
  async reportLostRoom() {
    for (const { visitor } = this.data; this.data?.visitor === visitor;) {
      this.component.setTriggerValue('back', visitor);
      await delay(RETRY_MS);
    }
  }

  draw(board) {
    const { words } = this.data, most = Math.max(1, ...board.bars.map(({ count }) => count));
    this.full = board.full;
    if (board.closed && !this.isClosed) chosenLarge = null; // the answer needs the room
    this.isClosed = board.closed;
    this.hasPhones ||= board.phones > 0;
    this.showWarning();
    this.setText('.here', board.here);
    this.setText('.how', board.game?.how || words.join);
    this.drawGame(board.game);
    this.showSize();
    const answered = board.game || board.bars.some(({ count }) => count) ? board.answered : words.nobody;
    const isVote = !board.game || board.bars.length > 0;
    this.setText('.answered', board.closed ? `${answered} · ${words.closed}` : answered);
    this.$('.poll').hidden = !isVote;
    this.$('.outcome').hidden = isVote;
    this.setText('.others', board.others);
    this.$('.bars').replaceChildren(...board.bars.map((bar, i) => this.bar(bar, most, keyOf(board.bars, i))));
    this.$('.steps').hidden = !board.steps;
    this.$('.steps ul').replaceChildren(...(board.steps ?? []).map(({ label }) => make('li', '', label)));
    this.$('.texts').hidden = !board.closed && !board.texts.length;
    this.setText('.none', board.texts.length ? '' : words.no_texts);
    if (board.game) this.setText('.none', board.game.check);
    this.texts(board.texts);
  }

  /** Draws a game: its buttons, the last merge or the vote, and the sentences as tokens. */
  drawGame(game) {
    const before = this.game;
    this.game = game;
    this.$('.game').hidden = this.$('.corpus').hidden = !game;
    this.desk.classList.toggle('playing', Boolean(game));
    this.desk.classList.toggle('ended', game?.phase === 'over');
    clearInterval(this.clock);
    if (!game) return;
    if (before?.phase === 'collect' && game.phase !== 'collect') chosenLarge = null;
    this.setText('h2', game.title);
    this.setText('.line', game.result || game.line);
    this.drawActions(game.actions);
    this.runClock(game.seconds);
    this.drawSentences(game);
    this.setText('.shares', game.shares);
    this.drawLinks(game);
    this.setText('.rest', game.more);
    this.$('.shrunk').hidden = !game.shrunk;
    this.setText('.shrunk p', game.shrunk?.line ?? '');
    this.setText('.shrunk bdi', game.shrunk?.text ?? '');
    // the page stores the game where a phase ends: a reload then returns to it
    if (before && before.phase !== game.phase) this.component.setTriggerValue('back', `${game.phase} ${Date.now()}`);
  }

  /** Redraws only changed buttons: a button keeps its element and the focus while a game goes on. */
  drawActions(actions) {
    const drawn = JSON.stringify(actions);
    if (drawn === this.drawnActions) return;
    this.drawnActions = drawn;
    const focused = this.root.activeElement?.dataset?.action ?? document.activeElement?.dataset?.action;
    this.$('.actions').replaceChildren(...actions.map(([action, label, confirmation]) => {
      const button = makeButton('', (click) => this.press(button, confirmation, click), label);
      button.dataset.action = action;
      if (confirmation) button.addEventListener('blur', () => { button.textContent = label; });
      return button;
    }));
    const [first] = this.$('.actions').children;
    if (focused) (this.$(`[data-action="${focused}"]`) ?? first)?.focus();
  }

  /** Draws links that open the tokenizer of the class in other tabs; this one keeps the class. */
  drawLinks({ links }) {
    const drawn = JSON.stringify(links);
    if (drawn === this.drawnLinks) return;
    this.drawnLinks = drawn;
    this.$('.links').replaceChildren(...links.map(([label, path]) => Object.assign(make('a', '', label), {
      href: `${this.data.url}/../${path}`, target: '_blank', rel: 'noopener',
    })));
  }

  /** Plays a button's action; one with a confirmation shows that first, and is pressed again: a double click is one. */
  press(button, confirmation, { detail }) {
    if (confirmation && button.textContent !== confirmation) button.textContent = confirmation;
    else if (!confirmation || detail < 2) this.play(button.dataset.action);
  }

  async play(action) {
    const body = JSON.stringify({ do: action }), headers = { 'content-type': 'application/json' };
    const reply = await this.ask(`${this.data.code}/game`, this.request, { method: 'POST', headers, body });
    if (!reply) this.setText('.lost', this.data.words.lost);
    else if (reply.ok && action === 'leave') this.component.setTriggerValue('back', `left ${Date.now()}`);
  }

  runClock(seconds) {
    const end = Date.now() + 1000 * seconds;
    const show = () => this.setText('.clock', String(Math.max(0, Math.ceil((end - Date.now()) / 1000))));
    this.$('.clock').hidden = seconds === null;
    if (seconds === null) return;
    show();
    this.clock = setInterval(show, 250);
  }

  /** A sentence keeps its element, so that it falls into the corpus only once. */
  drawSentences({ sentences, made, phase }) {
    const list = this.$('.corpus ul');
    if (phase === 'collect') this.sentences = [];
    const changed = sentences.map((pieces, i) => JSON.stringify(pieces) !== JSON.stringify(this.sentences[i]));
    while (list.children.length > sentences.length) list.lastChild.remove();
    sentences.forEach((pieces, i) => {
      const row = list.children[i] ?? list.appendChild(make('li'));
      row.dir = 'auto';
      row.style.setProperty('--i', i);
      if (changed[i]) {
        row.replaceChildren(...pieces.map((piece, k) => {
          const token = make('span', `t c${k % COLORS}`, piece);
          token.classList.toggle('mark', /^\p{M}/u.test(piece));
          return token;
        }));
      }
      for (const token of row.children) token.classList.toggle('made', token.textContent === made);
      row.classList.toggle('touched', changed[i] && this.sentences[i] !== undefined);
    });
    this.sentences = sentences;
    this.showMade(made);
  }

  /** Scrolls the list to the first token of a new merge if none is in view. */
  showMade(made) {
    if (made === this.made) return;
    this.made = made;
    const list = this.$('.corpus ul'), { top, bottom } = list.getBoundingClientRect();
    const tokens = Array.from(list.querySelectorAll('.made'), (token) => token.getBoundingClientRect());
    if (tokens.length && !tokens.some((token) => token.top >= top && token.bottom <= bottom))
      list.scrollTop += tokens[0].top - top;
  }

  /** A bar keeps its element, so that its growth is animated. */
  bar({ label, count, answered, right }, most, key) {
    const bar =
      this.bars.get(key) ??
      make('li', '', make('span', 'label'), make('span', 'track', make('i')), make('span', 'count'));
    this.bars.set(key, bar);
    bar.classList.toggle('right', right);
    bar.querySelector('.label').textContent = label;
    bar.querySelector('.count').textContent = right ? `${answered} · ${this.data.words.correct}` : answered;
    requestAnimationFrame(() => { bar.querySelector('i').style.width = `${100 * count / most}%`; });
    return bar;
  }

  /** Redraws only changed entries: a button keeps its element while it is pressed. */
  texts(texts) {
    const drawn = JSON.stringify([texts, this.data.language, Boolean(this.game)]);
    if (drawn === this.drawnTexts) return;
    this.drawnTexts = drawn;
    const { words } = this.data;
    this.$('.texts ul').replaceChildren(...texts.map(({ id, text, shown }) => {
      const show = makeButton('', () => this.component.setTriggerValue('show', id), shown ? words.shown : words.show);
      show.disabled = shown;
      return make(
        'li', '', make('bdi', '', text), ...(this.game ? [] : [show]),
        makeButton('', () => this.component.setTriggerValue('remove', id), words.remove),
      );
    }));
  }
}

/** Returns a key that differs for bars with the same label: "·" stands for a space, but a phone may also send "·". */
const keyOf = (bars, i) => `${bars.slice(0, i).filter(({ label }) => label === bars[i].label).length} ${bars[i].label}`;

export default mount(Room);
