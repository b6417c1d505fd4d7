// Sentences about a piece and a merge. Texts become text nodes, never markup.
import { nameOfBytes } from '../../../web/js/tokens/token-chip.js';
import { make, interpolate } from '../../../web/js/dom/elements.js';
import { nameOf, RIGHT_TO_LEFT } from '../../../web/js/tokens/paint.js';
import { isolated } from '../../../web/js/tokens/readout.js';
import { tr, trn } from '../../../web/js/dom/i18n.js';

const SIGNS = '\\p{Z}\\p{Cc}\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff';
const SIGN_RUNS = new RegExp(`[${SIGNS}]|[^${SIGNS}]+`, 'gu'); // no joiners: they shape emoji and letters
const INVISIBLE = /^[\p{Z}\p{Cc}\p{Cf}]+$/u;
const LEADING_MARK = /^\p{M}/u;
const FIRST_LETTER = /\p{L}/u;
const MAX_LABELLED_TOKENS = 4; // with more, the reason between two tokens is only a symbol
const MAX_TOKENS = 80;
const MAX_RIVALS = 5;
const WALL_LABEL = tr('the split pattern splits the text here');
const START_LABELS = { wall: WALL_LABEL, end: tr('start of the text'), cut: tr('start of the part shown') };
const END_LABELS = { wall: WALL_LABEL, end: tr('end of the text'), cut: tr('end of the part shown') };

/** Returns the direction of a text: that of its first letter. */
export function directionOf(text) {
  return RIGHT_TO_LEFT.test(text.match(FIRST_LETTER)?.[0] ?? '') ? 'rtl' : 'ltr';
}

/** Names the bytes from..to, counted from 1. */
export const bytesInWords = (from, to) =>
  from === to ? tr('byte {n}', { n: from }) : tr('bytes {from} to {to}', { from, to });

/** Fills an element with a text; white space gets marks, a leading combining mark a circle, an invisible
 *  character its name. Only the text itself is copied. A joiner between other characters is not marked. */
export function fillText(element, text) {
  element.classList.toggle('bare-mark', LEADING_MARK.test(text));
  const isUnseen = INVISIBLE.test(text);
  element.replaceChildren(...Array.from(isUnseen ? text : text.match(SIGN_RUNS) ?? [], (run) => {
    if (!INVISIBLE.test(run)) return document.createTextNode(run);
    const sign = make('i', 'sign', run), name = nameOf(run);
    sign.dataset.m = isUnseen || name.length === 1 ? name : `‹${name}›`; // letters beside other letters
    return sign;
  }));
  return element;
}

/** Returns the characters of a piece, with code points and categories. */
export function characterList({ text, characters }) {
  const list = make('ul', 'characters', ...characters.map(([character, point, name, category, kind]) => {
    const item = make(
      'li', '', fillText(make('b', 'glyph-of'), character), make('small', '', point),
      make('small', 'category', kind),
    );
    return Object.assign(item, {
      title: tr('{point} {name}, category {category}: {kind}', { point, name, category, kind }),
    });
  })), left = Array.from(text).length - characters.length;
  // focusable, so that the keyboard can scroll it
  Object.assign(list, { dir: directionOf(text), tabIndex: 0, ariaLabel: tr('Characters') });
  if (left > 0) list.append(make('li', 'more', tr('and {n} more', { n: left })));
  return list;
}

/** Returns rows of [name, element or text] about how the pattern matched the piece. */
export function matchRows({ pattern, isCut, isChanged, alternative, numAlternatives, source, words, isUnmatched }) {
  const rows = [
    [
      tr('Normal form'),
      isChanged
        ? tr('the tokenizer may change the text in its own steps, which the Tokenizers page shows')
        : tr('none: the text is not changed'),
    ],
  ];
  const by = tr('Matched by');
  if (!isCut) return [...rows, [by, tr('no split pattern')]];
  const matched = make('span');
  if (alternative) matched.append(...alternativeInWords(alternative, numAlternatives, pattern, source, words));
  else
    matched.append(
      isUnmatched
        ? tr('no alternative of {pattern} matches; text that the pattern does not match is also a pre-token', {
            pattern,
          })
        : tr('one of the {n} alternatives of {pattern}; which one is not known', { pattern, n: numAlternatives }),
    );
  return [...rows, [by, matched]];
}

function alternativeInWords(number, total, pattern, source, words) {
  const facts = { number, total, pattern, source: make('code', '', source), words };
  return interpolate(
    words
      ? tr('alternative {number} of {total} in {pattern}: {source}, {words}')
      : tr('alternative {number} of {total} in {pattern}: {source}'),
    facts,
  );
}

