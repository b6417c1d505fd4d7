// The example of a first visit: shown once, at three stops, and ended by anything that a visitor does.
import { Intro } from '/ui/playground/js/intro.js';
import { delay } from '/web/js/dom/elements.js';
import { check, equal } from './check.js';

const STOPS = [
  { label: '3 tokens', ends: [1, 2, 6] }, { label: '2 tokens', ends: [2, 6] }, { label: '1 token', ends: [6] },
];
const DATA = { text: 'กข', stops: STOPS, words: 'Thai cost less.' };

function place() {
  localStorage.clear();
  document.body.innerHTML = '<div class="frame" style="position: relative"></div><p></p><textarea></textarea>';
  const [frame, hint, area] = document.body.children;
  return { frame, hint, area, intro: new Intro(frame, hint, { startDelayMs: 0, stopMs: 30 }) };
}

export async function three_stops_are_shown_then_the_visitor_is_asked_to_type() {
  const { frame, hint, area, intro } = place(), seen = [];
  new MutationObserver(() => {
    const [caption, example] = ['.intro p', '.example'].map((one) => frame.querySelector(one)?.textContent);
    if (caption) seen.push(`${caption} ${frame.querySelectorAll('.example [data-k]').length} ${example}`);
  }).observe(frame, { childList: true, subtree: true });
  await intro.play(DATA);
  equal([...new Set(seen)].filter((one) => !one.startsWith(' ')), [
    '3 tokens 2 กข', '2 tokens 2 กข', '1 token Thai cost less. 1 กข',
  ]);
  check(!frame.querySelector('.intro') && hint.textContent === 'Now type your own text here.' && !area.value);
  area.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
  equal(hint.textContent, '');
  document.body.replaceChildren();
}

export async function it_plays_once_in_a_browser() {
  const { frame, hint, intro } = place();
  await intro.play(DATA);
  hint.textContent = '';
  await new Intro(frame, hint, { startDelayMs: 0, stopMs: 0 }).play(DATA);
  equal(hint.textContent, '');
  document.body.replaceChildren();
}

export async function nothing_is_shown_where_it_cannot_be_recorded() {
  const { frame, hint, intro } = place(), { setItem } = Storage.prototype;
  Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };
  await intro.play(DATA);
  Storage.prototype.setItem = setItem;
  check(!frame.querySelector('.intro') && !hint.textContent);
  document.body.replaceChildren();
}

export async function anything_that_is_done_ends_it_and_arrives() {
  const events = {
    keydown: KeyboardEvent, pointerdown: PointerEvent, paste: ClipboardEvent, input: InputEvent, dragenter: DragEvent,
  };
  for (const [kind, Kind] of Object.entries(events)) {
    const { frame, hint, area, intro } = place(), play = intro.play(DATA), arrived = [];
    await delay(5);
    check(frame.querySelector('.intro'), kind);
    area.addEventListener(kind, (event) => arrived.push(event.defaultPrevented));
    area.dispatchEvent(new Kind(kind, { bubbles: true, cancelable: true }));
    check(!frame.querySelector('.intro'), kind);
    equal(arrived, [false]);
    await play;
    check(!hint.textContent && !frame.querySelector('.intro'), kind);
  }
  document.body.replaceChildren();
}

export async function what_is_done_before_it_begins_keeps_it_from_beginning() {
  const { frame, hint, area, intro } = place(), play = intro.play(DATA);
  area.dispatchEvent(new InputEvent('input', { bubbles: true }));
  await play;
  check(!frame.querySelector('.intro') && !hint.textContent && !localStorage.length);
  document.body.replaceChildren();
}
