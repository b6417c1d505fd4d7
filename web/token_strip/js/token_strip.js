// A read-only view of tokens that the page provides.
import { recolor } from '../../js/tokens/colors.js';
import { Chunk, Document, SPECIAL } from '../../js/editor/document.js';
import { make } from '../../js/dom/elements.js';
import { EditorClient } from '../../js/net/rpc-client.js';
import { mount, Component } from '../../js/dom/component.js';
import { TokenPointer } from '../../js/tokens/token-pointer.js';
import { decodeUtf8, describe } from '../../js/tokens/readout.js';
import { byteRange } from '../../js/tokens/byte-ranges.js';
import { TokensView } from '../../js/tokens/tokens-view.js';
import { parseJson, encodeTexts } from '../../js/net/wire-format.js';
import { tr } from '../../js/dom/i18n.js';

const OTHERS = tr(
  'When encoded, this text gives other tokens than these, so there are no merges to show for this token.',
);
const NO_MERGES = tr('This is a special token: the encoding looks up its name, without a split pattern or merges.');
const NO_TOKENS = { ids: new Uint32Array(), colors: new Uint8Array() };

/** The pointer of the strip; it announces the token under it to the page. */
class StripPointer extends TokenPointer {
  constructor(strip) {
    super(strip.$);
    this.strip = strip;
  }

  highlightToken(mark, tokenized, hit) {
    if (hit)
      this.strip.desk.dispatchEvent(
        new CustomEvent('tokenloupe-token', { bubbles: true, composed: true, detail: describe(tokenized, hit) }),
      );
    super.highlightToken(mark, tokenized, hit);
  }

  // The encoder's merges; decoded ids may be different tokens.
  async ask(tokenized, hit) {
    const facts = await (this.strip.data.stretches ? this.askInStretch(tokenized, hit) : super.ask(tokenized, hit));
    const { chunk, k } = hit;
    let at = 0;
    for (const [id, size] of facts.merges?.tokens ?? []) {
      if (at === facts.at && id === chunk.ids[k] && size === (facts.size ?? chunk.ends[k] - chunk.starts[k]))
        return facts;
      at += size;
    }
    return facts.merges ? { ...facts, merges: null, problem: OTHERS } : facts;
  }

  // Asks about a token in a stretch that was encoded separately: the stretch ends at special tokens.
  async askInStretch(tokenized, { chunk, k }) {
    if (chunk.kinds?.[k] === SPECIAL) return { at: 0, walls: [], merges: null, problem: NO_MERGES };
    const { chunks } = tokenized.doc, i = chunks.indexOf(chunk), at = chunk.starts[k];
    const facts = parseJson(await tokenized.ask('loupe', [chunk], { at: String(at) }));
    const { start, end, walls: [left, right] } = facts;
    const walls = [
      start === 0 && i > 0
        ? tr('The special token {name} comes before this pre-token.', { name: chunks[i - 1].text })
        : left,
      end === chunk.bytes.length && i < chunks.length - 1 ? tr('A special token comes next.') : right,
    ];
    return {
      ...facts, walls, at: at - start,
      piece: decodeUtf8(chunk.bytes.subarray(start, end)),
    };
  }

  whyOf(tokenized, hit) {
    return hit.chunk.kinds?.[hit.k] || !this.strip.component.setTriggerValue ? null : () => this.strip.askWhy(hit);
  }
}

class Strip extends Component {
  constructor(root) {
    super(root);
    this.view = this.$('.tokens');
    this.pointer = new StripPointer(this);
  }

  /** Applies the data of a rerun; unchanged data has no effect. */
  update(component) {
    const { answer, ...data } = component.data, json = JSON.stringify(data);
    this.component = component;
    this.client ??= component.client ?? new EditorClient(data.url);
    this.client.update(component, { setSilent: () => {} });
    if (json === this.json) return;
    Object.assign(this, { json, data });
    this.open(data);
  }

  open({ text, ids, starts, ends, kinds, encoding, lang, direction, stretches, lines, moving }) {
    const doc = new Document();
    const view = make('div', 'tokens');
    const rows = [ids, starts, ends, kinds].map((row) => Uint32Array.from(row));
    doc.hasSafeCuts = false; // decoded ids may cross any cut
    if (stretches) this.setTokensOfStretches(doc, stretches, new Set(lines), rows);
    else if (doc.edit(text).added.length) this.setTokens(doc, doc.chunks[0], ...rows);
    this.pointer.unpin();
    this.pointer.clearCursor();
    this.tokenized?.tokens.close();
    view.classList.toggle('wrapped', Boolean(stretches));
    view.classList.toggle('moving', moving);
    this.view.replaceWith(view);
    Object.assign(view, {
      lang, dir: direction, tabIndex: 0, role: 'group', ariaRoleDescription: tr('token view'),
      ariaLabel: tr('Tokens. Arrow keys move from token to token, Enter opens the loupe.'),
    });
    this.view = view;
    this.tokenized = this.tokenizedFrom(doc, encoding);
    this.tokenized.tokens.replace([], doc.chunks, doc.chunks, true);
    this.pointer.watch(this.tokenized, this.tokenized.tokens);
    this.desk.classList.toggle('leftward', doc.chunks.some((chunk) => chunk.hasRtl));
    view.dataset.tokens = ids.length;
  }

  setTokens(doc, chunk, ids, starts, ends, kinds, before = -1) {
    const { colors } = recolor(ids, NO_TOKENS, before, -1);
    doc.setTokens(
      chunk, { ids, starts, ends, kinds: kinds.some(Boolean) ? kinds : null, otherCount: 0, roundTrip: true },
      colors,
    );
    doc.renumber();
  }

  // Separately encoded stretches are chunks; their tokens form one row.
  setTokensOfStretches(doc, stretches, lines, [ids, starts, ends, kinds]) {
    doc.text = stretches.join('');
    doc.chunks = stretches.map((stretch, i) => new Chunk(stretch, i === 0 || lines.has(i)));
    doc.renumber();
    let k = 0, color = -1;
    for (const chunk of doc.chunks) {
      const first = k, from = chunk.byteOffset, to = from + chunk.bytes.length;
      while (k < ids.length && (ends[k] < to || (ends[k] === to && starts[k] < to))) k++;
      this.setTokens(
        doc, chunk, ids.subarray(first, k), starts.subarray(first, k).map((at) => at - from),
        ends.subarray(first, k).map((at) => at - from), kinds.subarray(first, k), color,
      );
      color = chunk.colors[chunk.colors.length - 1] ?? color;
    }
  }

  // Returns the properties of a TokenizedText that the pointer and the loupe use.
  tokenizedFrom(doc, encoding) {
    const specials = new Map(Object.entries(encoding.specials).map(([name, id]) => [id, name]));
    return {
      doc,
      encoding,
      specials,
      epoch: 0,
      tracked: null,
      tokens: new TokensView(this.view, () => ({ names: specials, withBytes: false })),
      ask: (name, chunks, more) =>
        this.client.ask(name, { encoding: encoding.key, special: encoding.special, ...more }, encodeTexts(chunks)),
    };
  }

  /** Opens the page that explains the cut before a token; with several stretches, in this one. */
  askWhy(hit) {
    const { encoding, stretches, text } = this.data, at = stretches ? hit.chunk.starts[hit.k] : byteRange(hit).from;
    this.component.setTriggerValue('why', { key: encoding.key, at, text: stretches ? hit.chunk.text : text });
  }

  destroy() {
    this.pointer.unpin();
    this.tokenized?.tokens.close();
    this.client?.close();
  }
}

export default mount(Strip);
