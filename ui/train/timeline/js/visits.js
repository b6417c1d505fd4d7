// Where one was in each timeline, how one has guessed, which text one cut: for as long as the tab is open; the step outlives a reload too.
import { Score } from './guess.js';

const visits = new Map(); // key of a story -> { step, score }
const KEPT = 'tokenloupe-step-';
let ownText = null;

/** The reader's own text when the timeline went; null where there was none. */
export const ownBefore = () => ownText;
export const keepOwn = (text) => { ownText = text; };

export function visitOf(key) {
  if (!visits.has(key)) visits.set(key, { step: stepBefore(key), score: new Score() });
  return visits.get(key);
}

export function keepSteps() {
  try {
    for (const [key, { step }] of visits) sessionStorage.setItem(KEPT + key, step);
  } catch { /* storage is full, or closed to us: then a reload begins anew */ }
}

function stepBefore(key) {
  try {
    return Number(sessionStorage.getItem(KEPT + key)) || 0;
  } catch {
    return 0;
  }
}
