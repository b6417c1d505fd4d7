// Describes the merge of a step: the winning pair, its result, the runners-up; before the first merge, the first one.
import { make, makeButton } from '../../js/dom/elements.js';
import { formatInteger, setText } from '../../js/tokens/readout.js';
import { nameOfSymbol, pairChips, pairInWords, tokenChip } from '../../js/tokens/token-chip.js';
import { tr, trn } from '../../js/dom/i18n.js';
import { seenAndSaved, tieSentence } from './sentences.js';

const SPACE_BYTE = 0x20;

/** The panel of a merge. Its elements stay from step to step, so that a button keeps the focus and its place. */
export class MergePanel {
  /** The runners-up's buttons call `whatIf(merge, pair)`, and `back()` leads to the question. */
  constructor(whatIf, back) {
    this.heading = make('h2', 'which');
    this.introduction = make('p', 'say');
    this.join = make('p', 'join');
    this.sum = make('p', 'sum');
    this.rankingHeading = make('h3');
    this.ranking = new Ranking((pair) => whatIf(this.merge, pair));
    this.tie = make('p', 'tie');
    this.back = makeButton('next', back, tr('Back to the question'));
    this.facts = make('div', 'facts', this.heading, this.introduction, this.join, this.sum);
    this.elements = [this.facts, this.rankingHeading, this.ranking.element, this.tie, this.back];
  }

  /** Shows a step; `canFork` if its runners-up have buttons. */
  show({ history, step, ties, canFork, isBehind }) {
    const { numMerges } = history, isNext = step === 0, i = isNext ? 0 : step - 1;
    const isEmpty = !numMerges, isForced = !isEmpty && history.isForced(i);
    const candidates = isEmpty ? [] : history.candidates(i);
    setText(this.heading, headingOf(step, numMerges));
    setText(
      this.introduction,
      isEmpty ? tr('No pair was merged: the tokens shown are base symbols.') : introduction(history, isNext, isForced),
    );
    this.join.hidden = this.sum.hidden = isEmpty;
    this.ranking.element.hidden = isEmpty || candidates.length < 2;
    this.back.hidden = !isBehind;
    this.tie.hidden = true;
    this.rankingHeading.hidden = isEmpty;
    const title = candidates.length < 2 ? tr('There was no other pair.') : rankingTitle(isNext, isForced);
    const hasSpace = candidates.some(({ left, right }) =>
      [left, right].some((symbol) => history.bytesOf(symbol).includes(SPACE_BYTE)));
    setText(this.rankingHeading, hasSpace ? `${title} ${tr('(· is a space)')}` : title);
    if (isEmpty) return;
    this.merge = i;
    showJoin(this.join, history, candidates[0], i, isNext);
    setText(this.sum, seenAndSaved(history.count[i], history.saved[i], isNext));
    const winner = isNext ? tr('next') : isForced ? tr('✓ chosen') : tr('✓ won');
    this.ranking.show(history, candidates, { winner, canFork });
    const tied = history.tied(i);
    this.tie.hidden = tied.pairs < 2 || isForced;
    if (!this.tie.hidden)
      this.tie.replaceChildren(make('b', 'badge', tr('tie')), ` ${tieSentence(tied, history.count[i], ties)}`);
  }
}

function headingOf(step, all) {
  if (!all) return tr('No merges');
  return step ? tr('Merge {step} of {all}', { step, all }) : tr('Before the first merge');
}

function introduction(history, isNext, isForced) {
  if (isForced)
    return isNext
      ? tr('No pair is merged yet. Next, merge 1 joins the pair that was chosen by hand in the fork:')
      : tr('This pair was chosen by hand in the fork:');
  if (!isNext) return tr('The pair seen most often was joined:');
  if (history.alphabet === 'bytes')
    return tr('Every byte is a token. Next, merge 1 joins the pair that occurs most often:');
  if (history.alphabet === 'tokens')
    return tr(
      'The text still consists of the tokens that this training began with. Next, merge 1 joins the pair of these ' +
        'tokens that occurs most often:',
    );
  return tr('Every character is a token. Next, merge 1 joins the pair that occurs most often:');
}

function rankingTitle(isNext, isForced) {
  if (isForced) return tr('The chosen pair, and the most frequent pairs at that moment');
  return isNext ? tr('The most frequent pairs now') : tr('The most frequent pairs at that moment');
}

function showJoin(row, history, pair, i, isNext) {
  const symbol = history.numBase + i, made = tokenChip(history, symbol, isNext ? '' : 'newest');
  const facts = { pair: pairInWords(history, pair), token: nameOfSymbol(history, symbol), id: String(symbol) };
  row.replaceChildren(
    pairChips(history, pair), make('span', 'sign', '→'), made, make('span', 'id', tr('id {id}', facts)),
  );
  row.ariaLabel = tr('{pair} becomes {token}, id {id}', facts);
}

/** Candidates as bars with counts, a row each. A row changes its content and stays in its place. */
export class Ranking {
  /** `whatIf(pair)` is called by the buttons of the runners-up. */
  constructor(whatIf = null) {
    this.element = make('ol', 'ranking');
    this.whatIf = whatIf;
    this.rows = [];
  }

  show(history, candidates, { winner = tr('✓ won'), canFork = false, picked = null } = {}) {
    const most = Math.max(...candidates.map((one) => one.count));
    while (this.rows.length < candidates.length) this.addRow();
    this.rows.forEach((row, k) => {
      const one = row.pair = candidates[k];
      row.element.hidden = !one;
      if (!one) return;
      const isFork = canFork && !one.won, words = pairInWords(history, one);
      row.element.className = one.won ? 'won' : '';
      row.element.title = trn('{pair}: {n} time', '{pair}: {n} times', one.count, { pair: words });
      row.chips.replaceChildren(pairChips(history, one));
      row.bar.style.setProperty('--share', one.count / most);
      setText(row.number, formatInteger(one.count));
      setText(row.mark, picked === one ? (one.won ? tr('✓ yours') : tr('yours')) : one.won ? winner : '');
      row.mark.hidden = isFork;
      row.button.hidden = !isFork;
      row.button.ariaLabel = tr('What if {pair} is merged instead?', { pair: words });
    });
  }

  addRow() {
    const row = Object.fromEntries(['chips', 'bar', 'number', 'mark'].map((name) => [name, make('span', name)]));
    // The notice of a fork moves the rows, so the second click of a double click may be on another pair.
    row.button = makeButton('quiet', ({ detail }) => { if (detail < 2) this.whatIf(row.pair); }, tr('What if?'));
    row.button.title = tr('Train again from here, with this pair joined instead');
    row.element = make('li', '', row.chips, row.bar, row.number, row.mark, row.button);
    this.element.append(row.element);
    this.rows.push(row);
  }
}
