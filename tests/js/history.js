// The undo history of a text, against a list of all its states.
import { History } from '/web/js/editor/history.js';
import { check, equal, random, upTo } from './check.js';

const typedOneByOne = (history, text, letters) => Array.from(letters).reduce((before, letter) => {
  history.record(before, before + letter, true);
  return before + letter;
}, text);

export function every_edit_can_be_undone_and_redone() {
  const { edit, below, text } = random('history');
  for (const _ of upTo(60)) {
    const history = new History(), texts = [text(20)];
    let at = 0, now = texts[0];
    for (const _ of upTo(120)) {
      const way = below(4);
      if (way > 1) {
        const after = edit(now);
        history.record(now, after);
        if (after !== now) texts.splice(++at, Infinity, now = after);
        continue;
      }
      const found = way ? history.redo(now) : history.undo(now), next = at + (way ? 1 : -1);
      equal(found?.text ?? null, texts[next] ?? null);
      if (found) [now, at] = [found.text, next];
    }
  }
}

export function typing_is_undone_word_by_word() {
  const history = new History();
  let now = typedOneByOne(history, 'an old text', ', some words');
  history.record(now, `${now}pasted`);
  now = typedOneByOne(history, `${now}pasted`, 'x\ny');
  const back = [];
  for (let found; (found = history.undo(now));) back.push(now = found.text);
  equal(back, [
    'an old text, some wordspastedx\n', 'an old text, some wordspastedx', 'an old text, some wordspasted',
    'an old text, some words', 'an old text, some ', 'an old text, ', 'an old text',
  ]);
  equal(history.undo(now), null);
}

export function first_key_over_a_selection_belongs_to_its_word() {
  const history = new History();
  history.record('all of it', 'm', true);
  const now = typedOneByOne(history, 'm', 'ine');
  equal(history.undo(now), { text: 'all of it', caret: 9 });
  equal(history.redo('all of it'), { text: 'mine', caret: 4 });
}

export function repeated_deletion_is_one_edit() {
  const history = new History();
  for (const [before, after] of [
    ['abcdef', 'abcde'], ['abcde', 'abcd'], ['abcd', 'abc'],
  ])
    history.record(before, after, true);
  equal(history.undo('abc'), { text: 'abcdef', caret: 6 });
  check(!history.undo('abcdef'));
  const forward = new History();
  for (const [before, after] of [['abcdef', 'bcdef'], ['bcdef', 'cdef']]) forward.record(before, after, true);
  equal(forward.undo('cdef').text, 'abcdef');
}

export function oldest_edits_are_dropped_above_the_limits() {
  const history = new History(), large = (letter) => letter.repeat(8_000_000);
  history.record('', large('a'));
  history.record(large('a'), large('b'));
  history.record(large('b'), 'c');
  equal(history.undo('c').text.length, 8_000_000);
  check(!history.undo(large('b')) || history.edits.length < 3);
  const many = new History();
  for (const i of upTo(1500)) many.record(`${i}`, `${i + 1}`);
  let n = 0;
  for (let now = '1500', found; (found = many.undo(now)); n++) now = found.text;
  equal(n, 1000);
}

export function caret_is_never_put_between_the_halves_of_a_surrogate_pair() {
  for (const [before, after] of [['😀', '😁😀'], ['😀', '😁'], ['a😁😀', 'a😀'], ['𐐀', '😀'], ['😀😀', '😀😀😀']]) {
    const history = new History();
    history.record(before, after);
    const undone = history.undo(after), redone = history.redo(before);
    equal([undone.text, redone.text], [before, after]);
    for (const { text, caret } of [undone, redone])
      check(text.slice(0, caret).isWellFormed() && text.slice(caret).isWellFormed(), `${text} at ${caret}`);
  }
}
