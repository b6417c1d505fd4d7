// One text, cut as after any number of merges. The gap after each base unit closes at one merge, or never.
import { firstWhere } from '../dom/binary-search.js';
import { NEVER } from './closings.js';
import { stableColors } from './stable-colors.js';

const BLOCK_UNITS = 80; // target length of a block in UTF-16 units: small enough to redraw many per frame
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const utf8 = new TextEncoder();

export class Recut {
  /** `ends` are the end bytes of the units, `closings` the merge that closes the gap after each. */
  constructor(text, ends, closings) {
    Object.assign(this, { text, ends, closings });
    this.bytes = utf8.encode(text);
    this.colors = stableColors(closings);
    this.sorted = closings.slice().sort();
    this.blocks = this.split();
  }

  // Blocks end at gaps that never close, between graphemes, so that no token crosses blocks at any step.
  split() {
    const blocks = [];
    let unit = 0, byte = 0, at = 0, first = 0, start = 0;
    for (const { segment } of graphemes.segment(this.text)) {
      at += segment.length;
      byte += utf8.encode(segment).length;
      while (unit < this.ends.length && this.ends[unit] <= byte) unit++;
      const isLine = segment.endsWith('\n'), isEnd = at === this.text.length;
      const isUnitsEnd = this.ends[unit - 1] === byte; // a unit may have several graphemes
      if (isEnd || (isUnitsEnd && this.closings[unit - 1] === NEVER && (isLine || at - start >= BLOCK_UNITS))) {
        const byteOffset = first ? this.ends[first - 1] : 0;
        const merges = this.closings.slice(first, unit - 1).filter((merge) => merge !== NEVER).sort();
        blocks.push({
          from: first, to: unit, text: this.text.slice(start, at), endsLine: isLine && !isEnd, byteOffset,
          bytes: this.bytes.subarray(byteOffset, this.ends[unit - 1]), merges,
        });
        [first, start] = [unit, at];
      }
    }
    return blocks;
  }

  count(step) {
    return this.sorted.length - countBelow(this.sorted, step);
  }

  countNewest(step) {
    return countBelow(this.sorted, step) - countBelow(this.sorted, step - 1);
  }

  /** Whether a block looks different at two steps: a gap closes between them, or the newest token is in it at
   *  either. */
  isTouched({ merges }, one, other) {
    return countBelow(merges, Math.min(one, other) - 1) < countBelow(merges, Math.max(one, other));
  }

  hasNewest({ merges }, step) {
    return merges.includes(step - 1);
  }

  /** Returns the tokens of a block after `step` merges, as rows: end byte, color, first unit, and the merge that
   *  made it (-1: a base unit). */
  cut({ from, to, byteOffset }, step) {
    const ends = [], colors = [], units = [], made = [];
    for (let unit = from, start = from, latest = -1; unit < to; unit++) {
      const closing = this.closings[unit];
      if (closing < step && unit < to - 1) { latest = Math.max(latest, closing); continue; }
      ends.push(this.ends[unit] - byteOffset);
      colors.push(this.colors[start]);
      units.push(start);
      made.push(latest);
      [start, latest] = [unit + 1, -1];
    }
    return { ends, colors, units, made };
  }
}

const countBelow = (row, limit) => firstWhere(row.length, (i) => row[i] >= limit);
