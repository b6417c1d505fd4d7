// What the timeline says, in sentences. Pure text: whoever shows it puts it in as text.
import { counted, fixed, grouped } from '../../../kit/js/readout.js';

const times = (n) => (n === 1 ? 'once' : `${grouped(n)} times`);
export const percent = (share) => `${fixed(100 * share, 1)} %`;

/** "seen 1,234 times; saved 1,230 tokens", with the reason where the two differ. */
export function seenAndSaved(count, saved, isNext) {
  const sentence = isNext ? `It occurs ${times(count)}; joining it saves ${counted(saved, 'token')}.` : `Seen ${times(count)}; saved ${counted(saved, 'token')}.`;
  return saved < count ? `${sentence} Fewer, because a run such as “aaa” holds the pair twice but is joined once.` : sentence;
}

/** What a tie was decided by. */
export function tieSentence({ pairs, more }, count, ties) {
  return `${pairs}${more ? ' or more' : ''} pairs occurred ${times(count)} each; the rule ${ties.name} decided: ${ties.words}.`;
}

/** The slider's value for a screen reader. */
export function stepInWords(step, numMerges, pair) {
  return step ? `merge ${grouped(step)} of ${grouped(numMerges)}: ${pair}` : `before the first of ${counted(numMerges, 'merge')}`;
}

/** How a fork compares with the history it left, after as many merges. */
export function comparison(step, own, theirs) {
  const change = (own - theirs) / theirs, sign = change > 0 ? '+' : change < 0 ? '−' : '±';
  const difference = own === theirs ? 'the same' : `${sign}${fixed(100 * Math.abs(change), Math.abs(change) < 0.001 ? 3 : 1)} %`;
  return `After ${counted(step, 'merge')}: ${counted(own, 'token')}; without the fork: ${grouped(theirs)} (${difference}).`;
}

/** What a guess was worth; `isTied` where the winner was not alone with its count. */
export function verdictInWords(verdict, count, ties, isTied) {
  const rule = `the rule ${ties.name} decided: ${ties.words}`;
  if (verdict === 'right') return isTied ? `Right. Others occurred ${times(count)} too; ${rule}.` : `Right. It occurred ${times(count)}, more often than any other.`;
  if (verdict === 'tie') return `Same count, ${times(count)}, but ${rule}. It counts as right.`;
  return `Not this one. The pair that won occurred ${times(count)}.`;
}

export function scoreInWords({ right, asked, streak }) {
  if (!asked) return 'No guess yet.';
  return `${right} of ${asked}${streak > 1 ? `, ${streak} in a row` : ''}`;
}
