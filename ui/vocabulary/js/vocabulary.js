// A vocabulary as a searchable table: the server filters and sorts, and returns the rows in view.
import { save } from '../../components/js/dom/clipboard.js';
import { keep, kept, share } from '../../components/js/editor/tab-state.js';
import { isStill, make } from '../../components/js/dom/elements.js';
import { EditorClient, Refused } from '../../components/js/net/rpc-client.js';
import { Loupe } from '../../components/js/loupe/loupe.js';
import { mount, Part } from '../../components/js/dom/component.js';
import { Notice } from '../../components/js/editor/notice.js';
import { grouped, setText } from '../../components/js/tokens/readout.js';
import { parseJson, question } from '../../components/js/net/wire-format.js';
import { LANGUAGE, mark, tr, trn } from '../../components/js/dom/i18n.js';
import { chip, nameOf } from './chip.js';
import { Detail } from './detail.js';
import { QueryForm } from './query-form.js';
import { Grid } from './grid.js';
import { subjectOf } from './token-loupe.js';
import { Anomalies } from './anomalies.js';
import { RowCache } from './row-cache.js';

const QUERY_SYNC_DELAY_MS = 600; // ms without a change until the page is told the query
const DETAIL_DELAY_MS = 80; // ms on a token until its facts are requested: keys may pass over many
const COLUMNS = {
  id: mark('id'), token: mark('token'), bytes: mark('bytes'), characters: mark('characters'),
  script: mark('script'), categories: mark('categories'),
};
const SORTS = {
  id: 'id', token: 'text', bytes: 'bytes', characters: 'characters', script: 'script', categories: 'categories',
};
const NOTHING = question([]);

const isSame = (one, other) => Object.entries(one).every(([name, value]) => other[name] === value);

export class Vocabulary extends Part {
  constructor(root) {
    super(root);
    this.notice = new Notice(this.$('.notice'));
    this.form = new QueryForm(this.$('.asking'), () => this.ask());
    this.windows = new RowCache((query, from, count) => this.fetch(query, from, count), () => this.grid.renew());
    this.grid = new Grid(this.$('.grid'), {
      fill: (row, i) => this.fill(row, i), want: (from, to) => this.windows.want(from, to),
      choose: (i) => this.chosen(i), open: () => this.look(),
    });
    this.detail = new Detail(this.$('.detail'), {
      choose: (id) => this.choose(id), loupe: () => this.look(), close: () => this.chooseNone(),
      showScript: (script) => this.narrow({ script, sort_by: '-characters' }),
    });
    this.loupe = new Loupe(this.desk, (isBack) => { if (isBack) this.grid.element.focus({ preventScroll: true }); });
    this.odd = new Anomalies(this.$('.odd'), {
      choose: (id) => this.choose(id), show: (group) => this.narrow({ only: group }),
    });
    this.heads = this.drawHeads();
    Object.assign(this, { token: '', push: null });
    share(() => ({ query: this.query() }), this.window.signal);
  }

  /** Takes the data of a rerun; unchanged data has no effect. */
  update(component) {
    const { data } = component, isOther = this.data?.key !== data.key || this.data?.than !== data.than;
    Object.assign(this, { component, data });
    this.door ??= new EditorClient(data.url);
    this.door.update(component, this.notice);
    if (JSON.stringify(data.options) !== this.offered) this.form.offer(data.options);
    this.offered = JSON.stringify(data.options);
    if (kept().asking && isSame(data.asked, kept().asking.now)) keep({ asking: null });
    if (data.push === this.push && !isOther) return;
    if (isOther) this.odd.empty(data.odd);
    const unheard = this.push === null ? this.unheard() : null, { token, ...asked } = unheard ?? data.asked;
    if (this.push !== null && data.push !== this.push)
      this.$('.asking').scrollIntoView({ block: 'start', behavior: isStill() ? 'instant' : 'smooth' });
    Object.assign(this, { push: data.push, token });
    this.form.asked = asked;
    this.ask(true);
    if (unheard) this.tell();
  }

  // Restores a query that the server never received because the page was left or reloaded right after it.
  unheard() {
    const { key, heard = [], now } = kept().asking ?? {};
    return key === this.data.key && heard.some((one) => isSame(this.data.asked, one)) ? now : null;
  }

