// Predict, then reveal: which pair comes next? What is asked, what counts as right, and the score.

/** The pairs to choose from before merge i: the winner and its rivals in the order of their bytes, which tells nothing. */
export function choices(story, i) {
  const named = story.candidates(i).map((one) => ({ ...one, halves: [story.bytesOf(one.left, 99), story.bytesOf(one.right, 99)] }));
  return named.sort((a, b) => compare([...a.halves[0], ...a.halves[1]], [...b.halves[0], ...b.halves[1]]) || compare(a.halves[0], b.halves[0]));
}

function compare(a, b) {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

/** "right", "tie" (as often as the winner, so the tie rule decided: counts as right), or "wrong". */
export function judge(options, picked) {
  const winner = options.find((one) => one.won);
  return options[picked].won ? 'right' : options[picked].count === winner.count ? 'tie' : 'wrong';
}

export class Score {
  right = 0;
  asked = 0;
  streak = 0;

  add(verdict) {
    const isRight = verdict !== 'wrong';
    this.asked++;
    this.right += isRight;
    this.streak = isRight ? this.streak + 1 : 0;
  }
}
