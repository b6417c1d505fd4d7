// The one door to the core: a route of the server; where that cannot be reached, a rerun of the script.

export class Refused extends Error {}

const RETRY_ROUTE = 20_000; // ms until a route that could not be reached is tried again
const RESEND = 4_000; // ms until a question that a rerun lost is asked again

export class Door {
  constructor(url) {
    this.url = url;
    this.shutUntil = 0;
    this.waiting = null; // { number, resolve, reject } of the question a rerun is answering
    this.queue = Promise.resolve();
    this.number = Date.now();
  }

  /** Asks `name` with string parameters and a body; resolves to an ArrayBuffer, throws Refused with the server's own words. */
  async ask(name, parameters, body) {
    if (performance.now() >= this.shutUntil) {
      const answer = await this.overRoute(name, parameters, body);
      if (answer) return answer;
      this.shutUntil = performance.now() + RETRY_ROUTE;
    }
    this.queue = this.queue.catch(() => {}).then(() => this.overRerun(name, parameters, body));
    return this.queue;
  }

  get byRerun() {
    return this.shutUntil > 0;
  }

  async overRoute(name, parameters, body) {
    let reply;
    try {
      reply = await fetch(`${this.url}/${name}?${new URLSearchParams(parameters)}`, {
        method: 'POST', body, headers: { 'content-type': 'application/octet-stream' }, cache: 'no-store',
      });
      if (!reply.headers.has('x-tokenloupe') || reply.status === 403) return null; // somebody else's answer, or a proxy that hides where we come from
      if (reply.ok) { const answer = await reply.arrayBuffer(); this.shutUntil = 0; return answer; }
    } catch {
      return null;
    }
    throw new Refused(await reply.text());
  }

  overRerun(name, parameters, body) {
    const number = ++this.number, send = () => this.send({ number, name, parameters, body: toBase64(body) });
    return new Promise((resolve, reject) => {
      const timer = setInterval(send, RESEND);
      const done = (settle) => (value) => { clearInterval(timer); this.waiting = null; settle(value); };
      this.waiting = { number, resolve: done(resolve), reject: done(reject) };
      send();
    });
  }

  /** Called on every rerun with the answer it carries, if any. */
  receive(answer) {
    if (!answer || answer.number !== this.waiting?.number) return;
    if (answer.error) this.waiting.reject(new Refused(answer.error));
    else this.waiting.resolve(fromBase64(answer.body).buffer);
  }
}

function toBase64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