  leave() {
    clearTimeout(this.telling);
    clearTimeout(this.looking);
    this.loupe.close();
    this.grid.close();
    this.door?.close();
  }

  // ---- queries ----

  /** Returns the query, with the names that links use. */
  get asked() {
    return this.form.asked;
  }

  /** Returns the choices for the address, without defaults. */
  query() {
    const query = new URLSearchParams(location.search), now = { ...this.asked, token: this.token };
    for (const [name, value] of Object.entries(now))
      if (value === (this.data.begins[name] ?? '')) query.delete(name);
      else query.set(name, value);
    return String(query);
  }

  /** Requests the fields' query. Changes made meanwhile are requested after the answer, only in their latest
   *  state. */
  async ask(isTold = false) {
    this.$('[data-do="clear"]').hidden = !this.isNarrowed;
    if (!isTold) this.tell();
    this.isAgain = true;
    if (this.isAsking) return;
    this.isAsking = true;
    this.desk.classList.add('asking-now');
    while (this.isAgain) {
      this.isAgain = false;
      try {
        const answer = await this.windows.open(this.asked);
        if (answer) this.show(answer, isTold);
      } catch (error) {
        this.say(error);
      }
    }
    this.isAsking = false;
    this.desk.classList.remove('asking-now');
  }

  get isNarrowed() {
    return Object.entries(this.asked).some(
      ([name, value]) => !['sort_by', 'find_as'].includes(name) && value !== (this.data.begins[name] ?? ''),
    );
  }

  async fetch(query, from, count) {
    const { key, than } = this.data;
    return parseJson(
      await this.door.ask(
        'vocabulary',
        {
          encoding: key, than, asked: JSON.stringify(query), start: String(from), count: String(count),
          id: this.token,
        },
        NOTHING,
      ),
    );
  }

  show({ total, whole, place }, isTold) {
    this.notice.say('');
    setText(
      this.$('.total'),
      total === whole ? trn('{n} token', '{n} tokens', total) : tr('{n} of {whole} tokens', { n: total, whole }),
    );
    this.$('.nothing').hidden = total > 0;
    this.showSort();
    this.grid.reset(total, place, isTold);
    this.desk.dataset.total = total;
    this.desk.dataset.asked = JSON.stringify(this.asked);
    if (isTold) this.told = null;
    if (this.token === '') this.detail.empty(this.data.longest);
    else if (String(this.told?.id) !== this.token) this.tellOf(Number(this.token));
    this.odd.fill((group) => this.askFor(group));
  }

  // Uses HTTP where it is reachable, so that typing does not wait.
  async askFor(group) {
    const parameters = { encoding: this.data.key, group, lang: LANGUAGE };
    return parseJson(
      (await this.door.overRoute('vocabulary_odd', parameters, NOTHING)) ??
        (await this.door.ask('vocabulary_odd', parameters, NOTHING)),
    );
  }

  say(error) {
    this.notice.say(
      error instanceof Refused ? error.message : tr('This did not work: {reason}', { reason: error.message }),
    );
  }

