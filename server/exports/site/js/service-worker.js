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
  const replies = await Promise.all(FILES.map(load)), cache = await open();
  for (const [i, reply] of replies.entries()) await cache.put(FILES[i], reply);
  await skipWaiting();
}

// Resolves to a file of this version. During an upload, or from a proxy, an address may give an older file, which would
// stay once it is stored; so nothing is stored then, and the browser tries again when the page is opened next.
async function load(file) {
  const reply = await fetch(file, { cache: 'no-cache' });
  if (!reply.ok || !(await isOfThisVersion(file, reply.clone()))) throw new Error(`${file} is not of this version`);
  return reply;
}

async function isOfThisVersion(file, reply) {
  if (file === './') {
    const page = await reply.text();
    return FILES.every((other) => !stampOf(other) || page.includes(other));
  }
  return !stampOf(file) || (await hash(await reply.arrayBuffer())).startsWith(stampOf(file));
}

const stampOf = (file) => file.split('?v=')[1];

async function hash(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

// Takes over the rank tables of older versions, and deletes these versions. A page of the last one may be open and may
// still need a style sheet of it, so its other files are deleted when the next version comes.
async function replaceOlder() {
  const cache = await open(), addresses = TABLES.map((table) => new URL(table, registration.scope).href);
  const names = (await caches.keys()).filter((name) => name.startsWith(NAME) && name !== NAME + VERSION);
  for (const name of names) {
    const older = await caches.open(name);
    for (const request of await older.keys()) {
      if (!addresses.includes(request.url)) continue;
      await cache.put(request, await older.match(request));
      await older.delete(request); // a table may have megabytes: it is not stored twice
    }
    if (name !== names.at(-1)) await caches.delete(name);
  }
  await clients.claim();
}

async function keep(addresses) {
  const cache = await open();
  for (const address of addresses) if (!(await cache.match(address))) await cache.add(address);
}

async function answer(request) {
  const stored = await find(request).catch(() => null); // the browser may refuse its storage
  return stored ?? fetch(request);
}

async function find(request) {
  const { origin, pathname } = new URL(request.url), cache = await open();
  const isPage = ['', 'index.html'].some((name) => origin + pathname === registration.scope + name); // with any query
  return isPage ? cache.match(registration.scope) : (await cache.match(request)) ?? caches.match(request);
}
