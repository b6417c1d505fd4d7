// The service worker of the static page: which files it stores, answers with and deletes.
import { check, equal, python } from './check.js';

const SCOPE = 'http://host/site/';

/** The caches of a browser; `isOff` if it refuses its storage. */
class Caches {
  isOff = false;
  all = new Map();

  async keys() { return [...this.all.keys()]; }
  async delete(name) { return this.all.delete(name); }

  async open(name) {
    if (this.isOff) throw new DOMException('no storage', 'UnknownError');
    if (!this.all.has(name)) this.all.set(name, new Stored());
    return this.all.get(name);
  }

  async match(request) {
    const found = await Promise.all(Array.from(this.all.values(), (one) => one.match(request)));
    return found.find((reply) => reply);
  }
}

class Stored {
  replies = new Map();

  async keys() { return Array.from(this.replies.keys(), (url) => ({ url })); }
  async match(request) { return this.replies.get(addressOf(request))?.clone(); }
  async put(request, reply) { this.replies.set(addressOf(request), reply); }
  async delete(request) { return this.replies.delete(addressOf(request)); }
  async add(request) { await this.put(request, new Response('table')); }
}

const addressOf = (request) => new URL(request.url ?? request, SCOPE).href;

/** The worker of a version of the page, which stores in `caches`; `host` has the texts that are served by name. */
class Worker {
  constructor({ worker, files }, caches, host = files) {
    Object.assign(this, { caches, host, listeners: {}, isActive: false });
    const digest = async (_, bytes) => Uint8Array.from(await python('sha256', Array.from(new Uint8Array(bytes))));
    const scope = {
      registration: { scope: SCOPE }, caches, crypto: { subtle: { digest } }, clients: { claim: async () => {} },
      skipWaiting: async () => {},
      addEventListener: (name, listener) => { this.listeners[name] = listener; },
      fetch: async (request) => {
        const name = addressOf(request).slice(SCOPE.length).split('?')[0] || 'index.html';
        return new Response(this.host[name], { status: name in this.host ? 200 : 404 });
      },
    };
    new Function(...Object.keys(scope), worker)(...Object.values(scope));
  }

  async event(name) {
    let done;
    this.listeners[name]({ waitUntil: (promise) => { done = promise; } });
    await done;
  }

  async start() {
    await this.event('install');
    await this.event('activate');
  }

  async textOf(name) {
    let reply;
    const request = { method: 'GET', url: SCOPE + name };
    this.listeners.fetch({ request, respondWith: (promise) => { reply = promise; } });
    return (await reply).text();
  }
}

const version = (style) => python('site_version', style);
const styleOf = ({ files }) => /site\.css\?v=\w+/.exec(files['index.html'])[0];

export async function files_of_its_version_are_answered_without_a_network() {
  const own = await version('a'), worker = new Worker(own, new Caches());
  await worker.start();
  worker.host = {};
  equal(await worker.textOf(''), own.files['index.html']);
  equal(await worker.textOf('index.html?page=compare'), own.files['index.html']);
  equal(await worker.textOf(styleOf(own)), 'a');
}

export async function files_of_another_version_are_not_stored() {
  const [older, newer] = [await version('a'), await version('b')];
  for (const name of ['site.css', 'index.html']) { // an upload replaces one file after the other
    const caches = new Caches(), first = new Worker(older, caches);
    await first.start();
    const next = new Worker(newer, caches, { ...newer.files, [name]: older.files[name] });
    const failure = await next.event('install').then(() => null, (error) => error);
    check(failure, name);
    equal(await first.textOf(styleOf(older)), 'a');
    next.host = newer.files;
    await next.start();
    equal(await next.textOf(''), newer.files['index.html']);
    equal(await next.textOf(styleOf(newer)), 'b');
  }
}

export async function open_page_of_the_last_version_keeps_its_files() {
  const caches = new Caches(), versions = await Promise.all(['a', 'b', 'c'].map(version));
  for (const [i, one] of versions.entries()) {
    const worker = new Worker(one, caches);
    await worker.start();
    if (i) equal(await worker.textOf(styleOf(versions[i - 1])), 'ab'[i - 1]);
    equal(await worker.textOf(''), one.files['index.html']);
  }
  equal((await caches.keys()).length, 2);
}

export async function rank_table_of_the_last_version_is_taken_over_and_not_stored_twice() {
  const caches = new Caches(), [older, newer] = await Promise.all(['a', 'b'].map(version));
  await new Worker(older, caches).start();
  await (await caches.open((await caches.keys())[0])).add('ranks/toy.bin');
  const worker = new Worker(newer, caches);
  await worker.start();
  equal(await worker.textOf('ranks/toy.bin'), 'table');
  equal(Array.from(caches.all.values()).filter(({ replies }) => replies.has(`${SCOPE}ranks/toy.bin`)).length, 1);
}

export async function page_opens_where_the_browser_refuses_its_storage() {
  const own = await version('a'), caches = new Caches(), worker = new Worker(own, caches);
  await worker.start();
  caches.isOff = true;
  equal(await worker.textOf(''), own.files['index.html']);
  equal(await worker.textOf(styleOf(own)), 'a');
}
