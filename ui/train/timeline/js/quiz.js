// The question in predict mode: the pairs without their counts; after the choice, the counts and what it was worth.
import { grouped } from '../../../kit/js/readout.js';
import { make, makeButton } from '../../../kit/js/dom.js';
import { pairBoxes, pairInWords } from '../../../kit/js/box.js';
import { choices, judge } from './guess.js';
import { ranking } from './panel.js';
import { scoreInWords, verdictInWords } from './words.js';

export class Quiz {
  /** `next()` is called when the learner goes on. */
  constructor(ties, score, next) {
    Object.assign(this, { ties, score, next, at: -1, picked: null });
  }

  /** Asks what merge `step` (counted from 0) joins, unless that is being asked. */
  ask(story, step) {
    if (this.story === story && this.at === step) return;
    Object.assign(this, { story, at: step, picked: null, verdict: null, options: choices(story, step) });
  }

  get isAsking() {
    return this.picked === null && this.options.length > 1 && !this.story.isForced(this.at);
  }

  pick(k) {
    if (!this.isAsking || !this.options[k]) return false;
    this.picked = k;
    this.verdict = judge(this.options, k);
    this.score.add(this.verdict);
    return true;
  }

  /** The contents of the panel. */
  draw(pick) {
    const out = [make('h3', 'which', `Which pair becomes merge ${grouped(this.at + 1)}?`)];
    if (this.isAsking) out.push(make('p', 'say', 'The pair that stands most often in the corpus now. Click one, or press its number.'), this.list(pick));
    else out.push(...this.reveal());
    out.push(make('p', 'score', `Score: ${scoreInWords(this.score)}`));
    return out;
  }

  list(pick) {
    const list = make('ol', 'options');
    this.options.forEach((one, k) => {
      const row = make('li', ''), button = makeButton('option', '', () => pick(k));
      button.append(make('kbd', '', String(k + 1)), pairBoxes(this.story, one));
      button.setAttribute('aria-label', `${k + 1}: ${pairInWords(this.story, one)}`);
      row.append(button);
      list.append(row);
    });
    return list;
  }

  reveal() {
    const out = [], winner = this.options.find((one) => one.won);
    if (this.picked !== null) {
      const verdict = make('p', `verdict ${this.verdict}`);
      verdict.append(make('b', '', this.verdict === 'wrong' ? '✗' : '✓'), ` ${verdictInWords(this.verdict, winner.count, this.ties, this.story.tied(this.at).pairs > 1)}`);
      out.push(verdict, ranking(this.story, this.story.candidates(this.at).map((one) => this.options.find((option) => option.left === one.left && option.right === one.right)), { picked: this.options[this.picked] }));
    } else {
      out.push(make('p', 'say', this.options.length > 1 ? 'This merge was chosen by hand in a fork, so there is nothing to predict.' : 'Only one pair is left, so there is nothing to predict.'));
    }
    return [...out, makeButton('next', 'Next', () => this.next())];
  }
}
