// What merge s did: the pair that won, what it made, who came next. Before the first merge: what the first one will do.
import { make, makeButton } from '../../../kit/js/dom.js';
import { counted, grouped } from '../../../kit/js/readout.js';
import { nameOfSymbol, pairBoxes, pairInWords, tokenBox } from '../../../kit/js/box.js';
import { seenAndSaved, tieSentence } from './words.js';

/** The contents of the panel at a step; `whatIf(step, pair)` is called by the buttons of the runners-up, if any, `back`, if any, goes to the question. */
export function mergePanel({ story, step, ties, whatIf, back }) {
  if (!story.numMerges) return [make('h2', 'which', 'No merges'), make('p', 'say', 'This vocabulary holds only its base symbols.')];
  const isNext = step === 0, i = isNext ? 0 : step - 1, candidates = story.candidates(i), isForced = story.isForced(i);
  const out = [make('h2', 'which', isNext ? 'Before the first merge' : `Merge ${grouped(step)} of ${grouped(story.numMerges)}`)];
  if (isNext) out.push(make('p', 'say', `Every ${story.alphabet === 'bytes' ? 'byte' : 'character'} is a token of its own. Next, merge 1 joins the pair that occurs most often:`));
  else out.push(make('p', 'say', isForced ? 'Joined because it was chosen here, in the fork:' : 'The pair seen most often was joined:'));
  out.push(joinRow(story, candidates[0], i, isNext), make('p', 'sum', seenAndSaved(story.count[i], story.saved[i], isNext)));
  const tied = story.tied(i);
  if (tied.pairs > 1 && !isForced) out.push(make('p', 'tie', make('b', 'badge', 'tie'), ` ${tieSentence(tied, story.count[i], ties)}`));
  if (candidates.length > 1) out.push(make('h3', '', isForced ? 'The chosen pair, and the most frequent at that moment' : `The most frequent pairs ${isNext ? 'now' : 'at that moment'}`), ranking(story, candidates, { winner: isNext ? 'next' : isForced ? '✓ chosen' : '✓ won', whatIf: whatIf && ((pair) => whatIf(i, pair)) }));
  else out.push(make('p', 'say', 'There was no other pair.'));
  if (back) out.push(makeButton('next', back, 'Back to the question'));
  return out;
}

function joinRow(story, pair, i, isNext) {
  const symbol = story.numBase + i, made = tokenBox(story, symbol, isNext ? '' : 'newest');
  const row = make('p', 'join', pairBoxes(story, pair), make('span', 'sign', '→'), made, make('span', 'id', `id ${symbol}`));
  row.ariaLabel = `${pairInWords(story, pair)} becomes ${nameOfSymbol(story, symbol)}, id ${symbol}`;
  return row;
}

/** The candidates as bars with their counts. */
export function ranking(story, candidates, { winner = '✓ won', whatIf = null, picked = null }) {
  const most = Math.max(...candidates.map((one) => one.count));
  return make('ol', 'ranking', ...candidates.map((one) => {
    const bar = make('span', 'bar'), says = picked === one ? (one.won ? '✓ yours' : 'yours') : one.won ? winner : '';
    const last = whatIf && !one.won ? forkButton(story, one, whatIf) : make('span', 'mark', says);
    bar.style.setProperty('--share', one.count / most);
    const row = make('li', one.won ? 'won' : '', pairBoxes(story, one), bar, make('span', 'number', grouped(one.count)), last);
    return Object.assign(row, { title: `${pairInWords(story, one)}: ${counted(one.count, 'time')}` });
  }));
}

function forkButton(story, pair, whatIf) {
  const button = makeButton('quiet', () => whatIf(pair), 'What if?');
  return Object.assign(button, { ariaLabel: `What if this one: ${pairInWords(story, pair)}?`, title: 'Train again from here, with this pair joined instead' });
}
