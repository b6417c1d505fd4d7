// A press during a reconnect is repeated on the same button after the page is redrawn, or on none.
import { onDisconnect, onReconnect } from '/ui/session/sync/js/reconnect.js';
import { equal } from './check.js';

/** Returns the names of the buttons that get a click after one was pressed during a reconnect; a button is given by the
 *  key of its container, its label, and its name. */
async function pressesAfterRedraw(before, pressedName, after) {
  const app = document.createElement('div'), presses = [];
  app.dataset.testid = 'stApp';
  app.dataset.testScriptState = 'notRunning';
  app.dataset.testConnectionState = 'CONNECTED';
  document.body.replaceChildren(app);
  const draw = (buttons) => app.replaceChildren(...buttons.map(([key, label, name]) => {
    const place = document.createElement('div'), button = document.createElement('button');
    if (key) place.className = `st-key-${key}`;
    button.append(label);
    button.dataset.name = name;
    button.addEventListener('click', () => presses.push(name));
    place.append(button);
    return place;
  }));
  draw(before);
  onDisconnect();
  const isOver = onReconnect(() => draw(after), () => true);
  app.querySelector(`[data-name="${pressedName}"]`).click();
  equal(presses, []);
  await isOver;
  return presses;
}

export async function press_is_repeated_on_the_button_of_the_same_key() {
  const keyed = ['a', 'b', 'c'].map((key) => [key, 'Remove', key]);
  equal(await pressesAfterRedraw(keyed, 'b', keyed), ['b']);
  equal(await pressesAfterRedraw(keyed, 'b', keyed.slice(1)), ['b']);
  equal(await pressesAfterRedraw(keyed, 'b', [keyed[0], keyed[2]]), []);
}

export async function press_without_a_key_is_repeated_at_its_place_among_as_many_of_its_name() {
  const equalNames = [[null, 'Other', 'other'], ...['a', 'b', 'c'].map((name) => [null, 'Remove', name])];
  equal(await pressesAfterRedraw(equalNames, 'b', equalNames.slice(1)), ['b']);
  equal(await pressesAfterRedraw(equalNames, 'b', equalNames.slice(2)), []);
}
