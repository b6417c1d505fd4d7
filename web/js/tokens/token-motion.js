// Moves the tokens of a view from one cut of a text to another. The text stays where it is; behind it the color of each
// token slides from its old edges to its new ones: fused tokens close over their neighbours, split ones open.
//
//   const motion = new TokenMotion(tokensView);
//   motion.capture(doc);  // before the new tokens are stored and drawn
//   motion.play(doc);     // after they are drawn: returns { stayed, fused, split, recut }, or null if nothing can move
//   motion.cancel();      // shows the new tokens at once
//
// TokenizedText does the first two with its `motion`, whenever chunks get other tokens of the same text. A motion that
// is under way goes on until the next `play`, which starts from where its tokens are then. A key, scrolling or an edit
// ends it. Nothing moves with reduced motion, with the bytes shown, nor above MAX_TOKENS in view. The parent of the
// view's element is positioned.
import { firstWhere } from '../dom/binary-search.js';
import { make, prefersReducedMotion } from '../dom/elements.js';

export const MOTION_MS = 450;
const EASING = 'cubic-bezier(0.45, 0, 0.2, 1)';
const MAX_TOKENS = 2000; // in view
const SAME_LINE_PX = 4; // tops of one line

/** @typedef {object} Box  The part of a token that is on one line: start, end (bytes of the whole text), left, right,
 *  top, bottom (pixels in the frame), color, element; `isInside` if it starts inside a grapheme, `isMoving` if a motion
 *  is under way there. */

/** Returns the groups of tokens between the starts that two cuts of a text have in common, in order: { before, after,
 *  kind }, two [from, to] with token numbers. The kind is "stayed", "fused" (several become one), "split" (one becomes
 *  several) or "recut". A cut is a list of tokens { start, end, isInside, isMoving } of adjacent bytes; no group starts
 *  at a token that is inside a grapheme, and none stays that is moving. Tokens before the first common start or after
 *  the last common end are left out. */
export function compareCuts(before, after) {
  const groups = [];
  let i = 0, j = 0;
  while (i < before.length && j < after.length && !isCommonStart(before[i], after[j]))
    if (before[i].start < after[j].start) i++; else if (before[i].start > after[j].start) j++; else i++, j++;
  while (i < before.length && j < after.length) {
    let toI = i + 1, toJ = j + 1;
    while (toI <= before.length && toJ <= after.length && !isCommonEnd(before, toI, after, toJ))
      if (before[toI - 1].end < after[toJ - 1].end) toI++;
      else if (before[toI - 1].end > after[toJ - 1].end) toJ++;
      else toI++, toJ++;
    if (toI > before.length || toJ > after.length) break;
    groups.push({ before: [i, toI], after: [j, toJ], kind: kindOf(before.slice(i, toI), after.slice(j, toJ)) });
    [i, j] = [toI, toJ];
  }
  return groups;
}

const isCommonStart = (one, other) => one.start === other.start && !one.isInside && !other.isInside;

const isCommonEnd = (before, i, after, j) =>
  before[i - 1].end === after[j - 1].end && !before[i]?.isInside && !after[j]?.isInside;

function kindOf(before, after) {
  const isSame = before.length === after.length && before.every(({ start }, i) => start === after[i].start);
  if (isSame && !before.some((token) => token.isMoving)) return 'stayed';
  return after.length === 1 ? 'fused' : before.length === 1 ? 'split' : 'recut';
}

/** Returns how the boxes of one line move from the `before` to the `after` ones, in the order of the text: { from, to }
 *  are positions of the edge at which a box begins, { fromColor, toColor } its colors. A box covers the line up to the
 *  next one. The first old box in a new token becomes it, the others close at its end; a new token in which no old one
 *  begins opens at the end of the old one that it was in. */
export function movesOf(before, after, isLeftward) {
  const beginOf = (box) => (isLeftward ? box.right : box.left), endOf = (box) => (isLeftward ? box.left : box.right);
  const lastAt = (boxes, byte) => Math.max(0, firstWhere(boxes.length, (i) => boxes[i].start > byte) - 1);
  const heirs = new Set(), moves = before.map((box) => {
    const i = lastAt(after, box.start), own = after[i], isHeir = !heirs.has(i);
    heirs.add(i);
    return {
      start: isHeir ? own.start : box.start, from: beginOf(box), to: isHeir ? beginOf(own) : endOf(own),
      fromColor: box.color, toColor: isHeir ? own.color : box.color, opened: [],
    };
  });
  after.forEach((own, i) => {
    if (heirs.has(i)) return;
    const j = lastAt(before, own.start);
    moves[j].opened.push({
      start: own.start, from: endOf(before[j]), to: beginOf(own), fromColor: own.color, toColor: own.color,
    });
  });
  return moves.flatMap(({ opened, ...move }) => [move, ...opened]);
}

