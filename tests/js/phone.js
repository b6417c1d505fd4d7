// The phone page of a class, with the answers of a server.
import { check, equal } from './check.js';

const IDS = ['code', 'where', 'hint', 'text', 'countdown', 'ask', 'feedback', 'score', 'revealed', 'turn', 'unkept'];
const WORDS = { score: '{right} of {votes}', whole: [] };
const UNFILLED = 'right wrong sent late sending over answer answer_is no_number own send text_sent take none save ' +
  'back next';
for (const word of UNFILLED.split(' ')) WORDS[word] = word;
const GAME = {
  version: '1', epoch: 'e', round: 0, lesson: 'game', id: 'g', at: 0, of: 1, together: true, where: '', question: '',
  text: '', ask: '', options: [], revealed: null, game: { id: 'g', phase: 'vote', right: {}, hint: '' },
};
const VOTE = { ...GAME, id: 'g.0', ask: 'choice', options: [[0, 'a + b'], [1, 'b + c']] };
const REVEALED = { right: 0, rights: [0], answer: '', html: '', explanation: '', take: '', slider: null, own: null };
const QUESTION = { ...GAME, lesson: 'token', id: 'count', ask: 'number', game: undefined };
const ANSWER = { ...QUESTION, revealed: { ...REVEALED, takes_texts: true } };

const $ = (id) => document.getElementById(id);

