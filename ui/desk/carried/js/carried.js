// Knows what links and files of this page are made of beside the text, and gives the server what it finds in a link.
import { arrivedWith, fragmentNow, restFrom } from '../../../kit/js/link.js';
import { atRest, tellOf } from '../../../kit/js/page-link.js';

const LOST_AFTER = 4_000; // ms without a word from the server until it is told again
let component = null, read = null; // the fragment that was read last

export default function (given) {
  component = given;
  tellOf(given.data, (id, text) => component.setTriggerValue('file', { id, text }));
  if (read === null) follow(fragmentNow('rest'), arrivedWith().searchParams);
}

addEventListener('hashchange', () => follow(location.hash, new URLSearchParams(location.search)));

// What was chosen since the link was followed stays: only what the address still asks for is asked again.
async function follow(fragment, asked) {
  const before = read;
  read = fragment;
  if (fragment === before || !fragment.includes('s=')) return;
  const rest = await restFrom(fragment).then(plain).catch(() => ({ damaged: true }));
  if (rest === null) return;
  const address = Object.fromEntries(Object.entries(rest.address ?? {}).filter(([name, value]) => asked.get(name) === value));
  if (!await atRest()) return;
  if (!location.hash) history.replaceState(history.state, '', `${location.pathname}${location.search}${fragment}`); // a reload follows it again
  tell({ ...rest, address, id: String(Math.random()) });
}

// What is sent while a page is replaced may be lost on its way.
function tell(link) {
  if (component.data.taken === link.id) return;
  component.setTriggerValue('link', link);
  setTimeout(() => tell(link), LOST_AFTER);
}

function plain(rest) {
  if (rest !== null && (typeof rest !== 'object' || Array.isArray(rest))) throw new TypeError('damaged');
  return rest;
}
