// Describes merge s: the winning pair, its result, the runners-up; before the first merge, the first one.
import { make, makeButton } from '../../../components/js/dom/elements.js';
import { grouped } from '../../../components/js/tokens/readout.js';
import { nameOfSymbol, pairChips, pairInWords, tokenChip } from '../../../components/js/tokens/token-chip.js';
import { tr, trn } from '../../../components/js/dom/i18n.js';
import { seenAndSaved, tieSentence } from './sentences.js';

/** Returns the panel's contents at a step; the runners-up's buttons call `whatIf(step, pair)` if given, and
 *  `back` leads to the question. */
export function mergePanel({ story, step, ties, whatIf, back }) {
  if (!story.numMerges)
    return [make('h2', 'which', tr('No merges')), make('p', 'say', tr('This vocabulary holds only its base symbols.'))];
  const isNext = step === 0, i = isNext ? 0 : step - 1, candidates = story.candidates(i), isForced = story.isForced(i);
  const title = isNext ? tr('Before the first merge') : tr('Merge {step} of {all}', { step, all: story.numMerges });
  const out = [
    make('h2', 'which', title), make('p', 'say', introduction(story, isNext, isForced)),
    joinRow(story, candidates[0], i, isNext),
    make('p', 'sum', seenAndSaved(story.count[i], story.saved[i], isNext)),
  ];
  const tied = story.tied(i);
  if (tied.pairs > 1 && !isForced)
    out.push(make('p', 'tie', make('b', 'badge', tr('tie')), ` ${tieSentence(tied, story.count[i], ties)}`));
  if (candidates.length > 1)
    out.push(
      make('h3', '', headOf(isNext, isForced)),
      ranking(story, candidates, {
        winner: isNext ? tr('next') : isForced ? tr('✓ chosen') : tr('✓ won'),
        whatIf: whatIf && ((pair) => whatIf(i, pair)),
      }),
    );
  else out.push(make('p', 'say', tr('There was no other pair.')));
  if (back) out.push(makeButton('next', back, tr('Back to the question')));
  return out;
}

function introduction(story, isNext, isForced) {
  if (isForced && !isNext) return tr('Joined because it was chosen here, in the fork:');
  if (!isNext) return tr('The pair seen most often was joined:');
  if (story.alphabet === 'bytes')
    return tr('Every byte is a token of its own. Next, merge 1 joins the pair that occurs most often:');
  return tr('Every character is a token of its own. Next, merge 1 joins the pair that occurs most often:');
}

function headOf(isNext, isForced) {
  if (isForced) return tr('The chosen pair, and the most frequent at that moment');
  return isNext ? tr('The most frequent pairs now') : tr('The most frequent pairs at that moment');
}

function joinRow(story, pair, i, isNext) {
  const symbol = story.numBase + i, made = tokenChip(story, symbol, isNext ? '' : 'newest');
  const facts = { pair: pairInWords(story, pair), token: nameOfSymbol(story, symbol), id: String(symbol) };
  const row = make(
    'p', 'join', pairChips(story, pair), make('span', 'sign', '→'), made, make('span', 'id', tr('id {id}', facts)),
  );
  row.ariaLabel = tr('{pair} becomes {token}, id {id}', facts);
  return row;
}

/** Draws the candidates as bars with counts. */
export function ranking(story, candidates, { winner = tr('✓ won'), whatIf = null, picked = null }) {
  const most = Math.max(...candidates.map((one) => one.count));
  return make('ol', 'ranking', ...candidates.map((one) => {
    const bar = make('span', 'bar');
    const label = picked === one ? (one.won ? tr('✓ yours') : tr('yours')) : one.won ? winner : '';
    const last = whatIf && !one.won ? forkButton(story, one, whatIf) : make('span', 'mark', label);
    bar.style.setProperty('--share', one.count / most);
    const row = make(
      'li', one.won ? 'won' : '', pairChips(story, one), bar, make('span', 'number', grouped(one.count)), last,
    );
    return Object.assign(row, {
      title: trn('{pair}: {n} time', '{pair}: {n} times', one.count, { pair: pairInWords(story, one) }),
    });
  }));
}

function forkButton(story, pair, whatIf) {
  const button = makeButton('quiet', () => whatIf(pair), tr('What if?'));
  const label = tr('What if this one: {pair}?', { pair: pairInWords(story, pair) });
  return Object.assign(button, { ariaLabel: label, title: tr('Train again from here, with this pair joined instead') });
}