export class TokenMotion {
  constructor(tokensView) {
    this.view = tokensView;
    this.durationMs = MOTION_MS;
    this.before = null; // the captured { text, boxes }
    this.layer = null;  // the moving boxes
    this.lines = [];    // { place, boxes } of the layer
    this.hidden = [];   // elements of tokens whose color the layer shows
    tokensView.onReplace = () => { if (!this.before) this.cancel(); };
  }

  /** Whether tokens are moving. */
  get isPlaying() {
    return this.layer !== null;
  }

  /** Remembers the tokens in view, where they are now. */
  capture(doc) {
    this.before = null;
    if (prefersReducedMotion() || this.view.paintOptions().withBytes) return this.cancel();
    const boxes = this.measure(doc);
    if (boxes) this.before = { text: doc.text, boxes: this.withMoving(boxes) };
    else this.cancel();
  }

  /** Moves the captured tokens to where they are drawn now. */
  play(doc) {
    const { before } = this;
    this.before = null;
    if (!before) return null;
    this.cancel();
    const after = before.text === doc.text ? this.measure(doc) : null;
    if (!after) return null;
    const oldTokens = tokensOf(before.boxes), newTokens = tokensOf(after);
    const counts = { stayed: 0, fused: 0, split: 0, recut: 0 }, changed = [];
    for (const { kind, before: [from, to], after: [first, end] } of compareCuts(oldTokens, newTokens)) {
      counts[kind]++;
      if (kind !== 'stayed')
        changed.push([oldTokens.slice(from, to), newTokens.slice(first, end)].map((tokens) =>
          tokens.flatMap((token) => token.boxes),
        ));
    }
    if (changed.length) this.show(changed);
    return counts;
  }

  /** Ends the motion: the tokens are where they are drawn. */
  cancel() {
    this.layer?.remove();
    this.layer = null;
    this.lines = [];
    this.listeners?.abort();
    for (const element of this.hidden) element.classList.remove('underway');
    this.hidden = [];
  }

  // Returns the boxes of the tokens in view, in order of the text, or null if they are too many.
  measure(doc) {
    const { element } = this.view, parent = element.parentElement, border = parent.getBoundingClientRect();
    const frame = { left: border.left + parent.clientLeft, top: border.top + parent.clientTop };
    const view = element.getBoundingClientRect();
    const top = Math.max(0, view.top), bottom = Math.min(innerHeight, view.bottom), boxes = [];
    for (const part of this.view.paintedParts(doc.chunks)) {
      const around = part.node.getBoundingClientRect(), { children } = part.node;
      if (around.bottom <= top || around.top >= bottom) continue;
      const first = firstWhere(children.length, (i) => children[i].getBoundingClientRect().bottom > top);
      for (let i = first; i < children.length && children[i].getBoundingClientRect().top < bottom; i++)
        addBoxes(boxes, part.chunk, part.pieces[i], children[i], frame);
      if (boxes.length > MAX_TOKENS) return null;
    }
    return boxes;
  }

  // Replaces the boxes of tokens that are moving by those of the layer, where they are now.
  withMoving(boxes) {
    if (!this.layer || !boxes.length) return boxes;
    const hidden = new Set(this.hidden), frame = this.layer.getBoundingClientRect();
    const moving = this.lines.flatMap((line) => boxesOfLine(line, frame));
    const all = [...boxes.filter(({ element }) => !hidden.has(element)), ...moving];
    all.sort((one, other) => one.start - other.start || one.top - other.top);
    let next = boxes[boxes.length - 1].end, later = next;
    for (const box of all.reverse()) {
      if (box.start < later) [next, later] = [later, box.start];
      if (box.isMoving) box.end = next;
    }
    return all.reverse();
  }

  show(changed) {
    const { element } = this.view, lines = [];
    for (const [before, after] of changed) {
      const found = linesOf(before, after);
      if (!found) continue; // the text moved to another line, so only the color changes
      lines.push(...found);
      for (const box of after) this.hidden.push(box.element);
    }
    if (!lines.length) return;
    for (const hidden of this.hidden) hidden.classList.add('underway');
    this.lines = lines.map(makeLine);
    this.layer = make('div', 'moves', ...this.lines.map(({ place }) => place));
    this.layer.setAttribute('aria-hidden', 'true');
    element.before(this.layer);
    const animations = this.lines.flatMap((line) => animateLine(line, this.durationMs)), { layer } = this;
    const finish = () => { if (layer === this.layer) this.cancel(); };
    Promise.all(animations.map((one) => one.finished)).then(finish, finish);
    this.endOnInput(element);
  }

  endOnInput(element) {
    this.listeners = new AbortController();
    const { signal } = this.listeners, end = () => this.cancel();
    element.addEventListener('scroll', end, { passive: true, signal });
    for (const kind of ['resize', 'input', 'keydown'])
      addEventListener(kind, (event) => { if (!isChoice(event)) end(); }, { capture: true, signal });
  }
}

