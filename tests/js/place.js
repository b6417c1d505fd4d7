// Where the keyboard is when what it was on goes.
import { keepPlace } from '/ui/components/js/streamlit/focus-restore.js';
import { equal } from './check.js';

const changed = keepPlace();
const moment = (ms) => new Promise((later) => { setTimeout(later, ms); });
const ROW =
  '<div class="st-key-up_1"><button hidden>↑</button><button id="up">↑</button></div> ' +
  '<div class="st-key-down_1"><button id="down">↓</button></div>';
const find = (id) => document.getElementById(id);

/** A page with a row of buttons between two others, the keyboard on the first of the row. */
async function open(state = 'notRunning') {
  document.body.innerHTML = `<div data-testid="stApp" data-test-script-state="${state}"><main data-testid="stMain">
    <button id="before">before</button><div id="row">${ROW}</div><button id="after">after</button></main></div>`;
  find('up').focus();
  await moment(0);
  return document.querySelector('[data-testid=stApp]');
}

/** Changes the page in one go, as Streamlit does, and nothing after; returns what has the keyboard in the end. */
async function after(change) {
  change();
  changed();
  await moment(300);
  return document.activeElement.id || document.activeElement.tagName;
}

export async function what_is_disabled_gives_it_to_the_next_though_nothing_else_changes() {
  await open();
  equal(await after(() => { find('up').disabled = true; }), 'down');
}

export async function what_goes_gives_it_to_what_stands_there() {
  await open();
  equal(await after(() => find('row').remove()), 'after');
}

export async function what_is_made_anew_has_it() {
  await open();
  equal(await after(() => { find('row').innerHTML = ROW; }), 'up');
}

export async function what_is_made_anew_elsewhere_gives_it_to_its_own_next() {
  await open();
  const move = () => {
    find('row').innerHTML = ROW;
    find('up').disabled = true;
    find('before').before(find('row'));
  };
  equal(await after(move), 'down');
}

export async function it_waits_until_the_page_is_at_rest() {
  const app = await open('running');
  equal(await after(() => { find('up').disabled = true; }), 'BODY');
  equal(
    await after(() => {
      Object.assign(find('up'), { disabled: false });
      app.dataset.testScriptState = 'notRunning';
    }),
    'up',
  );
}

export async function what_is_made_anew_has_it_though_the_page_is_not_at_rest() {
  await open('running');
  equal(await after(() => { find('row').innerHTML = ROW; }), 'up');
}

export async function who_leaves_it_is_not_brought_back() {
  await open();
  find('up').blur();
  await moment(0);
  equal(await after(() => find('row').remove()), 'BODY');
}

export async function what_went_with_its_page_does_not_take_it_when_that_comes_back() {
  await open();
  const path = location.pathname;
  history.pushState(null, '', '/another');
  equal(await after(() => find('row').remove()), 'BODY');
  history.replaceState(null, '', path);
  equal(await after(() => find('before').after(document.createElement('p'))), 'BODY');
}
