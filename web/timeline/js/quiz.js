// Quiz: which pair merges next? Shows pairs without counts; after the choice, the counts and the score.
import { make, makeButton } from '../../js/dom/elements.js';
import { updateTab, tabState } from '../../js/editor/tab-state.js';
import { pairChips, pairInWords } from '../../js/tokens/token-chip.js';
import { hex } from '../../js/tokens/paint.js';
import { tr } from '../../js/dom/i18n.js';
import { Ranking } from './panel.js';
import { scoreInWords, verdictInWords } from './sentences.js';

/** Returns the candidates before merge i, winner and rivals, sorted by their bytes so that the order reveals
 *  nothing. */
export function choices(history, i) {
  const bytesOf = (...symbols) => hex(symbols.flatMap((symbol) => [...history.bytesOf(symbol, 99)]));
  const named = history
    .candidates(i)
    .map((one) => ({ ...one, name: `${bytesOf(one.left, one.right)}\n${bytesOf(one.left)}` }));
  return named.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns "right", "tie" (the same count as the winner, decided by the tie rule: counts as right), or "wrong". */
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

export const scoreOf = (key) => Object.assign(new Score(), tabState().scores?.[key]);

export function storeScore(key, score) {
  updateTab({ scores: { ...tabState().scores, [key]: score } });
}

export class Quiz {
  constructor(ties, score, next) {
    Object.assign(this, { ties, score, next, step: -1, picked: null });
  }

  /** Asks for the pair of merge `step` (from 0), unless it is already asked. */
  ask(history, step) {
    if (this.history === history && this.step === step) return;
    Object.assign(this, { history, step: step, picked: null, verdict: null, options: choices(history, step) });
  }

  get isAsking() {
    return this.picked === null && this.options?.length > 1 && !this.history.isForced(this.step);
  }

  pick(k) {
    if (!this.isAsking || !this.options[k]) return false;
    this.picked = k;
    this.verdict = judge(this.options, k);
    this.score.add(this.verdict);
    return true;
  }

  draw(pick) {
    const score = make('p', 'score', scoreInWords(this.score));
    return [
      make('h2', 'which', tr('Which pair becomes merge {merge}?', { merge: this.step + 1 })),
      ...(this.isAsking ? this.question(pick) : this.reveal()), score,
    ];
  }

  question(pick) {
    const list = make('ol', 'options', ...this.options.map((one, k) => {
      const button = makeButton('option', () => pick(k), make('kbd', '', String(k + 1)), pairChips(this.history, one));
      button.ariaLabel = `${k + 1}: ${pairInWords(this.history, one)}`;
      return make('li', '', button);
    }));
    return [
      make('p', 'say', tr(
        'The next merge joins the pair that now occurs most often in the corpus. Choose your guess, or ' +
        'press its number.')),
      list,
    ];
  }

  reveal() {
    const winner = this.options.find((one) => one.won), next = makeButton('next', () => this.next(), tr('Next'));
    if (this.picked === null) {
      const reason = this.options.length > 1
        ? tr('This merge was chosen by hand in a fork, so there is nothing to predict.')
        : tr('Only one pair is left, so there is nothing to predict.');
      return [make('p', 'say', reason), next];
    }
    const verdict = verdictInWords(this.verdict, winner.count, this.ties, this.history.tied(this.step).pairs > 1);
    const inOrder = this.history
      .candidates(this.step)
      .map((one) => this.options.find((option) => option.left === one.left && option.right === one.right));
    const ranking = new Ranking();
    ranking.show(this.history, inOrder, { picked: this.options[this.picked] });
    return [
      make('p', `verdict ${this.verdict}`, make('b', '', this.verdict === 'wrong' ? '✗' : '✓'), ` ${verdict}`),
      ranking.element, next,
    ];
  }
}
