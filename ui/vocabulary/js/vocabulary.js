// A vocabulary as a searchable table: the server filters and sorts, and returns the rows in view.
import { saveFile } from '../../../web/js/dom/clipboard.js';
import { updateTab, tabState, provideLinkContent } from '../../../web/js/editor/tab-state.js';
import { prefersReducedMotion, make } from '../../../web/js/dom/elements.js';
import { describeError, EditorClient } from '../../../web/js/net/rpc-client.js';
import { Loupe } from '../../../web/js/loupe/loupe.js';
import { mount, Component } from '../../../web/js/dom/component.js';
import { Notice } from '../../../web/js/editor/notice.js';
import { formatInteger, setText } from '../../../web/js/tokens/readout.js';
import { parseJson, encodeTexts } from '../../../web/js/net/wire-format.js';
import { LANGUAGE, mark, tr, trn } from '../../../web/js/dom/i18n.js';
import { chip, nameOf } from './chip.js';
import { Detail } from './detail.js';
import { QueryForm } from './query-form.js';
import { Grid } from './grid.js';
import { subjectOf } from './token-loupe.js';
import { totalInWords } from './total.js';
import { Anomalies } from './anomalies.js';
import { RowCache } from './row-cache.js';

const QUERY_SYNC_DELAY_MS = 600; // without a change, until the page receives the query
const DETAIL_DELAY_MS = 80; // with a token selected, until its facts are requested: keys may pass over many
const COLUMNS = {
  id: mark('id'), token: mark('token'), bytes: mark('bytes'), characters: mark('characters'),
  script: mark('script'), categories: mark('categories'),
};
const ID = /^\d{1,7}$/;
const LENGTHS = new Set(['bytes', 'characters']);
const NO_TEXTS = encodeTexts([]);
const SILENT = tr('The server is not answering. The page tries again until the server answers.');

const isSame = (one, other) => Object.entries(one).every(([name, value]) => other[name] === value);

class Vocabulary extends Component {
  constructor(root) {
    super(root);
    this.notice = new Notice(this.$('.notice'), SILENT);
    this.form = new QueryForm(this.$('.asking'), () => this.search());
    this.rows = new RowCache((query, from, count) => this.fetch(query, from, count), () => this.grid.redrawRows());
    this.grid = new Grid(this.$('.grid'), {
      drawRow: (row, i) => this.drawRow(row, i), onVisible: (from, to) => this.rows.requestRows(from, to),
      choose: (i) => this.onRowChosen(i), open: () => this.openLoupe(),
    });
    this.detail = new Detail(this.$('.detail'), {
      choose: (id) => this.choose(id), loupe: () => this.openLoupe(), close: () => this.chooseNone(),
      showScript: (script) => this.filterBy({ script, sort_by: '-characters' }),
    });
    this.loupe = new Loupe(this.desk, (isBack) => { if (isBack) this.grid.element.focus({ preventScroll: true }); });
    this.anomalies = new Anomalies(this.$('.odd'), {
      choose: (id) => this.choose(id), show: (group) => this.filterBy({ only: group }),
    });
    this.heads = this.drawHeads();
    Object.assign(this, { token: '', push: null });
    provideLinkContent(() => ({ query: this.query() }), this.windowListeners.signal);
  }

  /** Applies the data of a rerun; unchanged data has no effect. */
  update(component) {
    const { data } = component, isOther = this.data?.key !== data.key || this.data?.than !== data.than;
    Object.assign(this, { component, data });
    this.client ??= new EditorClient(data.url);
    this.client.update(component, this.notice);
    if (JSON.stringify(data.options) !== this.shownOptions) this.form.setOptions(data.options);
    this.shownOptions = JSON.stringify(data.options);
    const { queryChange } = tabState();
    if (queryChange && isSame(data.query, queryChange.latest)) updateTab({ queryChange: null });
    this.showAdverts(tabState().showsAdverts);
    if (data.push === this.push && !isOther) return;
    if (isOther) this.anomalies.empty(data.odd);
    const unsent = this.push === null ? this.unsentQuery() : this.typedMeanwhile(data);
    const { token, ...query } = unsent ?? data.query;
    if (this.push !== null && data.push !== this.push)
      this.$('.asking').scrollIntoView({ block: 'start', behavior: prefersReducedMotion() ? 'instant' : 'smooth' });
    Object.assign(this, { push: data.push, token });
    this.form.query = query;
    this.search(true);
    if (unsent) this.scheduleSync();
  }