/** Lists the tokens in a line, with what separates them. */
export function outcomeList(merges, [left, right]) {
  const list = make('ol', 'outcome'), isShort = merges.tokens.length <= MAX_LABELLED_TOKENS;
  list.append(make('li', left === 'wall' ? 'end' : 'end open', START_LABELS[left]));
  let at = 0;
  merges.tokens.slice(0, MAX_TOKENS).forEach(([id, length], i) => {
    if (i) list.append(separator(merges.others.has(i - 1), isShort));
    const text = Object.assign(make('span', 'box', nameOfBytes(merges.bytes.subarray(at, (at += length)))), {
      dir: 'auto',
    });
    list.append(make('li', 'token', text, make('small', '', tr('id {id}', { id: String(id) }))));
  });
  if (merges.tokens.length > MAX_TOKENS)
    list.append(
      make('li', 'more', trn('and {n} more token', 'and {n} more tokens', merges.tokens.length - MAX_TOKENS)),
    );
  list.append(make('li', right === 'wall' ? 'end' : 'end open', END_LABELS[right]));
  return list;
}

function separator(isOther, isShort) {
  const words = isOther
    ? tr('no merge joins these two parts: their bytes together are a token, but that token is merged from other parts')
    : tr('no merge joins these two parts');
  return Object.assign(make('li', isShort ? 'between' : 'between short', isShort ? `✕ ${words}` : '✕'), {
    title: words, ariaLabel: words,
  });
}

export function titleOf(merges) {
  const bytes = merges.bytes.length, own = merges.isBytes ? [] : [merges.unitsInWords];
  return [
    ...own, trn('{n} byte', '{n} bytes', bytes), trn('{n} merge', '{n} merges', merges.numSteps),
    trn('{n} token', '{n} tokens', merges.tokens.length),
  ].join(', ');
}

export function stateWords(merges, state) {
  const { numSteps } = merges, rivals = [];
  if (merges.whole)
    return {
      head: tr('Used without merging'),
      sentence: tr(
        'The vocabulary contains these bytes as one token. The tokenizer (tiktoken) uses that token without ' +
          'merging, although no merges lead to it.',
      ),
      rivals,
    };
  if (!numSteps) {
    const n = merges.tokens.length;
    const sentence = trn('No merge applies: {n} token.', 'No merge applies: {n} tokens.', n);
    return { head: tr('No merges'), sentence, rivals };
  }
  const head = headOf(state, numSteps), done = state ? mergeSentence(merges, state - 1) : startSentence(merges);
  if (state === numSteps) return { head, sentence: `${done} ${endSentence(merges.tokens.length)}`, rivals };
  if (!merges.gaps) {
    const note = tr('Other possible merges are not listed for a pre-token of more than 12,000 parts.');
    return { head, sentence: `${done} ${note}`, rivals };
  }
  rivals.push(...merges.candidates(state));
  const next =
    rivals[1]?.rank === rivals[0].rank
      ? tr('The pair with the lowest rank is merged next; of pairs with the same rank, the leftmost:')
      : tr('The pair with the lowest rank is merged next:');
  return { head, sentence: `${done} ${next}`, rivals };
}

function headOf(state, total) {
  if (state) return tr('Merge {n} of {total}', { n: state, total });
  return trn('Before the only merge', 'Before the first of {n} merges', total);
}

function startSentence({ numUnits: n, isBytes, isMixed }) {
  if (isMixed) return tr('{n} parts (characters or bytes), nothing merged yet.', { n });
  return isBytes
    ? trn('{n} byte, nothing merged yet.', '{n} bytes, nothing merged yet.', n)
    : trn('{n} character, nothing merged yet.', '{n} characters, nothing merged yet.', n);
}

const endSentence = (n) =>
  trn('No more merges apply: {n} token.', 'No more merges apply: {n} tokens.', n);

function mergeSentence(merges, step) {
  const [from, middle, to] = merges.made[step], name = (a, b) => isolated(nameOfBytes(merges.bytesOf(a, b)));
  return tr('{one} + {other} became {both}: id {id}, which is also the rank of this merge.', {
    one: name(from, middle), other: name(middle, to), both: name(from, to), id: String(merges.ranks[step]),
  });
}

/** Lists the candidates of a state, the winner first. */
export function rivalList(merges, state, candidates) {
  const list = make('ol', 'rivals'), parts = new Map(merges.parts(state).map((part) => [part.to, part]));
  for (const [i, { at, rank }] of candidates.slice(0, MAX_RIVALS + 1).entries()) {
    const [right] = merges.parts(state, at, at + 1);
    const name = (from, to) => isolated(nameOfBytes(merges.bytesOf(from, to)));
    list.append(
      make(
        'li', i ? 'rival' : 'winner', make('bdi', '', `${name(parts.get(at).from, at)} + ${name(at, right.to)}`),
        make('small', '', tr('rank {rank}', { rank: String(rank) })),
      ),
    );
  }
  const left = candidates.length - MAX_RIVALS - 1;
  const more = trn('and {n} more possible merge', 'and {n} more possible merges', left);
  if (left > 0) list.append(make('li', 'more', more));
  return list;
}
