// Sentences of the timeline, as plain text.
import { formatDecimal } from '../../js/tokens/readout.js';
import { tr, trn } from '../../js/dom/i18n.js';

const times = (n) => trn('once', '{n} times', n);
const tokens = (n) => trn('{n} token', '{n} tokens', n);
export const percent = (share) => `${formatDecimal(100 * share, 1)} %`;

/** "seen 1,234 times; saved 1,230 tokens", with the reason for a difference. */
export function seenAndSaved(count, saved, isNext) {
  const facts = { times: times(count), tokens: tokens(saved) };
  const sentence = isNext
    ? tr('The pair occurs {times}; the merge saves {tokens}.', facts)
    : tr('The pair occurred {times}; the merge saved {tokens}.', facts);
  return saved < count ? `${sentence} ${fewer()}` : sentence;
}

const fewer = () => tr('The merge saves fewer tokens than there are pairs, because a text such as “aaa”'
  + ' contains the pair “aa” twice, but only one of the two can be joined.');

const ruleInWords = ({ name, words }) =>
  tr('Of pairs that occur equally often, the rule {rule} chooses {words}.', { rule: name, words });

export function tieSentence({ pairs, more }, count, ties) {
  const facts = { pairs, times: times(count) };
  const seen = more
    ? tr('{pairs} or more pairs occurred {times} each.', facts)
    : tr('{pairs} pairs occurred {times} each.', facts);
  return `${seen} ${ruleInWords(ties)}`;
}

/** The slider's value for a screen reader. */
export function stepInWords(step, numMerges, pair) {
  if (!numMerges) return tr('No merges');
  if (!step) return trn('before the only merge', 'before the first of {n} merges', numMerges);
  return tr('merge {step} of {all}: {pair}', { step, all: numMerges, pair });
}

/** Compares a fork with its parent after the same number of merges. */
export function comparison(step, own, theirs) {
  const change = (own - theirs) / theirs, sign = change > 0 ? '+' : change < 0 ? '−' : '±', size = Math.abs(change);
  const difference =
    own === theirs ? tr('the same') : `${sign}${formatDecimal(100 * size, size < 0.001 ? 3 : 1)} %`;
  const merges = trn('{n} merge', '{n} merges', step);
  return tr('After {merges}: {theirs} without the fork, {tokens} with it ({difference}).', {
    merges, theirs: tokens(theirs), tokens: own, difference,
  });
}

/** Describes the result of a guess; `isTied` if other pairs have the winner's count. */
export function verdictInWords(verdict, count, ties, isTied) {
  const facts = { times: times(count) };
  if (verdict === 'tie')
    return `${tr('Your pair occurred {times} too, so your guess counts as right.', facts)} ${ruleInWords(ties)}`;
  if (verdict !== 'right') return tr('Not this one. The pair that won occurred {times}.', facts);
  if (isTied) return `${tr('Right. Other pairs occurred {times} too.', facts)} ${ruleInWords(ties)}`;
  return tr('Right. This pair occurred {times}, more often than any other pair.', facts);
}

export function scoreInWords({ right, asked, streak }) {
  if (!asked) return tr('Score: no guess yet.');
  if (streak > 1) return tr('Score: {right} of {asked}, {streak} in a row', { right, asked, streak });
  return tr('Score: {right} of {asked}', { right, asked });
}