  // Returns the query of `data` with the text that was typed while the server prepared this other vocabulary, or null.
  typedMeanwhile({ push, query }) {
    const { latest } = tabState().queryChange ?? {};
    const isTyped = latest?.find === this.form.query.find && push === this.push;
    return isTyped ? { ...query, find: latest.find, find_as: latest.find_as } : null;
  }

  // Returns the last query if the server has not received it because the page was left or reloaded, else null.
  unsentQuery() {
    const { key, sent = [], latest } = tabState().queryChange ?? {};
    return key === this.data.key && sent.some((one) => isSame(this.data.query, one)) ? latest : null;
  }

  destroy() {
    clearTimeout(this.syncTimer);
    clearTimeout(this.detailTimer);
    this.loupe.close();
    this.grid.close();
    this.client?.close();
  }

  query() {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries({ ...this.form.query, token: this.token }))
      if (value === (this.data.begins[name] ?? '')) query.delete(name);
      else query.set(name, value);
    return String(query);
  }

  /** Requests the fields' query, which the page has sent if `isFromPage`. Changes made meanwhile are requested after
   *  the answer, only in their latest state. */
  async search(isFromPage = false) {
    this.$('[data-do="clear"]').hidden = !this.isNarrowed;
    this.offerId();
    if (!isFromPage) this.scheduleSync();
    this.isChanged = true;
    if (this.isSearching) return;
    this.isSearching = true;
    this.desk.classList.add('searching');
    while (this.isChanged) {
      this.isChanged = false;
      try {
        const answer = await this.rows.open(this.form.query);
        if (answer) this.show(answer, isFromPage);
      } catch (error) {
        this.notice.showProblem(describeError(error));
      }
    }
    this.isSearching = false;
    this.desk.classList.remove('searching');
  }

  get isNarrowed() {
    return Object.entries(this.form.query).some(
      ([name, value]) => !['sort_by', 'find_as'].includes(name) && value !== (this.data.begins[name] ?? ''),
    );
  }

  async fetch(query, from, count) {
    const { key, than } = this.data;
    const parameters = {
      encoding: key, than, query: JSON.stringify(query), start: String(from), count: String(count), id: this.token,
    };
    return parseJson(await this.client.ask('vocabulary', parameters, NO_TEXTS));
  }

  show({ total, whole, place }, isFromPage) {
    this.notice.showProblem('');
    setText(this.$('.total'), totalInWords({ total, whole }, this.form.query.role));
    this.$('.nothing').hidden = total > 0;
    this.showSort();
    this.grid.reset(total, place, isFromPage);
    this.desk.dataset.total = total;
    this.desk.dataset.query = JSON.stringify(this.form.query);
    if (isFromPage) this.chosenToken = null;
    if (this.token === '') this.detail.empty(this.data.longest);
    else if (String(this.chosenToken?.id) !== this.token) this.showDetail(Number(this.token));
    this.anomalies.fill((group) => this.fetchGroup(group));
  }

  // Uses HTTP if it is reachable, so that a slow answer does not block the socket for typing.
  async fetchGroup(group) {
    const parameters = { encoding: this.data.key, group, lang: LANGUAGE };
    return parseJson(
      (await this.client.askOverHttp('vocabulary_anomalies', parameters, NO_TEXTS)) ??
        (await this.client.ask('vocabulary_anomalies', parameters, NO_TEXTS)),
    );
  }

  /** Sends the page the query after a pause, for the address and the next visit. */
  scheduleSync() {
    const { key, query } = this.data, latest = { ...this.form.query, token: this.token };
    updateTab({ queryChange: { key, sent: [query, this.sent ?? query], latest } });
    clearTimeout(this.syncTimer);
    this.syncTimer = setTimeout(() => {
      this.component.setTriggerValue('query', { ...(this.sent = latest), key });
    }, QUERY_SYNC_DELAY_MS);
  }

  drawHeads() {
    const heads = Object.entries(COLUMNS).map(([name, words]) => {
      const button = Object.assign(make('button', '', tr(words)), {
        type: 'button', title: tr('Sort by this column; select again to reverse the order'),
      });
      button.dataset.do = `sort ${name === 'token' ? 'text' : name}`; // by the server's name of the order
      return Object.assign(make('div', `cell ${name}`, button), { role: 'columnheader' });
    });
    this.$('.head .row').append(...heads);
    return heads;
  }

  showSort() {
    const { sort_by: sort } = this.form.query, name = sort.replace(/^-/, '');
    for (const head of this.heads)
      head.ariaSort =
        head.firstChild.dataset.do === `sort ${name}` ? (sort === name ? 'ascending' : 'descending') : null;
  }

  drawRow(row, i) {
    const token = this.rows.row(i);
    if (row.token === token) return;
    row.token = token;
    row.classList.toggle('to-come', !token);
    row.replaceChildren(...(token ? cells(token) : [cell('id', '…')]));
  }

  onRowChosen(i) {
    const row = this.rows.row(i);
    if (!row) // it is loading
      return void setTimeout(() => {
        if (this.grid.chosen === i && this.desk.isConnected) this.onRowChosen(i);
      }, DETAIL_DELAY_MS);
    this.token = String(row.id);
    setText(this.$('.live'), tr('{token}, id {id}', { token: nameOf(row), id: this.token }));
    clearTimeout(this.detailTimer);
    this.detailTimer = setTimeout(() => this.showDetail(row.id), DETAIL_DELAY_MS);
    this.scheduleSync();
  }

  /** Selects a token: its row in the current table, else in the whole vocabulary. */
  async choose(id) {
    this.token = String(id);
    this.scheduleSync();
    this.$('.panes').scrollIntoView({ block: 'nearest', behavior: prefersReducedMotion() ? 'instant' : 'smooth' });
    let place;
    try {
      ({ place } = await this.fetch(this.form.query, 0, 0));
    } catch (error) {
      return this.notice.showProblem(describeError(error));
    }
    if (String(id) !== this.token) return;
    if (place >= 0) {
      this.grid.select(place);
    } else {
      this.grid.reset(this.rows.total, -1, false);
      this.showDetail(id);
    }
  }

  chooseNone() {
    Object.assign(this, { token: '', chosenToken: null });
    this.grid.chooseNone();
    this.detail.empty(this.data.longest);
    this.scheduleSync();
  }

  async showDetail(id) {
    const { key, than } = this.data, parameters = { encoding: key, than, id: String(id) };
    try {
      const token = parseJson(await this.client.ask('vocabulary_token', parameters, NO_TEXTS));
      if (String(id) !== this.token) return;
      this.chosenToken = token;
      this.detail.show(token);
    } catch (error) {
      this.notice.showProblem(describeError(error));
    }
  }

  async openLoupe() {
    if (this.token === '') return;
    if (String(this.chosenToken?.id) !== this.token) await this.showDetail(Number(this.token));
    if (String(this.chosenToken?.id) !== this.token) return; // it could not be loaded; a notice says why
    const { key } = this.data, parameters = { encoding: key, special: 'text', at: '0' };
    this.loupe.open(
      subjectOf(this.chosenToken, {
        ask: async (bytes) => parseJson(await this.client.ask('loupe', parameters, encodeTexts([{ bytes }]))),
        why: (text) => this.component.setTriggerValue('why', { key, at: 0, text }),
        elements: () => [this.$('.name .chip')].filter(Boolean),
        go: (by) => this.step(by),
        isVeiled: this.chosenToken.isAdvert && !this.showsAdverts,
      }),
    );
  }

  async step(by) {
    this.grid.select(this.grid.chosen + by);
    clearTimeout(this.detailTimer);
    await this.showDetail(Number(this.token));
    this.openLoupe();
  }

  async onPress(button) {
    const [action, name] = button.dataset.do.split(' ');
    try {
      if (action === 'sort') this.sortBy(name);
      else if (action === 'clear') this.clear();
      else if (action === 'id') this.showId();
      else if (action === 'adverts') this.showAdverts(button.ariaPressed === 'false');
      else await this.download(action);
    } catch (error) {
      this.notice.showProblem(describeError(error));
    }
  }

  /** Sorts by a column, lengths the largest first; the column by which the rows are sorted is reversed. */
  sortBy(name) {
    const first = LENGTHS.has(name) ? `-${name}` : name, other = LENGTHS.has(name) ? name : `-${name}`;
    this.form.query = { sort_by: this.form.query.sort_by === first ? other : first };
    this.search();
  }

  /** Shows the adverts among the tokens, or veils them; on the stage they are always veiled. */
  showAdverts(areShown = false) {
    const button = this.$('[data-do="adverts"]'), { adverts: n } = this.data;
    updateTab({ showsAdverts: areShown });
    this.desk.classList.toggle('shows-adverts', areShown);
    Object.assign(button, { hidden: !n, ariaPressed: String(areShown) });
    const veiled = trn('{n} adult or gambling token hidden: show', '{n} adult or gambling tokens hidden: show', n);
    const shown = trn('Hide {n} adult or gambling token', 'Hide {n} adult or gambling tokens', n);
    setText(button, areShown ? shown : veiled);
  }

  get showsAdverts() {
    return this.desk.matches('.shows-adverts:not(.staged)');
  }

  updateStageMode() {
    super.updateStageMode();
    if (this.loupe?.isOpen && this.chosenToken.isAdvert) this.openLoupe(); // its text is now veiled, or shown
  }

  clear() {
    this.filterBy({});
    this.$('[name="find"]').focus();
  }

  // The id that is searched as if it were a text, or "".
  get searchedId() {
    return ID.test(this.form.query.find.trim()) ? String(Number(this.form.query.find)) : '';
  }

  offerId() {
    const id = this.searchedId;
    setText(this.$('[data-do="id"]'), id && tr('Show the token with id {id}', { id }));
    this.$('[data-do="id"]').hidden = !id;
  }

  showId() {
    const id = this.searchedId;
    this.chooseNone();
    this.filterBy({ id_range: id });
    this.grid.element.focus({ preventScroll: true }); // the pressed button is hidden
  }

  filterBy(query) {
    this.form.query = { ...this.data.begins, sort_by: this.form.query.sort_by, ...query };
    this.search();
    this.$('.sums').scrollIntoView({ block: 'nearest' });
  }

  async download(form) {
    const { key, than, name } = this.data;
    const content = await this.client.ask(
      `vocabulary_${form}`, { encoding: key, than, query: JSON.stringify(this.form.query) }, NO_TEXTS,
    );
    saveFile(new Blob([content]), `vocabulary-${name.replace(/[^\w.-]+/g, '_')}.${form}`);
  }
}

const cell = (name, ...children) => Object.assign(make('div', `cell ${name}`, ...children), { role: 'gridcell' });

function cells(token) {
  const { id, numBytes, numCharacters, script, categories } = token;
  return [
    cell('id', String(id)), cell('token', chip(token)), cell('bytes', formatInteger(numBytes)),
    cell('characters', numCharacters === null ? '–' : formatInteger(numCharacters)), cell('script', script),
    cell('categories', make('code', '', categories)),
  ];
}

export default mount(Vocabulary);
