// Answers with the files that it has stored, so that the page opens without a network.
const VERSION = '{version}'; // of all files
const FILES = {files}; // of the first screen without rank tables
const TABLES = {tables};
const NAME = `tokenloupe ${registration.scope} `; // pages below other paths of the same host have caches, too

addEventListener('install', (event) => event.waitUntil(store()));
addEventListener('activate', (event) => event.waitUntil(replaceOlder()));
addEventListener('fetch', (event) => {
  if (event.request.method === 'GET' && event.request.url.startsWith(registration.scope))
    event.respondWith(answer(event.request));
});
// A page requests that rank tables are stored; the answer is whether all of them are.
addEventListener('message', (event) => {
  const reply = (isKept) => event.ports[0].postMessage(isKept);
  event.waitUntil(keep(event.data).then(() => reply(true), () => reply(false)));
});

const open = () => caches.open(NAME + VERSION);

async function store() {
  const cache = await open();
  await cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' })));
  await skipWaiting();
}

// Takes over the rank tables of older versions and deletes the rest.
async function replaceOlder() {
  const cache = await open(), addresses = TABLES.map((table) => new URL(table, registration.scope).href);
  for (const name of await caches.keys()) {
    if (!name.startsWith(NAME) || name === NAME + VERSION) continue;
    const older = await caches.open(name);
    for (const request of await older.keys())
      if (addresses.includes(request.url)) await cache.put(request, await older.match(request));
    await caches.delete(name);
  }
  await clients.claim();
}

async function keep(addresses) {
  const cache = await open();
  for (const address of addresses) if (!(await cache.match(address))) await cache.add(address);
}

async function answer(request) {
  const { origin, pathname } = new URL(request.url), cache = await open();
  const isPage = ['', 'index.html'].some((name) => origin + pathname === registration.scope + name); // with any query
  const stored = await cache.match(isPage ? registration.scope : request);
  return stored ?? fetch(request);
}