/** Waits until something holds. */
async function until(holds) {
  for (let tries = 0; !holds(); tries++) {
    check(tries < 500, `${holds}: ${document.body.textContent}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

let opened = 0;

/** Opens the page in a class that shows a scene, and calls `play` with a server whose answers it may change. */
async function inClass(scene, play) {
  const { fetch } = window, { pathname } = location, server = { scene, me: 'first', accepts: () => 204 };
  const answer = (found, status = 200) => new Response(found && JSON.stringify(found), { status });
  const answers = {
    join: () => answer({ me: server.me }),
    guess: (url, { body }) => answer(null, server.accepts(JSON.parse(body).guess)),
    text: async (url, { body }) => answer(null, await server.accepts(JSON.parse(body).text)),
    steps: () => answer(server.step),
    own: () => answer({ sentence: null, html: '', links: [] }),
    state: async ({ searchParams }) => {
      await until(() => server.scene.version !== searchParams.get('have'));
      return searchParams.get('me') === server.me ? answer(server.scene) : answer({ problem: 'stranger' }, 401);
    },
  };
  history.replaceState(null, '', '/class/ABCDE');
  localStorage.removeItem('tokenloupe.class');
  document.body.replaceChildren(...IDS.map((id) => Object.assign(document.createElement('div'), { id })));
  for (const [id, kind] of [['question', 'h1'], ['enter', 'form'], ['send', 'form'], ['status', 'footer']])
    document.body.append(Object.assign(document.createElement(kind), { id }));
  $('send').hidden = true;
  Object.assign(document.body.dataset, { root: '/class', words: JSON.stringify(WORDS) });
  window.fetch = async (path, options) => {
    const url = new URL(path, location.href);
    return answers[url.pathname.split('/')[3]](url, options);
  };
  try {
    await import(`/server/classroom/phone/phone.js?${opened += 1}`);
    await play(server);
  } finally {
    server.scene = { over: true }; // ends its requests
    await until(() => $('question').textContent === 'over');
    Object.assign(window, { fetch });
    history.replaceState(null, '', pathname);
  }
}

export async function vote_that_was_changed_too_late_counts_as_before() {
  await inClass(VOTE, async (server) => {
    const vote = async (at, feedback) => {
      await until(() => $('ask').querySelectorAll('button').length === 2);
      $('ask').querySelectorAll('button')[at].click();
      await until(() => $('feedback').textContent === feedback);
    };
    await vote(0, 'sent');
    server.accepts = () => 409;
    await vote(1, 'late');
    const game = { ...VOTE.game, phase: 'result', right: { 0: [0] } };
    server.scene = { ...VOTE, version: '2', revealed: REVEALED, game };
    await until(() => $('score').textContent);
    equal([$('score').textContent, $('feedback').className], ['1 of 1', 'right']);
  });
}

export async function link_of_the_file_to_take_home_has_the_new_id_after_the_class_was_emptied() {
  const over = { ...GAME, game: { ...GAME.game, phase: 'over' } };
  await inClass(over, async (server) => {
    const idOfLink = () => new URL($('revealed').querySelector('a').href, location.href).searchParams.get('me');
    await until(() => $('revealed').querySelector('a'));
    equal(idOfLink(), 'first');
    Object.assign(server, { me: 'second', scene: { ...over, version: '2', epoch: 'f' } });
    await until(() => $('revealed').querySelector('a') && idOfLink() === 'second');
  });
}

export async function late_answer_is_sent_again_when_the_question_is_open_again() {
  const sent = [];
  await inClass(QUESTION, async (server) => {
    server.accepts = (guess) => (sent.push(guess), 409);
    await until(() => $('ask').querySelector('input'));
    $('ask').querySelector('input').value = '7';
    $('ask').querySelector('button').click();
    await until(() => $('feedback').textContent === 'late');
    server.scene = { ...QUESTION, version: '2', revealed: REVEALED };
    await until(() => $('feedback').textContent === 'wrong');
    server.accepts = (guess) => (sent.push(guess), 204);
    server.scene = { ...QUESTION, version: '3' };
    await until(() => $('feedback').textContent === 'sent');
    equal(sent, [7, 7]);
  });
}

export async function texts_can_be_sent_only_while_the_answer_is_shown_to_all() {
  await inClass(ANSWER, async (server) => {
    const shows = async (scene, isThere) => {
      server.scene = scene;
      await until(() => $('question').textContent === scene.question && $('send').hidden === !isThere);
    };
    await shows(ANSWER, true);
    $('send').querySelector('input').value = 'typed';
    await shows({ ...QUESTION, version: '2', round: 1, question: 'again' }, false);
    await shows({ ...ANSWER, version: '3', round: 1 }, true);
    equal($('send').querySelector('input').value, 'typed');
    server.step = { ...ANSWER, question: 'alone' };
    await shows({ ...QUESTION, version: '4', together: false, question: 'alone' }, false);
  });
}

export async function line_on_a_sent_text_ends_when_the_step_is_asked_again() {
  await inClass(ANSWER, async (server) => {
    const status = () => $('send').querySelector('[role="status"]').textContent;
    await until(() => $('send').querySelector('input'));
    $('send').querySelector('input').value = 'own';
    $('send').querySelector('button').click();
    await until(() => status() === 'text_sent');
    server.scene = { ...QUESTION, version: '2', round: 1 };
    await until(() => $('send').hidden);
    server.scene = { ...ANSWER, version: '3', round: 1 };
    await until(() => !$('send').hidden);
    equal(status(), '');
  });
}

export async function text_under_way_when_its_step_is_asked_again_stays_in_the_box_and_is_not_stored() {
  await inClass(ANSWER, async (server) => {
    let accept = null;
    server.accepts = () => new Promise((resolve) => { accept = () => resolve(204); });
    await until(() => $('send').querySelector('input'));
    $('send').querySelector('input').value = 'own';
    $('send').querySelector('button').click();
    await until(() => accept);
    server.scene = { ...QUESTION, version: '2', round: 1 };
    await until(() => $('send').hidden);
    accept();
    server.scene = { ...ANSWER, version: '3', round: 1 };
    await until(() => !$('send').hidden);
    await new Promise((resolve) => setTimeout(resolve, 50)); // the answer to the text has come
    equal($('send').querySelector('input').value, 'own');
    equal($('send').querySelector('[role="status"]').textContent, '');
    const { texts } = JSON.parse(localStorage.getItem('tokenloupe.class'));
    equal(texts['token/count'], undefined);
  });
}

export async function typed_text_returns_with_its_step() {
  const other = { ...ANSWER, id: 'other', question: 'other' };
  await inClass(ANSWER, async (server) => {
    const shows = async (scene) => {
      server.scene = scene;
      await until(() => $('question').textContent === scene.question && $('send').querySelector('input'));
      return $('send').querySelector('input');
    };
    (await shows(ANSWER)).value = 'typed';
    const box = await shows({ ...other, version: '2' });
    equal(box.value, '');
    box.value = 'typed there';
    equal((await shows({ ...ANSWER, version: '3', question: 'back' })).value, 'typed');
    equal((await shows({ ...other, version: '4' })).value, 'typed there');
  });
}

export async function texts_have_the_epoch_of_a_new_server_only_after_it_has_accepted_the_last() {
  const sent = [];
  const stored = () => JSON.parse(localStorage.getItem('tokenloupe.class')).texts['token/count'];
  await inClass(ANSWER, async (server) => {
    await until(() => $('send').querySelector('input'));
    for (const text of ['one', 'two']) {
      $('send').querySelector('input').value = text;
      $('send').querySelector('button').click();
      await until(() => $('send').querySelector('input').value === '');
    }
    equal(stored(), { texts: ['one', 'two'], epoch: 'e' });
    let accept = null;
    server.accepts = (text) => {
      sent.push(text);
      return text === 'one' ? 204 : new Promise((resolve) => { accept = () => resolve(204); });
    };
    server.scene = { ...ANSWER, version: '2', epoch: 'f' };
    await until(() => accept);
    equal([sent, stored().epoch], [['one', 'two'], 'e']); // a page that is loaded now would send both again
    accept();
    await until(() => stored().epoch === 'f');
  });
}

export async function number_is_sent_as_it_was_typed_or_not_at_all() {
  const sent = [];
  await inClass(QUESTION, async (server) => {
    server.accepts = (guess) => (sent.push(guess), 204);
    for (const [typed, number] of [['7', 7], ['1,234', 1234], ['1.234', 1234], ['๑๒ ๓๔๕', 12345], [' 8 ', 8]]) {
      await until(() => $('ask').querySelector('input'));
      $('ask').querySelector('input').value = typed;
      $('ask').querySelector('button').click();
      await until(() => sent.at(-1) === number && $('feedback').textContent === 'sent');
    }
    for (const typed of ['2.5', '2,5', '0.500', '1,23', '1.2345', '-3', '100,001', '']) {
      $('feedback').textContent = '';
      $('ask').querySelector('input').value = typed;
      $('ask').querySelector('button').click();
      equal([typed, $('feedback').textContent], [typed, 'no_number']);
    }
    equal(sent.length, 5);
  });
}