// Whether an event is one of a control that chooses the next cut.
const isChoice = (event) => event.composedPath()[0].matches?.('input:is([type=range], [type=radio])');

function addBoxes(boxes, { starts, ends, colors, byteOffset }, { first, last, at }, element, frame) {
  const n = last - first + 1;
  for (const rect of n === 1 ? element.getClientRects() : [element.getBoundingClientRect()]) {
    const top = rect.top - frame.top, bottom = rect.bottom - frame.top, width = rect.width / n;
    for (let k = first; k <= last; k++) {
      const left = rect.left - frame.left + width * ('leftward' in element.dataset ? last - k : k - first);
      boxes.push({
        start: byteOffset + starts[k], end: byteOffset + ends[k], left, right: left + width, top, bottom,
        color: `var(--tok-${colors[k]})`, element, isInside: n > 1 && starts[k] > at,
      });
    }
  }
}

const isOneLine = (one, other) => Math.abs(one.top - other.top) < SAME_LINE_PX;

// Returns the tokens of boxes: { start, end, isInside, isMoving, boxes }.
function tokensOf(boxes) {
  const tokens = [];
  for (const box of boxes) {
    const { start, end, isInside = false, isMoving = false } = box;
    if (tokens[tokens.length - 1]?.start !== start) tokens.push({ start, end, isInside, isMoving, boxes: [] });
    tokens[tokens.length - 1].boxes.push(box);
  }
  return tokens;
}

// Returns how the boxes of a group of tokens move on each of its lines, or null if they are not on the same lines, or
// not in one direction.
function linesOf(before, after) {
  const lines = [before, after].map(linesOfBoxes);
  if (lines[0].length !== lines[1].length) return null;
  const pairs = lines[1].map((own, i) => [lines[0][i], own]);
  if (!pairs.every(([old, own]) => isOneLine(old[0], own[0]))) return null;
  const found = pairs.map(([old, own]) => {
    const isLeftward = [old, own].some((boxes) => boxes[0].left > boxes[boxes.length - 1].left);
    if (![old, own].every((boxes) => isInOrder(boxes, isLeftward))) return null;
    const all = [...old, ...own], left = Math.min(...all.map((box) => box.left));
    const right = Math.max(...all.map((box) => box.right));
    return { left, right, top: own[0].top, bottom: own[0].bottom, isLeftward, moves: movesOf(old, own, isLeftward) };
  });
  return found.every(Boolean) ? found : null;
}

// Returns the boxes line by line, with one box for each token.
function linesOfBoxes(boxes) {
  const lines = [];
  for (const box of boxes) {
    const line = lines[lines.length - 1], older = line?.[line.length - 1];
    if (!line || !isOneLine(older, box)) lines.push([{ ...box }]);
    else if (older.start !== box.start) line.push({ ...box });
    else Object.assign(older, { left: Math.min(older.left, box.left), right: Math.max(older.right, box.right) });
  }
  return lines;
}

const isInOrder = (boxes, isLeftward) =>
  boxes.every(({ left }, i) => !i || (isLeftward ? left <= boxes[i - 1].left + 1 : left >= boxes[i - 1].left - 1));

function makeLine(line) {
  const { left, right, top, bottom, isLeftward, moves } = line;
  const nodes = moves.map(({ to, toColor }) => {
    const node = make('i', isLeftward ? 'leftward' : '');
    node.style.backgroundColor = toColor;
    node.style.transform = `translateX(${to - (isLeftward ? right : left)}px)`;
    return node;
  });
  const place = make('div', '', ...nodes);
  Object.assign(place.style, {
    left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px`,
  });
  return { ...line, place, nodes };
}

function animateLine({ left, right, isLeftward, moves, nodes }, duration) {
  const origin = isLeftward ? right : left, at = (x) => `translateX(${x - origin}px)`;
  return moves.map(({ from, to, fromColor, toColor }, i) =>
    nodes[i].animate(
      { transform: [at(from), at(to)], backgroundColor: [fromColor, toColor] },
      { duration, easing: EASING },
    ),
  );
}

// Returns the boxes of a line of the layer where they are now.
function boxesOfLine({ place, isLeftward, moves, nodes }, frame) {
  const clip = place.getBoundingClientRect(), top = clip.top - frame.top, bottom = clip.bottom - frame.top;
  const edges = nodes.map((node) => {
    const { left, right } = node.getBoundingClientRect();
    return Math.min(clip.right, Math.max(clip.left, isLeftward ? right : left)) - frame.left;
  });
  edges.push((isLeftward ? clip.left : clip.right) - frame.left);
  return moves.map(({ start }, i) => {
    const [left, right] = [edges[i], edges[i + 1]].sort((one, other) => one - other);
    const color = getComputedStyle(nodes[i]).backgroundColor;
    return { start, left, right, top, bottom, color, isMoving: true };
  });
}
