// Focus after the focused element disappears.
import { watchFocus } from '/web/js/streamlit/focus-restore.js';
import { equal } from './check.js';

const onPageChange = watchFocus();
const delay = (ms) => new Promise((later) => { setTimeout(later, ms); });
const ROW =
  '<div class="st-key-up_1"><button hidden>↑</button><button id="up">↑</button></div> ' +
  '<div class="st-key-down_1"><button id="down">↓</button></div>';
const find = (id) => document.getElementById(id);

/** Draws a row of buttons between two others, with the focus on the first of the row. */
async function open(state = 'notRunning') {
  document.body.innerHTML = `<div data-testid="stApp" data-test-script-state="${state}"><main data-testid="stMain">
    <button id="before">before</button><div id="row">${ROW}</div><button id="after">after</button></main></div>`;
  find('up').focus();
  await delay(0);
  return document.querySelector('[data-testid=stApp]');
}

/** Changes the page once, as Streamlit does; returns the focused element afterwards. */
async function focusAfter(change) {
  change();
  onPageChange();
  await delay(300);
  return document.activeElement.id || document.activeElement.tagName;
}

export async function disabled_element_passes_focus_to_the_next() {
  await open();
  equal(await focusAfter(() => { find('up').disabled = true; }), 'down');
}

export async function removed_element_passes_focus_to_its_successor() {
  await open();
  equal(await focusAfter(() => find('row').remove()), 'after');
}

export async function recreated_element_has_the_focus() {
  await open();
  equal(await focusAfter(() => { find('row').innerHTML = ROW; }), 'up');
}

export async function moved_and_disabled_element_passes_focus_within_its_row() {
  await open();
  const move = () => {
    find('row').innerHTML = ROW;
    find('up').disabled = true;
    find('before').before(find('row'));
  };
  equal(await focusAfter(move), 'down');
}

export async function focus_moves_only_once_the_page_is_idle() {
  const app = await open('running');
  equal(await focusAfter(() => { find('up').disabled = true; }), 'BODY');
  equal(
    await focusAfter(() => {
      Object.assign(find('up'), { disabled: false });
      app.dataset.testScriptState = 'notRunning';
    }),
    'up',
  );
}

export async function recreated_element_has_the_focus_during_a_run() {
  await open('running');
  equal(await focusAfter(() => { find('row').innerHTML = ROW; }), 'up');
}

export async function element_that_a_move_blurs_for_a_moment_passes_focus_on_later() {
  await open();
  find('up').blur();
  find('up').focus(); // as React does after it has moved the focused element
  await delay(0);
  equal(await focusAfter(() => find('row').remove()), 'after');
}

export async function element_moved_during_a_run_passes_focus_on_from_its_place_before() {
  const app = await open('running'), next = find('after');
  next.insertAdjacentHTML('afterend', '<button id="end">end</button>');
  find('up').blur();
  await delay(0);
  find('row').before(next);
  find('up').focus();
  const remove = () => {
    find('row').remove();
    app.dataset.testScriptState = 'notRunning';
  };
  equal(await focusAfter(remove), 'after');
}

export async function blurred_element_does_not_get_the_focus_back() {
  await open();
  find('up').blur();
  await delay(0);
  equal(await focusAfter(() => find('row').remove()), 'BODY');
}

export async function element_of_a_left_page_does_not_get_the_focus_back() {
  await open();
  const path = location.pathname;
  history.pushState(null, '', '/another');
  equal(await focusAfter(() => find('row').remove()), 'BODY');
  history.replaceState(null, '', path);
  equal(await focusAfter(() => find('before').after(document.createElement('p'))), 'BODY');
}
