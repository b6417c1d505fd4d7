// Points at one token of the lane, under the pointer, the keyboard or the loupe, with its merges up to the step.
import { nameOfBytes, nameOfSymbol } from '../../js/tokens/token-chip.js';
import { isSelecting } from '../../js/dom/elements.js';
import { partName } from '../../js/tokens/utf8-characters.js';
import { Highlight } from '../../js/tokens/highlight.js';
import { Loupe } from '../../js/loupe/loupe.js';
import { limitMerges } from '../../js/loupe/merges.js';
import { decodeUtf8, textOf } from '../../js/tokens/readout.js';
import { parseJson, encodeTexts } from '../../js/net/wire-format.js';
import { tr } from '../../js/dom/i18n.js';

export class LanePointer {
  constructor(timeline) {
    Object.assign(this, { timeline, highlight: new Highlight(), hit: null, cachedPiece: null });
    const { desk, lane } = timeline, { element } = lane;
    this.loupe = new Loupe(desk, (isBack) => this.onLoupeClose(isBack));
    element.addEventListener('pointermove', (event) => this.hover(lane.at(event)));
    for (const kind of ['pointerleave', 'blur']) element.addEventListener(kind, () => this.hover(null));
    element.addEventListener('click', (event) => {
      if (lane.at(event) && !isSelecting(element)) this.open(lane.at(event));
    });
  }

  hover(hit) {
    if (!this.loupe.isOpen) this.highlightToken(hit);
  }

  // The same token again changes nothing.
  highlightToken(hit, mark = 'lit') {
    if (mark === 'lit' && hit?.block === this.hit?.block && hit?.k === this.hit?.k) return;
    this.hit = hit;
    this.highlight.setToken(mark, hit, () => this.elements(hit));
  }

  elements({ block, k }) {
    return block.index?.[k] ?? [];
  }

  go(by) {
    const hit = this.timeline.lane.neighbor(this.hit, by);
    if (!hit) return;
    this.highlightToken(hit);
    this.elements(hit)[0].scrollIntoView({ block: 'nearest', inline: 'nearest' });
    const { head, which, notes } = this.subject(hit);
    this.timeline.player.announce([head, which, ...notes].join('. '));
  }

  /** Opens a token in the loupe; stops playing, which would change the tokens. */
  open(hit) {
    if (!hit) return;
    this.timeline.player.toggle(false);
    this.highlightToken(null);
    this.highlightToken(hit, 'pinned');
    this.elements(hit)[0].scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.loupe.open(this.subject(hit));
  }

  onLoupeClose(isBack) {
    this.highlight.set('pinned', []);
    if (isBack) this.timeline.lane.element.focus({ preventScroll: true });
  }

  /** Clears the selection before the text is cut again. */
  clear() {
    this.loupe.close(true);
    this.highlightToken(null);
  }

  subject(hit) {
    const { recut, lane } = this.timeline, { from, to } = spanOf(hit), bytes = recut.bytes.subarray(from, to);
    return {
      head: textOf(bytes) === null ? partName(recut.bytes, from, to) : nameOfBytes(bytes),
      ...factsOf(this.timeline.history, hit, bytes),
      bytes,
      elements: () => this.elements(hit),
      ask: () => this.ask(from),
      go: (by) => {
        const next = lane.neighbor(hit, by);
        if (next !== hit) this.open(next);
      },
      why: this.timeline.isAlone ? null : () => this.timeline.askWhy(from),
    };
  }

  // Requests the core's facts about the piece, with the merges up to this step; tokens of one piece share a request.
  async ask(at) {
    const { client, historyKey, recut, step, history } = this.timeline;
    if (this.cachedPiece?.recut !== recut || at < this.cachedPiece.start || at >= this.cachedPiece.end) {
      const answer = await client.ask(
        'loupe', { encoding: historyKey, special: 'text', at: String(at) }, encodeTexts([{ bytes: recut.bytes }]),
      );
      this.cachedPiece = { recut, ...parseJson(answer) };
    }
    const { recut: _, ...found } = this.cachedPiece;
    const piece = decodeUtf8(recut.bytes.subarray(found.start, found.end));
    return {
      ...found, at: at - found.start, piece, merges: found.merges && limitMerges(found.merges, history.numBase + step),
      isSoFar: step < history.numMerges,
    };
  }
}

const spanOf = ({ block, k }) => ({
  from: block.byteOffset + (k ? block.ends[k - 1] : 0), to: block.byteOffset + block.ends[k],
});

/** Describes a token and how it was made: { which, notes }. */
function factsOf(history, { block, k }, bytes) {
  const merge = block.made[k];
  if (merge >= 0) {
    const facts = {
      id: String(history.numBase + merge), merge: merge + 1, left: nameOfSymbol(history, history.left[merge]),
      right: nameOfSymbol(history, history.right[merge]),
    };
    return {
      which: tr('id {id}, made by merge {merge}', facts),
      notes: [tr('Merge {merge} joined {left} + {right}.', facts)],
    };
  }
  const symbol = history.baseSymbol(bytes);
  if (symbol === null) return { which: tr('no id'), notes: [tr('This character was not in the training text.')] };
  return {
    which: tr('id {id}', { id: String(symbol) }),
    notes: [tr('This token was in the vocabulary before the first merge.')],
  };
}
