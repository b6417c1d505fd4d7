// A class on the stage, with the answers of a server.
import mountRoom from '/ui/learn/room/js/room.js';
import { equal } from './check.js';

const CLASSES = 'game actions line clock poll answered bars others outcome shares shrunk links qr how address code ' +
  'here warning size corpus rest steps texts none lost';
const WORDS = { qr: '', texts: '', small: '', large: '', join: '', nobody: '', closed: '', correct: 'right', lost: '' };

export async function bars_with_the_same_label_are_both_drawn() {
  const place = document.createElement('div'), desk = document.createElement('div'), { fetch } = window;
  desk.className = 'desk';
  for (const name of CLASSES.split(' ')) {
    const one = document.createElement(name === 'qr' ? 'img' : name === 'bars' ? 'ul' : 'div');
    one.className = name;
    if (['shrunk', 'corpus', 'steps', 'texts'].includes(name))
      one.append(...['p', 'bdi', 'ul'].map((tag) => document.createElement(tag)));
    desk.append(one);
  }
  desk.append(document.createElement('h3'));
  place.append(desk);
  document.body.append(place);
  const bar = (count) => ({ label: 'a·', count, answered: `${count}`, right: false });
  const board = {
    version: '1', bars: [bar(1), bar(2)], texts: [], answered: '', others: '', here: '', full: '', phones: 2,
    closed: false, steps: null, game: null,
  };
  let hasAnswered = false;
  window.fetch = async (url, { signal }) => {
    if (hasAnswered) return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    hasAnswered = true;
    return new Response(JSON.stringify(board));
  };
  const data = { code: 'A', address: '', qr: '', words: WORDS, url: '/class', kept: { secret: '' }, warning: '' };
  const end = mountRoom({ parentElement: place, data, setTriggerValue() {} });
  try {
    for (let tries = 0; !desk.querySelector('.bars li') && tries < 200; tries++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    equal(Array.from(desk.querySelectorAll('.bars .count'), (one) => one.textContent), ['1', '2']);
  } finally {
    place.remove();
    end();
    window.fetch = fetch;
  }
}
