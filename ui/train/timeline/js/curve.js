// The compression curve: bytes per token against merges, in a box of 1000 by 100 units.

export const WIDTH = 1000;
export const HEIGHT = 100;
const MOST_POINTS = 500;

/** The steps at which a curve of so many merges is drawn, up to `limit`. */
export function samples(numMerges, limit = numMerges) {
  const every = Math.max(1, numMerges / MOST_POINTS), out = [];
  for (let k = 0; Math.round(k * every) < limit; k++) out.push(Math.round(k * every));
  return [...out, limit];
}

/** What turns steps and values into places: over all of these stories, so that they can be compared. */
export function scaleOf(stories, numMerges) {
  const low = Math.min(...stories.map((story) => story.bytesPerToken(0)));
  const high = Math.max(...stories.map((story) => story.bytesPerToken(Math.min(numMerges, story.numMerges))));
  const x = (step) => (WIDTH * step) / Math.max(1, numMerges), y = (value) => HEIGHT * (1 - (value - low) / Math.max(1e-9, high - low));
  return { x, y, low, high };
}

/** The path of a story's curve up to `limit` merges. */
export function pathOf(story, { x, y }, limit) {
  const last = Math.min(limit, story.numMerges);
  return samples(story.numMerges, last).map((step, i) => `${i ? 'L' : 'M'}${tenth(x(step))} ${tenth(y(story.bytesPerToken(step)))}`).join('');
}

const tenth = (number) => Math.round(number * 10) / 10;

/** The step that lies at a share (0 to 1) of the width. */
export function stepAt(share, numMerges) {
  return Math.round(Math.max(0, Math.min(1, share)) * numMerges);
}
