// The static page: the Playground and Compare, for encodings whose rank tables are files beside the page.
import { keepOffline } from './offline.js';
import { PageClient } from './page-client.js';
import { addPresenting } from './present.js';
import { copyText } from '../../../../web/js/dom/clipboard.js';
import { make } from '../../../../web/js/dom/elements.js';
import { tr } from '../../../../web/js/dom/i18n.js';
import { tabState } from '../../../../web/js/editor/tab-state.js';
import { fragmentFor, MAX_LINK_CHARACTERS } from '../../../../web/js/net/text-link.js';
import { setText, showCounts } from '../../../../web/js/tokens/readout.js';

const MIN_COMPARED_ENCODINGS = 2;
const FIRST_RETRY_MS = 2_000, MAX_RETRY_MS = 60_000; // of tables; a browser may say "online" before there is a network
const NO_COUNTS = { tokens: '–', characters: '–', graphemes: '–', words: '–', bytes: '–' };

class Site {
  /** `parts` mount the components by page. At first, the first of `encodings` is chosen on the Playground, those of
   *  `compared` on Compare, and `text` is shown. */
  constructor(parts, { encodings, compared, text }) {
    const known = new Map(encodings.map((one) => [one.key, one])), query = new URLSearchParams(location.search);
    const keys = (query.get('encodings') ?? '').split(',').filter((key) => known.has(key));
    Object.assign(this, { parts, known, text });
    this.page = Object.hasOwn(parts, query.get('page')) ? query.get('page') : Object.keys(parts)[0];
    this.encoding = known.has(query.get('encoding')) ? query.get('encoding') : encodings[0].key;
    this.encodings = new Set(keys.length ? keys : compared);
    this.client = new PageClient(known, () => this.onTables());
    this.pages = document.querySelectorAll('[data-page]');
    for (const button of this.pages) button.addEventListener('click', () => this.open(button.dataset.page));
    this.$('.copy').addEventListener('click', () => this.copyLink());
    addPresenting(this.$('.present'));
    addEventListener('online', () => this.onOnline());
    addEventListener('tokenloupe-counts', ({ detail }) => showCounts(document, detail ?? NO_COUNTS));
    this.open(this.page);
  }

  $(selector) {
    return document.querySelector(selector);
  }

  get isCompare() {
    return this.page === 'compare';
  }

  // The keys of the chosen encodings whose tables did not arrive; without a network they are not requested.
  get missing() {
    const chosen = this.isCompare ? [...this.encodings] : [this.encoding];
    return navigator.onLine ? chosen.filter((key) => this.client.failed.has(key)) : [];
  }

  onOnline() {
    clearTimeout(this.retry);
    this.retry = null;
    this.loadMissing();
  }

  async loadMissing() {
    const { missing } = this;
    await Promise.allSettled(missing.map((key) => this.client.encodersOf(key)));
    if (this.close && missing.some((key) => !this.client.failed.has(key))) this.update();
  }

  loadMissingLater(delayMs) {
    this.retry = setTimeout(async () => {
      await this.loadMissing();
      this.retry = null;
      if (this.missing.length) this.loadMissingLater(Math.min(2 * delayMs, MAX_RETRY_MS));
    }, delayMs);
  }

  /** Mounts the component of a page in place of the other one. */
  async open(page) {
    this.page = page;
    for (const button of this.pages) button.setAttribute('aria-pressed', String(button.dataset.page === page));
    this.$('.counts').hidden = this.isCompare;
    this.drawModels();
    this.close?.();
    const host = make('div'), root = host.attachShadow({ mode: 'open' });
    root.append(this.$(`template[data-part="${page}"]`).content.cloneNode(true));
    const style = root.querySelector('link'), loaded = new Promise((resolve) => {
      style.onload = style.onerror = resolve;
    });
    this.$('.place').replaceChildren(host);
    this.root = root;
    this.close = null;
    await loaded;
    if (root === this.root) this.update();
  }

  /** Gives the component the choices, and writes them into the address. */
  update() {
    const { root } = this, push = { id: 'first', text: this.text, initial: true, holds: null };
    const encodings = Array.from(this.known.values()).filter(({ key }) => this.encodings.has(key));
    const few = encodings.length < MIN_COMPARED_ENCODINGS;
    this.few = this.isCompare && few;
    const data = this.isCompare
      ? { push, encodings, baseline: encodings[0]?.key, few }
      : { push, encoding: this.known.get(this.encoding) };
    this.showHint();
    const end = this.parts[this.page]({ parentElement: root, data, client: this.client });
    this.close = () => {
      root.host.remove();
      end();
    };
    history.replaceState(history.state, '', `?${this.query()}${location.hash}`);
    for (const link of document.querySelectorAll('.languages a')) link.search = this.query(link.lang);
  }

  onTables() {
    this.showHint();
    if (this.client.loading) return;
    keepOffline(this.client.tables, () => this.client.failed.size > 0);
    if (!this.retry && this.missing.length) this.loadMissingLater(FIRST_RETRY_MS);
  }

  showHint() {
    const words = this.few ? tr('Choose at least two models to compare.') : tr('The vocabulary is loading.');
    setText(this.$('.hint'), this.few || this.client.loading ? words : '');
  }

  query(language = new URLSearchParams(location.search).get('lang')) {
    const choice = this.isCompare ? `encodings=${[...this.encodings].join()}` : `encoding=${this.encoding}`;
    return `${language ? `lang=${encodeURIComponent(language)}&` : ''}page=${this.page}&${choice}`;
  }

  drawModels() {
    const { isCompare } = this;
    const isChosen = (key) => (isCompare ? this.encodings.has(key) : this.encoding === key);
    this.$('.models').replaceChildren(this.$('.models legend'), ...Array.from(this.known.values(), (one) => {
      const { key, model, name } = one, type = isCompare ? 'checkbox' : 'radio';
      const input = Object.assign(make('input'), { type, name: 'model', value: key, checked: isChosen(key) });
      input.addEventListener('change', () => this.choose(key, input.checked));
      return make('label', '', input, model, make('small', '', name));
    }));
  }

  choose(key, isChosen) {
    if (!this.isCompare) this.encoding = key;
    else if (isChosen) this.encodings.add(key);
    else this.encodings.delete(key);
    if (this.close) this.update();
  }

  /** Copies a link to the page with its choices, and its text if that is short enough. */
  copyLink() {
    const text = tabState().text ?? this.text, fragment = fragmentFor(text), { origin, pathname } = location;
    const link = fragment.then((found) => `${origin}${pathname}?${this.query()}${found ? `#${found}` : ''}`);
    const words = fragment.then((found) =>
      !text
        ? tr('Link copied.')
        : found
          ? tr('Link copied. Your text is in the link after the #, which browsers never send to a server.')
          : tr('Link copied without the text: a link holds at most {most} characters of text.', {
              most: MAX_LINK_CHARACTERS,
            }),
    );
    return copyText(link, this.$('.share'), this.$('.done'), words);
  }
}

export default (parts, facts) => { new Site(parts, facts); };