  /** Sends the page the query after a pause, for the address and the next visit. */
  tell() {
    const { key, asked } = this.data, now = { ...this.asked, token: this.token };
    keep({ asking: { key, heard: [asked, this.said ?? asked], now } });
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.component.setTriggerValue('asked', this.said = now), QUERY_SYNC_DELAY_MS);
  }

  // ---- the table ----

  drawHeads() {
    const heads = Object.entries(COLUMNS).map(([name, words]) => {
      const head = Object.assign(make('div', `cell ${name}`, tr(words)), { role: 'columnheader' });
      if (name in SORTS) {
        head.replaceChildren(
          Object.assign(make('button', '', tr(words)), {
            type: 'button', title: tr('Sort by this; again turns the order around'),
          }),
        );
        head.firstChild.dataset.do = `sort ${SORTS[name]}`;
      }
      return head;
    });
    this.$('.head .row').append(...heads);
    return heads;
  }

  showSort() {
    const { sort_by: sort } = this.asked, name = sort.replace(/^-/, '');
    for (const head of this.heads)
      head.ariaSort =
        head.firstChild.dataset?.do === `sort ${name}` ? (sort === name ? 'ascending' : 'descending') : null;
  }

  fill(row, i) {
    const token = this.windows.row(i);
    if (row.token === token) return;
    row.token = token;
    row.classList.toggle('to-come', !token);
    row.replaceChildren(...(token ? cells(token) : [cell('id', '…')]));
  }

  // ---- the chosen token ----

  /** Selects row i. */
  chosen(i) {
    const row = this.windows.row(i);
    // it is loading
    if (!row)
      return void setTimeout(() => {
        if (this.grid.chosen === i && this.desk.isConnected) this.chosen(i);
      }, DETAIL_DELAY_MS);
    this.token = String(row.id);
    setText(this.$('.live'), tr('{token}, id {id}', { token: nameOf(row), id: this.token }));
    clearTimeout(this.looking);
    this.looking = setTimeout(() => this.tellOf(row.id), DETAIL_DELAY_MS);
    this.tell();
  }

  /** Selects a token: its row in the current table, else in the whole vocabulary. */
  async choose(id) {
    this.token = String(id);
    this.tell();
    this.$('.panes').scrollIntoView({ block: 'nearest', behavior: isStill() ? 'instant' : 'smooth' });
    const { place } = await this.fetch(this.asked, 0, 0);
    if (String(id) !== this.token) return;
    if (place >= 0) {
      this.grid.go(place);
    } else {
      this.grid.reset(this.windows.total, -1, false);
      this.tellOf(id);
    }
  }

  chooseNone() {
    Object.assign(this, { token: '', told: null });
    this.grid.chooseNone();
    this.detail.empty(this.data.longest);
    this.tell();
  }

  async tellOf(id) {
    const { key, than } = this.data;
    try {
      const told = parseJson(await this.door.ask('vocabulary_token', { encoding: key, than, id: String(id) }, NOTHING));
      if (String(id) !== this.token) return;
      this.told = told;
      this.detail.show(told);
      this.desk.dataset.told = id;
    } catch (error) {
      this.say(error);
    }
  }

  // ---- the loupe ----

  /** Opens the chosen token in the loupe. */
  async look() {
    if (this.token === '') return;
    if (String(this.told?.id) !== this.token) await this.tellOf(Number(this.token));
    const { key } = this.data;
    this.loupe.open(
      subjectOf(this.told, {
        ask: async (bytes) =>
          parseJson(await this.door.ask('loupe', { encoding: key, special: 'text', at: '0' }, question([{ bytes }]))),
        why: (text) => this.component.setTriggerValue('why', { key, at: 0, text }),
        elements: () => [this.$('.name .chip')].filter(Boolean),
        go: (by) => this.turn(by),
      }),
    );
  }

  async turn(by) {
    this.grid.go(this.grid.chosen + by);
    clearTimeout(this.looking);
    await this.tellOf(Number(this.token));
    this.look();
  }

  // ---- buttons ----

  async pressed(button) {
    const [action, name] = button.dataset.do.split(' ');
    try {
      if (action === 'sort') this.sortBy(name);
      else if (action === 'clear') this.clear();
      else await this.take(action);
    } catch (error) {
      this.say(error);
    }
  }

  sortBy(name) {
    this.form.asked = { sort_by: this.asked.sort_by === name ? `-${name}` : name };
    this.ask();
  }

  clear() {
    this.narrow({});
    this.$('[name="find"]').focus();
  }

  /** Sets the query to these values only. */
  narrow(asked) {
    this.form.asked = { ...this.data.begins, sort_by: this.asked.sort_by, ...asked };
    this.ask();
    this.$('.sums').scrollIntoView({ block: 'nearest' });
  }

  async take(form) {
    const { key, than, name } = this.data;
    const content = await this.door.ask(
      `vocabulary_${form}`, { encoding: key, than, asked: JSON.stringify(this.asked) }, NOTHING,
    );
    save(new Blob([content]), `vocabulary-${name.replace(/[^\w.-]+/g, '_')}.${form}`);
  }
}

const cell = (name, ...children) => Object.assign(make('div', `cell ${name}`, ...children), { role: 'gridcell' });

function cells(token) {
  const { id, numBytes, numCharacters, script, categories } = token;
  return [
    cell('id', String(id)), cell('token', chip(token)), cell('bytes', grouped(numBytes)),
    cell('characters', numCharacters === null ? '–' : grouped(numCharacters)), cell('script', script),
    cell('categories', make('code', '', categories)),
  ];
}

export default mount(Vocabulary);
