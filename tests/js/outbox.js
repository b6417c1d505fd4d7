// Changes are sent until the server acknowledges them.
import { FRAGMENT, outbox, PAGE } from '/web/js/net/outbox.js';
import { navigation } from '/web/js/editor/tab-state.js';
import { check, equal } from './check.js';

const afterSending = () => new Promise((later) => { setTimeout(later, 30); });

/** Returns a server: `run(data)` runs the page with this data, `sent` has the changes that the mounts sent. */
async function server(visitor) {
  const sent = [], run = async (data) => {
    const all = { acknowledged: {}, visitor, page: '', ...data };
    for (const mount of [PAGE, FRAGMENT])
      outbox().receive(mount, all, (changes) => {
        sent.push(...Object.entries(changes).map(([name, { value }]) => [mount, name, value]));
      });
    await afterSending();
  };
  for (const name of outbox().changes.keys()) outbox().discard(name);
  await run();
  return { sent, run };
}

const numberOf = (name) => outbox().changes.get(name).number;

export async function a_change_is_sent_once_and_with_no_other_while_it_is_under_way() {
  const { sent, run } = await server('once');
  const taken = outbox().put('class', 'a');
  await afterSending();
  outbox().put('lessons', 'b');
  await run();
  equal(sent, [[PAGE, 'class', 'a'], [PAGE, 'lessons', 'b']]);
  await run({ acknowledged: { class: numberOf('class') } });
  check(await taken && !outbox().has('class') && outbox().has('lessons'));
}

export async function changes_of_one_moment_are_one_message_for_each_mount() {
  const { sent } = await server('together');
  outbox().put('class', 'a');
  outbox().put('pending', 1, FRAGMENT);
  outbox().put('lessons', 'b');
  await afterSending();
  equal(sent, [[PAGE, 'class', 'a'], [PAGE, 'lessons', 'b'], [FRAGMENT, 'pending', 1]]);
}

export async function unacknowledged_text_is_sent_again_before_a_file_that_replaces_it() {
  const { sent } = await server('file');
  outbox().put('text', 'typed');
  await afterSending();
  outbox().put('file', 'saved');
  await afterSending();
  equal(sent, [[PAGE, 'text', 'typed'], [PAGE, 'text', 'typed'], [PAGE, 'file', 'saved']]);
}

export async function an_older_number_does_not_acknowledge_a_newer_value() {
  const { run } = await server('newer');
  const first = outbox().put('class', 'older'), older = numberOf('class');
  outbox().put('class', 'newer');
  await run({ acknowledged: { class: older } });
  check(outbox().has('class'));
  await run({ acknowledged: { class: numberOf('class') } });
  check(await first && !outbox().has('class'));
}

export async function unacknowledged_change_is_sent_again_by_the_next_page_and_to_a_server_that_was_away() {
  const { sent, run } = await server('lost');
  outbox().put('class', 'a');
  await afterSending();
  await run({ page: 'why' });
  equal(sent.length, 2);
  outbox().wasDisconnected = true;
  await run({ page: 'why' });
  await run({ page: 'why' });
  equal(sent.length, 3);
}

export async function a_new_server_gets_links_and_the_text_that_follows_its_own_and_nothing_else() {
  const { run } = await server('before');
  const given = { class: 'a', link: 'b', text: { push: 'old' } };
  const kept = Object.entries(given).map(([name, value]) => outbox().put(name, value));
  await run({ visitor: 'after', push: { id: 'new', initial: true } });
  equal([...outbox().changes.keys()], ['link']);
  equal(await Promise.all([kept[0], kept[2]]), [false, false]);
  outbox().put('text', { push: 'newer' });
  await run({ visitor: 'last', push: { id: 'newer', initial: true } });
  check(outbox().has('text'));
}

export async function change_before_the_mount_is_sent_by_the_mount() {
  const { sent, run } = await server('early');
  outbox().visitor = outbox().senders[PAGE] = undefined; // as in a new document
  outbox().receive(FRAGMENT, { acknowledged: {}, visitor: 'early', page: '' }, () => {});
  outbox().put('class', 'a');
  await afterSending();
  equal(sent, []);
  await run();
  equal(sent, [[PAGE, 'class', 'a']]);
}

export async function nothing_is_sent_between_a_press_on_a_link_and_its_page() {
  const { sent } = await server('turning');
  navigation().path = '/why';
  outbox().put('class', 'a');
  await afterSending();
  equal(sent, []);
  navigation().hasArrived = true;
  while (!sent.length) await afterSending();
  equal(sent, [[PAGE, 'class', 'a']]);
  Object.assign(navigation(), { path: null, hasArrived: false });
}
