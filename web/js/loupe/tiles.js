// The bytes of a piece as tiles that slide together with each merge: a tile per base part, a frame around merged ones.
import { prefersReducedMotion, make } from '../dom/elements.js';
import { characterAt, characterParts } from '../tokens/utf8-characters.js';
import { hex, RIGHT_TO_LEFT } from '../tokens/paint.js';
import { visibleText } from '../tokens/readout.js';
import { tr } from '../dom/i18n.js';

const SLIDE_MS = 170;
const MAX_NEIGHBOR_TILES = 12; // a neighbouring token with more tiles is not drawn
const MAX_TILES = 80; // of the token itself

export class Tiles {
  constructor(element) {
    this.element = element;
  }

  /** Shows the merges of a piece; the units from..to are the token's own. */
  open(merges, [from, to]) {
    const { offsets, numUnits } = merges;
    const cuts = boundaries(merges).map((at) => offsets.indexOf(at));
    const i = cuts.indexOf(from);
    const before = cuts[i - 1] ?? 0, after = cuts[cuts.indexOf(to) + 1] ?? numUnits;
    const first = from - before > MAX_NEIGHBOR_TILES ? from : before;
    const last = Math.min(after - to > MAX_NEIGHBOR_TILES ? to : after, from + MAX_TILES);
    Object.assign(this, { merges, from, to, first, last, state: null });
    this.characters = characterParts(merges.bytes);
    this.tiles = Array.from({ length: last - first }, (_, i) =>
      make('span', 'tile', hex(merges.bytesOf(first + i, first + i + 1))),
    );
    this.element.dir = RIGHT_TO_LEFT.test(this.characters.map(({ text }) => text ?? '').join('')) ? 'rtl' : 'ltr';
  }

  /** Moves to a state; the pair before the unit `next` merges next. Tiles slide if `isSliding` and motion is not
   *  reduced. */
  move(state, next, isSliding) {
    const isAnimated = isSliding && !prefersReducedMotion();
    const before = isAnimated ? new Map(this.tiles.map((tile) => [tile, tile.getBoundingClientRect()])) : null;
    const previousState = this.state;
    this.state = state;
    const parts = this.merges
      .parts(state, this.first, this.last)
      .filter((part) => part.to > this.first && part.from < this.last);
    const isNew = ({ step }) => previousState !== null && step >= previousState && step < state;
    this.element.replaceChildren(...this.withEnds(parts.map((part) => this.part(part, next, isNew(part)))));
    if (before) for (const [tile, box] of before) slide(tile, box);
  }

  // Adds a wall at each end of the piece, or dots if more of it follows.
  withEnds(parts) {
    const { first, last, merges } = this;
    const end = (isWall) =>
      Object.assign(make('i', isWall ? 'wall' : 'more', isWall ? '' : '…'), { ariaHidden: 'true' });
    return [end(first === 0), ...parts, end(last === merges.numUnits)];
  }

  /** Returns the name of the units from..to: their text, or the character they are a part of and which part. */
  nameOf(from, to) {
    const { offsets } = this.merges;
    const { text, partLabel } = characterAt(this.characters, offsets[from], offsets[to], true);
    return text ? [visibleText(text), partLabel].filter(Boolean).join(' ') : hex(this.merges.bytesOf(from, to));
  }

  part({ from, to, id }, next, isNew) {
    const { merges, first, last } = this;
    const own = from < this.to && to > this.from;
    const part = make('span', `part${own ? '' : ' other'}${isNew ? ' new' : ''}`);
    const [a, b] = [merges.offsets[from], merges.offsets[to]];
    const { text, partLabel } = characterAt(this.characters, a, b, true);
    const name = make('bdi', partLabel ? 'letter some' : 'letter', text === '' ? '' : visibleText(text));
    name.dir = 'auto';
    if (partLabel) name.append(make('small', '', partLabel));
    part.append(
      name, make('span', 'tiles-of', ...this.tiles.slice(Math.max(0, from - first), Math.min(last, to) - first)),
    );
    part.classList.toggle('next', to === next || from === next);
    const facts = { bytes: hex(merges.bytes.subarray(a, Math.min(b, a + 24))), id: String(id) };
    part.title = partLabel
      ? tr('{part}, {bytes}: id {id}', { part: characterAt(this.characters, a, b).partLabel, ...facts })
      : tr('{bytes}: id {id}', facts);
    part.dataset.id = id;
    if (isNew && !prefersReducedMotion()) name.animate([{ opacity: 0 }, { opacity: 1 }], { duration: SLIDE_MS });
    return part;
  }
}

// Returns where the tokens of the piece begin, in bytes, and its end; merges never cross these.
function boundaries({ tokens = [], bytes }) {
  let at = 0;
  return [...tokens.map(([, size]) => (at += size) - size), bytes.length];
}

function slide(tile, from) {
  const to = tile.getBoundingClientRect(), x = from.left - to.left, y = from.top - to.top;
  if (x || y)
    tile.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: 'none' }], {
      duration: SLIDE_MS, easing: 'ease-out',
    });
}
