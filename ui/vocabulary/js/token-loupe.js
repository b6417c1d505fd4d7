// A token of a vocabulary as the subject of the loupe: its text is encoded, and the merges are shown if they lead to
// it.
import { fromHex } from '../../../web/js/net/wire-format.js';
import { textOf } from '../../../web/js/tokens/readout.js';
import { tr } from '../../../web/js/dom/i18n.js';
import { nameOf } from './chip.js';

const OTHERS = tr('The text of this token is encoded as other tokens, so there are no merges to show.');
const NO_MERGES = tr('This is a special token: the encoding looks up its name, without a split pattern or merges.');
const NO_TEXT = tr('These bytes alone are not valid text, so there are no merges to show.');
const VEILED = tr(
  'The text of this token is hidden, because it is about adult videos or gambling. Its merges would show the text.',
);

/** Returns the loupe's subject for a token: `ask(bytes)` resolves to the core's facts about its text, `why(text)`
 *  opens the page with more; `elements` and `go` are the loupe's. One that `isVeiled` has no bytes and no merges. */
export function subjectOf(token, { ask, why, elements, go, isVeiled }) {
  const { id, notes, text, isSpecial } = token;
  const bytes = isVeiled ? new Uint8Array() : fromHex(token.bytes);
  const isText = text !== null && !isSpecial && !isVeiled;
  return {
    head: nameOf(token),
    which: tr('id {id}', { id: String(id) }),
    id,
    notes: isVeiled ? [VEILED] : notes, // without bytes, the loupe shows only these
    bytes,
    elements,
    go,
    ask: async () =>
      isText
        ? locateToken(await ask(bytes), id, textOf(bytes))
        : { walls: [], merges: null, problem: isSpecial ? NO_MERGES : NO_TEXT },
    why: isText ? () => why(textOf(bytes)) : null,
  };
}

// Finds the token among the tokens of its text.
function locateToken(facts, id, piece) {
  const { merges, places } = facts;
  if (!merges) return { ...facts, at: 0 };
  const sizes = merges.tokens.map(([, size]) => size), k = merges.tokens.findIndex(([one]) => one === id);
  if (k < 0) return { ...facts, merges: null, problem: OTHERS };
  return { ...facts, at: sizes.slice(0, k).reduce((sum, size) => sum + size, 0), size: places && sizes[k], piece };
}
