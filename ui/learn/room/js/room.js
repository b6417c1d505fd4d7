// A class on the stage: polls and draws the board of its room, and opens the room again on a server that has lost it.
import { delay, make, makeButton } from '../../../components/js/dom/elements.js';
import { mount, Component } from '../../../components/js/dom/component.js';

const REQUEST_TIMEOUT_MS = 40_000; // until an unanswered request is sent again
const RETRY_MS = 1_500;
const POLL_MS = 100;
let isLarge = true; // until the teacher shrinks it on any step, or reveals an answer, which needs the room
let isPressed = false; // whether a button of the pointer is down

for (const kind of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel'])
  addEventListener(kind, ({ buttons }) => { isPressed = buttons > 0; }, { capture: true, passive: true });

class Room extends Component {
  constructor(root) {
    super(root);
    this.stageId = crypto.getRandomValues(new Uint32Array(2)).join('-');
    this.bars = new Map();
  }

  update(component) {
    this.component = component;
    const { data } = component, { code, address, qr, words } = data;
    const isNew = this.data?.code !== code || this.data.language !== data.language;
    this.data = data;
    this.desk.dataset.visitor = data.visitor;
    Object.assign(this.$('.qr'), { src: qr, alt: words.qr.replace('{address}', () => address) });
    this.setText('.how', words.join);
    this.setText('.address', address.replace(/^https?:\/\//, '').replace(/\/[^/]*$/, ''));
    this.setText('.code', code);
    this.showWarning();
    this.setText('h3', words.texts);
    this.showSize();
    if (isNew) this.poll();
  }

  destroy() {
    this.request?.abort();
    this.data = null;
  }

  setText(where, text) {
    if (this.$(where).textContent !== text) this.$(where).textContent = text;
  }

  /** A full class is more urgent than an address that may be unreachable. */
  showWarning() {
    this.setText('.warning', this.full || this.data.warning);
    this.$('.warning').classList.toggle('local', this.data.is_local);
  }

  showSize() {
    this.desk.classList.toggle('large', isLarge);
    this.setText('.size', this.data.words[isLarge ? 'small' : 'large']);
  }

  onPress({ dataset }) {
    if (dataset.do === 'size') {
      isLarge = !isLarge;
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
    return fetch(`/class/${path}`, { signal, cache: 'no-store', ...options, headers }).catch(() => null);
  }

  async reopen(request) {
    const reply = await this.ask('open', request, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(this.data.kept),
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
    if (board.closed && !this.isClosed) {
      isLarge = false;
      this.showSize();
    }
    this.isClosed = board.closed;
    this.showWarning();
    this.setText('.here', board.here);
    const answered = board.bars.some(({ count }) => count) ? board.answered : words.nobody;
    this.setText('.answered', board.closed ? `${answered} · ${words.closed}` : answered);
    this.setText('.others', board.others);
    this.$('.bars').replaceChildren(...board.bars.map((bar) => this.bar(bar, most)));
    this.$('.steps').hidden = !board.steps;
    this.$('.steps ul').replaceChildren(...(board.steps ?? []).map(({ label }) => make('li', '', label)));
    this.$('.texts').hidden = !board.closed && !board.texts.length;
    this.setText('.none', board.texts.length ? '' : words.no_texts);
    this.texts(board.texts);
  }

  /** A bar keeps its element, so that its growth is animated. */
  bar({ label, count, answered, right }, most) {
    const bar =
      this.bars.get(label) ??
      make('li', '', make('span', 'label'), make('span', 'track', make('i')), make('span', 'count'));
    this.bars.set(label, bar);
    bar.classList.toggle('right', right);
    bar.querySelector('.label').textContent = label;
    bar.querySelector('.count').textContent = right ? `${answered} · ${this.data.words.correct}` : answered;
    requestAnimationFrame(() => { bar.querySelector('i').style.width = `${100 * count / most}%`; });
    return bar;
  }

  /** Redraws only changed entries: a button keeps its element while it is pressed. */
  texts(texts) {
    const drawn = JSON.stringify([texts, this.data.language]);
    if (drawn === this.drawnTexts) return;
    this.drawnTexts = drawn;
    const { words } = this.data;
    this.$('.texts ul').replaceChildren(...texts.map(({ id, text, shown }) => {
      const show = makeButton('', () => this.component.setTriggerValue('show', id), shown ? words.shown : words.show);
      show.disabled = shown;
      return make(
        'li', '', make('bdi', '', text), show,
        makeButton('', () => this.component.setTriggerValue('remove', id), words.remove),
      );
    }));
  }
}

export default mount(Room);
