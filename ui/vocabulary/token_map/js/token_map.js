// All ids of a vocabulary as one picture. The server gives a group and a length for each id at once, and the text of a
// token when it is looked at.
import { tabState, updateTab } from '../../../../web/js/editor/tab-state.js';
import { Notice } from '../../../../web/js/editor/notice.js';
import { wellFormed } from '../../../../web/js/editor/text.js';
import { cachedPromise, make, makeButton, prefersReducedMotion } from '../../../../web/js/dom/elements.js';
import { mount, Component } from '../../../../web/js/dom/component.js';
import { tr, trn } from '../../../../web/js/dom/i18n.js';
import { describeError, EditorClient } from '../../../../web/js/net/rpc-client.js';
import { decodeTokens, encodeTexts, parseJson } from '../../../../web/js/net/wire-format.js';
import { formatDecimal, formatInteger, setText } from '../../../../web/js/tokens/readout.js';
import { chip, nameOf, tokenButton } from '../../js/chip.js';
import { listen } from './map-input.js';
import { LENGTHS_SHOWN, MapPicture, MIN_NAMED_PX, strengthOf } from './map-picture.js';
import { flightBetween, MAX_SQUARE_PX, MapView } from './map-view.js';
import { TokenRows } from './token-rows.js';

const INPUT_DELAY_MS = 120; // without a key, until the server is asked
const SPEAK_DELAY_MS = 250; // on one token, until it is announced: keys may pass over many
const MAX_FOUND_TOKENS = 8;
const MAX_BUTTONS = 60; // of a text's tokens
const MAX_MARKED = 200; // of a group; a larger one is shown by fading the others
const MIN_STEP_PX = 40; // of an arrow key, in pixels
const KEY_ZOOM = 1.5;
const MAX_MAPS = 3; // that are kept
const NO_TEXTS = encodeTexts([]);
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const maps = new Map(); // by the keys of the encodings: promises of their columns

