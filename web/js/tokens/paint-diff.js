// Diffs a painted chunk after an edit: unchanged pieces at its front and back keep their elements.
import { commonAffixes } from './common-affixes.js';
import { partsOf } from './paint.js';
import { piecesOf } from './pieces.js';

const MAX_GROWN_PART_TOKENS = 1600, MAX_GROWN_PART_UNITS = 4800; // a part may double in size before it is split again

/** Returns the parts of a `chunk` that replaces an `older` one, split where the older parts `before` were. Each
 *  part has `older`, the part it replaces, and the number of equal pieces at its `front` and `back`. Returns null
 *  if the number of parts differs. */
export function diffParts(older, before, chunk) {
  const oldPieces = before.flatMap((part) => part.pieces), pieces = piecesOf(chunk);
  const growth = pieces.length - oldPieces.length;
  const { front, back } = commonAffixes(oldPieces.length, pieces.length, (i, j) =>
    isSamePiece(older, oldPieces[i], chunk, pieces[j]),
  );
  const cuts = new Set();
  let at = 0;
  for (const part of before.slice(0, -1)) {
    at += part.pieces.length;
    if (at <= front) cuts.add(at); else if (at >= oldPieces.length - back) cuts.add(at + growth);
  }
  const parts = partsOf(chunk, MAX_GROWN_PART_TOKENS, MAX_GROWN_PART_UNITS, pieces, cuts);
  if (parts.length !== before.length) return null;
  let was = 0, now = 0;
  parts.forEach((part, i) => {
    const from = before[i], most = Math.min(from.pieces.length, part.pieces.length);
    part.older = from;
    part.front = was === now ? clamp(front - was, most) : 0;
    was += from.pieces.length;
    now += part.pieces.length;
    part.back = was + growth === now ? clamp(back - (oldPieces.length - was), most - part.front) : 0;
  });
  return parts;
}

const clamp = (n, most) => Math.max(0, Math.min(n, most));

function isSamePiece(older, was, chunk, piece) {
  if (was.text !== piece.text || was.last - was.first !== piece.last - piece.first) return false;
  for (let i = was.first, j = piece.first; j <= piece.last; i++, j++)
    if (older.ids[i] !== chunk.ids[j] || older.colors[i] !== chunk.colors[j]) return false;
  return true;
}