export class TokenMap extends Component {
  constructor(root) {
    super(root);
    this.notice = new Notice(this.$('.notice'));
    this.box = this.$('.picture');
    this.view = new MapView();
    this.picture = new MapPicture(this.$('canvas'));
    this.rows = new TokenRows((ids) => this.fetchRows(ids), () => this.onRows());
    Object.assign(this, { current: -1, hovered: -1, group: -1, path: [], bySharing: true, isLoaded: false });
    Object.assign(this, { numSearches: 0, timers: {} });
    listen(this.box, {
      hover: (x, y) => this.hover(this.view.idAt(x, y)), leave: () => this.hover(-1),
      pick: (x, y) => this.choose(this.view.idAt(x, y)),
      pan: (dx, dy) => this.move(() => this.view.pan(dx, dy)),
      zoom: (factor, x, y) => this.move(() => this.view.zoom(factor, x, y)),
    });
    this.resizeObserver = new ResizeObserver(() => this.resize());
    this.resizeObserver.observe(this.box);
    this.$('[name="find"]').addEventListener('input', () => this.later('find', () => this.search()));
    this.$('[name="text"]').addEventListener('input', () => this.later('text', () => this.markText()));
    this.$('form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.search(true);
    });
  }

  /** Runs an action for a field once its typing pauses. */
  later(field, action) {
    clearTimeout(this.timers[field]);
    this.timers[field] = setTimeout(action, INPUT_DELAY_MS);
  }

  /** Applies the data of a rerun, or another theme. */
  update(component) {
    const { data } = component, isOther = this.data?.key !== data.key || this.data?.than !== data.than;
    Object.assign(this, { component, data });
    this.client ??= new EditorClient(data.url);
    this.client.update(component, this.notice);
    this.drawLegend();
    if (!isOther) return void this.repaint();
    return this.load();
  }

  destroy() {
    for (const timer of [...Object.values(this.timers), this.speakTimer]) clearTimeout(timer);
    cancelAnimationFrame(this.frame);
    this.resizeObserver.disconnect();
    this.client?.close();
  }

  async load() {
    const { key, than, groups } = this.data, isThis = () => this.data.key === key && this.data.than === than;
    Object.assign(this, { isLoaded: false, current: -1, hovered: -1, group: -1, groupIds: null });
    Object.assign(this, { path: [], flight: null });
    this.rows.clear();
    try {
      const columns = await this.columns();
      if (!isThis()) return;
      this.picture.load(columns, groups.map(({ kind }) => kind));
      this.isLoaded = true;
      this.view.numIds = 0; // another vocabulary is shown as a whole
      this.resize();
      this.$('[name="text"]').value ||= tabState().mapText ?? '';
      this.drawFacts();
      this.drawLegend();
      await this.markText();
    } catch (error) {
      if (isThis()) this.notice.showProblem(describeError(error));
    }
  }

  // Returns { groups, lengths, shared: null without a second vocabulary }.
  async columns() {
    const { key, than } = this.data, name = JSON.stringify([key, than]);
    const ask = () => this.client.ask('vocabulary_map', { encoding: key, than }, NO_TEXTS);
    const all = new Uint8Array(await cachedPromise(maps, name, ask, MAX_MAPS)), numIds = all.length / (than ? 3 : 2);
    const column = (i) => all.subarray(i * numIds, (i + 1) * numIds);
    return { groups: column(0), lengths: column(1), shared: than ? column(2) : null };
  }

  async fetchRows(ids) {
    const { key, than } = this.data;
    return parseJson(await this.client.ask('vocabulary_ids', { encoding: key, than, ids: ids.join() }, NO_TEXTS));
  }

  // Drawing

  updateStageMode() {
    super.updateStageMode();
    if (this.view) this.resize(); // the stage has colors of its own
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.box, { canvas, columns } = this.picture;
    if (!this.isLoaded || !width || !height) return;
    const scale = devicePixelRatio;
    Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
    const unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.view.layOut(columns.groups.length, width, height, unit);
    this.desk.dataset.columns = this.view.columns;
    this.drawWords();
    this.repaint();
  }

  get isBySharing() {
    return this.bySharing && Boolean(this.data.than);
  }

  /** Paints the picture again: the theme, the order of the squares or the choices may have changed. */
  repaint() {
    if (!this.isLoaded) return;
    this.picture.recolor(this.data.groups.map(({ color }) => color));
    this.picture.paint(this.view, { bySharing: this.isBySharing, group: this.group });
    this.redraw();
  }

  /** Draws the view with the next frame. */
  redraw() {
    this.frame ??= requestAnimationFrame((now) => {
      this.frame = null;
      this.draw(now);
    });
  }

  draw(now) {
    if (!this.isLoaded) return;
    const { view, flight } = this;
    if (flight) {
      flight.start ??= now;
      const share = Math.min(1, flight.ms ? (now - flight.start) / flight.ms : 1);
      view.moveTo(flight.at(share < 0.5 ? 2 * share ** 2 : 1 - 2 * (1 - share) ** 2));
      if (share >= 1) this.flight = null;
    }
    this.box.classList.toggle('zoomed', !view.isWhole);
    const isNamed = view.square >= MIN_NAMED_PX * view.unit && !this.flight;
    if (isNamed) this.rows.want([this.shown, ...view.visibleIds()].filter((id) => id >= 0));
    this.picture.draw(view, {
      marks: this.marks, isPath: this.path.length > 0, current: this.shown, rowOf: (id) => this.rows.get(id),
    });
    Object.assign(this.desk.dataset, { square: view.square.toFixed(3), isFlying: String(Boolean(this.flight)) });
    if (this.flight) this.redraw();
  }

  get marks() {
    if (this.path.length || this.group < 0 || this.data.groups[this.group].count > MAX_MARKED) return this.path;
    return this.groupIds ??= idsOf(this.group, this.picture.columns.groups);
  }

  // Moving

  move(change) {
    if (!this.isLoaded) return;
    this.flight = null;
    change();
    this.redraw();
  }

  fly(place) {
    const { view } = this, from = view.place;
    if (prefersReducedMotion()) return this.move(() => view.moveTo(place));
    this.flight = flightBetween(from, place, view.width);
    this.desk.dataset.isFlying = 'true'; // `draw` would say so only with the next frame
    return this.redraw();
  }

  /** Flies to a token and chooses it. */
  goTo(id) {
    const { view } = this;
    this.choose(id);
    this.fly({ ...view.placeOf(id), square: Math.min(view.maxSquare, MAX_SQUARE_PX * view.unit) });
  }

  onKey(event) {
    if (event.target !== this.box || event.ctrlKey || event.metaKey || event.altKey || !this.isLoaded) return;
    const { key, shiftKey } = event, { view } = this;
    if (key in ARROWS) this.step(...ARROWS[key], shiftKey);
    else if (key === '+' || key === '=') this.zoomBy(KEY_ZOOM);
    else if (key === '-' || key === '_') this.zoomBy(1 / KEY_ZOOM);
    else if (key === 'Home') this.fly(view.wholePlace);
    else if (key === 'Enter' && this.current >= 0) this.showInTable();
    else return;
    event.preventDefault();
  }

  // Moves the chosen id by some squares, one with Shift, and the map with it.
  step(dx, dy, isFine) {
    const { view } = this, by = isFine ? 1 : Math.max(1, Math.round((MIN_STEP_PX * view.unit) / view.square));
    const start = this.current < 0 ? Math.max(0, view.idAt(view.width / 2, view.height / 2)) : this.current;
    const column = Math.max(0, Math.min(view.columns - 1, (start % view.columns) + dx * by));
    const row = Math.max(0, Math.min(view.rows - 1, Math.floor(start / view.columns) + dy * by));
    const id = this.current < 0 ? start : Math.min(view.numIds - 1, row * view.columns + column);
    this.move(() => view.moveTo({ ...view.placeOf(id), square: view.square }));
    this.choose(id);
  }

  // Zooms about the chosen token, or the middle.
  zoomBy(factor) {
    const { view, current } = this, place = current < 0 ? view.place : view.placeOf(current);
    this.move(() => view.moveTo({ ...place, square: view.square * factor }));
  }

  onPress(button) {
    const [action, i] = button.dataset.do.split(' ');
    if (action === 'zoom-in') this.zoomBy(2);
    else if (action === 'zoom-out') this.zoomBy(1 / 2);
    else if (action === 'whole') this.fly(this.view.wholePlace);
    else {
      if (action === 'sharing') this.bySharing = !this.bySharing;
      else this.group = this.group === Number(i) ? -1 : Number(i);
      this.groupIds = null;
      this.drawLegend();
      this.drawWords();
      this.repaint();
    }
  }

  showInTable() {
    this.component.setTriggerValue('token', { id: this.current });
  }

  // Tokens

  get shown() {
    return this.hovered >= 0 ? this.hovered : this.current;
  }

  hover(id) {
    if (id === this.hovered || !this.isLoaded) return;
    this.hovered = id;
    this.onShown();
  }

  choose(id) {
    if (id < 0 || !this.isLoaded) return;
    Object.assign(this, { current: id, hovered: -1 });
    this.onShown();
    clearTimeout(this.speakTimer);
    this.speakTimer = setTimeout(() => this.speak(), SPEAK_DELAY_MS);
  }

  onShown() {
    if (this.shown >= 0) this.rows.want([this.shown]);
    this.drawFacts();
    this.redraw();
  }

  onRows() {
    this.drawFacts();
    this.drawPath();
    if (this.speaksLater) this.speak();
    this.redraw();
  }

  speak() {
    const row = this.rows.get(this.current);
    this.speaksLater = !row;
    if (row) setText(this.$('.live'), [nameOf(row), ...this.factsOf(row)].join(', '));
  }

  // Returns what is known of a token, in words, besides its text.
  factsOf(row) {
    const { than, thanName } = this.data, { kind } = this.data.groups[this.picture.columns.groups[row.id]];
    if (kind === 'unused') return [tr('id {id}', { id: String(row.id) }), tr('No token has this id.')];
    return [
      tr('id {id}', { id: String(row.id) }), row.script, trn('{n} byte', '{n} bytes', row.numBytes),
      than && 'idThere' in row &&
        (row.idThere === null
          ? tr('not in {name}', { name: thanName })
          : tr('in {name} with id {id}', { name: thanName, id: String(row.idThere) })),
    ].filter(Boolean);
  }

  drawFacts() {
    const { shown } = this, place = this.$('.facts');
    if (shown < 0)
      return place.replaceChildren(tr('Point at a square, or tap it, to see its token.'));
    const { groups } = this.picture.columns, row = this.rows.get(shown), group = this.data.groups[groups[shown]];
    this.desk.dataset.shown = row ? shown : '';
    if (!row) return place.replaceChildren(tr('id {id}', { id: String(shown) }), ` · ${group.words}`);
    const isUnused = group.kind === 'unused', facts = this.factsOf(row).map((words) => make('span', '', words));
    facts[1].prepend(swatch(group));
    const parts = isUnused ? facts : [chip(row), ...facts];
    if (row.text !== null && !isUnused && !row.isAdvert) parts.push(make('code', '', row.hex));
    if (shown === this.current && !isUnused) {
      parts.push(makeButton('', () => this.showInTable(), tr('Show in the table')));
    }
    return place.replaceChildren(...parts);
  }

  // Fields

  /** Shows the tokens that contain what is typed, the shortest first, after the token with this id; flies to the
   *  first with `goes`. */
  async search(goes = false) {
    clearTimeout(this.timers.find);
    const { key } = this.data, { value: find } = this.$('[name="find"]'), number = ++this.numSearches;
    const query = JSON.stringify({ find, find_as: 'exact', sort_by: 'characters' });
    const isId = /^\d{1,9}$/.test(find) && Number(find) < this.view.numIds;
    try {
      const [own, { rows, total }] = find
        ? await Promise.all([
            isId ? this.fetchRows([Number(find)]) : [],
            this.client
              .ask('vocabulary', { encoding: key, query, count: String(MAX_FOUND_TOKENS) }, NO_TEXTS)
              .then(parseJson),
          ])
        : [[], { rows: [], total: 0 }];
      if (number !== this.numSearches || key !== this.data.key) return;
      const found = [...own, ...rows.filter(({ id }) => id !== own[0]?.id)];
      this.notice.showProblem('');
      const parts = found.map((row) => tokenButton(row, (id) => this.goTo(id)));
      if (total > rows.length) parts.push(tr('and {n} more', { n: formatInteger(total - rows.length) }));
      const place = this.$('.found');
      place.replaceChildren(...(find && !found.length ? [tr('No token contains this text.')] : parts));
      place.hidden = !find;
      if (goes && found.length) this.goTo(found[0].id);
    } catch (error) {
      this.notice.showProblem(describeError(error));
    }
  }

  /** Marks the tokens of the typed text on the whole map. */
  async markText() {
    clearTimeout(this.timers.text);
    const { key } = this.data, { value: text } = this.$('[name="text"]');
    const bytes = new TextEncoder().encode(wellFormed(text));
    updateTab({ mapText: text });
    try {
      const parameters = { encoding: key, special: 'text' };
      const ids = bytes.length
        ? Array.from(decodeTokens(await this.client.ask('tokens', parameters, encodeTexts([{ bytes }])))[0].ids)
        : [];
      if (key !== this.data.key || text !== this.$('[name="text"]').value) return;
      this.notice.showProblem('');
      this.path = ids;
      if (ids.length && !this.view.isWhole) this.fly(this.view.wholePlace);
      this.rows.want(ids.slice(0, MAX_BUTTONS));
      this.drawPath();
      this.drawWords();
      this.redraw();
    } catch (error) {
      this.notice.showProblem(describeError(error));
    }
  }

  drawPath() {
    const { path } = this, place = this.$('.marked'), rows = path.slice(0, MAX_BUTTONS).map((id) => this.rows.get(id));
    this.desk.dataset.path = path.join(' ');
    place.hidden = !path.length;
    if (!path.length) return place.replaceChildren();
    const parts = [make('b', '', trn('{n} token:', '{n} tokens:', path.length))];
    parts.push(...rows.filter(Boolean).map((row) => tokenButton(row, (id) => this.goTo(id))));
    if (path.length > MAX_BUTTONS) parts.push(tr('and {n} more', { n: path.length - MAX_BUTTONS }));
    return place.replaceChildren(...parts);
  }

  // The legend

  drawLegend() {
    const { groups, than, thanName } = this.data;
    const focused = this.root.getRootNode().activeElement?.dataset.do;
    this.$('tbody').replaceChildren(...groups.flatMap((group, i) => {
      if (!group.count) return [];
      const button = make('button', '', swatch(group), group.words);
      Object.assign(button, { type: 'button', ariaPressed: String(this.group === i) });
      button.title = tr('Show these ids in full colour, and fade the others');
      button.dataset.do = `group ${i}`;
      const bytes = group.kind === 'script' ? formatDecimal(group.bytes / group.count, 1) : '–';
      return [make(
        'tr', '', Object.assign(make('th', '', button), { scope: 'row' }), make('td', '', formatInteger(group.count)),
        make('td', '', bytes),
      )];
    }));
    if (focused) this.$(`[data-do="${focused}"]`)?.focus();
    const sharing = this.$('[data-do="sharing"]');
    Object.assign(sharing, { hidden: !than, ariaPressed: String(this.bySharing) });
    setText(sharing, tr('Strong colour: tokens that {name} has too', { name: thanName }));
    const hue = groups[0].color || 'var(--ink)', scale = LENGTHS_SHOWN.map((n, i) => {
      const one = make('i'), last = i === LENGTHS_SHOWN.length - 1, share = Math.round(100 * strengthOf(n));
      one.style.setProperty('--swatch', `color-mix(in srgb, ${hue} ${share}%, var(--paper))`);
      return make('span', '', one, last ? tr('{n} bytes or more', { n }) : formatInteger(n));
    });
    this.$('.scale').replaceChildren(...scale);
    this.$('.scale').hidden = this.isBySharing;
  }

  drawWords() {
    const { columns, numIds } = this.view, { name, thanName } = this.data;
    const layout = tr(
      'Each square is an id of {name}: {columns} ids in a row, from id 0 at the top left to id {last} in the last row.',
      { name, columns, last: String(numIds - 1) },
    );
    const colors = tr('The table “Ids by script” explains the colours.');
    const strength = this.isBySharing
      ? tr('The colour of a script is strong where {other} has the same token too, and pale where it does not.', {
          other: thanName,
        })
      : tr('The longer a token is, up to {n} bytes, the stronger is the colour of its script.', {
          n: LENGTHS_SHOWN.at(-1),
        });
    const lines = this.path.length ? ` ${tr('Lines join the tokens of your text in their order.')}` : '';
    setText(this.$('#map-words'), `${layout} ${colors} ${strength}${lines}`);
  }
}

function swatch({ kind, color }) {
  const one = make('i', kind);
  one.style.setProperty('--swatch', color || 'var(--ink)');
  return one;
}

function idsOf(group, groups) {
  const ids = [];
  groups.forEach((own, id) => { if (own === group) ids.push(id); });
  return ids;
}

export default mount(TokenMap);
