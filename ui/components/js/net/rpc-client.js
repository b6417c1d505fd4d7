// The one door to the core. Short questions go over a socket, as soon as it is open, since every key asks one; others
// over the route; where neither can be reached, a rerun of the script answers.
import { watchConnection } from '../streamlit/streamlit-dom.js';
import { fromBase64, joined, toBase64 } from './wire-format.js';
import { LANGUAGE, tr } from '../dom/i18n.js';

export class Refused extends Error {}

const SHORT = 64_000;       // bytes of a question that the socket takes
const HEAD = 4_096;         // bytes of its head
const RETRY_ROUTE = 20_000; // ms until a route that could not be reached is tried again
const SOCKET_WITHIN = 30_000; // ms that a question waits on the socket; then the socket is dropped and the route asked
const ROUTE_WITHIN = 150_000; // ms that it waits on the route: the server lets it wait 120 s for its turn
const RESEND = 4_000;       // ms until a question that a rerun lost is asked again

export class Door {
  constructor(url) {
    this.url = url;
    this.shutUntil = 0;
    this.waiting = null; // { number, promise, resolve, reject } of the question a rerun is answering
    this.queue = Promise.resolve();
    this.number = Date.now();
    this.live = new LiveSocket(url);
    this.backs = 0; // how often the server has come back
    this.unwatch = watchConnection((isThere) => { if (isThere) this.back(); });
  }

  /** The server is there again: what no way could bring while it was away is asked anew. */
  back() {
    this.backs++;
    this.shutUntil = 0;
    this.live.back();
    this.waiting?.resolve(null);
  }

  /** Asks `name` with string parameters and a body; resolves to an ArrayBuffer, throws Refused with the server's own
   *  words. */
  async ask(name, asked, body) {
    const parameters = LANGUAGE === 'en' ? asked : { ...asked, lang: LANGUAGE }; // what is said in the answer
    const { backs, shutUntil } = this;
    const answer =
      (body.length <= SHORT && (await this.live.ask(name, parameters, body))) ||
      (await this.overRoute(name, parameters, body));
    if (answer) {
      if (shutUntil === this.shutUntil) this.shutUntil = 0; // else another question has found it shut since
      return answer;
    }
    this.queue = this.queue.catch(() => {}).then(() => backs === this.backs && this.overRerun(name, parameters, body));
    return await this.queue || this.ask(name, asked, body);
  }

  get wayInWords() {
    return this.shutUntil > 0 ? tr('The live route cannot be reached: the page itself answers, more slowly.') : '';
  }

  async overRoute(name, parameters, body) {
    if (performance.now() < this.shutUntil) return null;
    const reply = await fetch(`${this.url}/${name}?${new URLSearchParams(parameters)}`, {
      method: 'POST', body, headers: { 'content-type': 'application/octet-stream' }, cache: 'no-store',
      signal: AbortSignal.timeout(ROUTE_WITHIN),
    }).catch(() => null), answer = await reply?.arrayBuffer().catch(() => null);
    // nobody's answer, somebody else's (a host without our route), or that of a proxy that hides where we come from
    if (!answer || !reply.headers.has('x-tokenloupe') || reply.status === 403) {
      this.shutUntil = performance.now() + RETRY_ROUTE;
      return null;
    }
    if (reply.ok) return answer;
    throw new Refused(new TextDecoder().decode(answer));
  }

  overRerun(name, parameters, body) {
    const ask = { number: ++this.number, name, parameters, body: toBase64(body) };
    const timer = this.timer = setInterval(() => { this.send(ask); this.silent?.(); }, RESEND);
    this.waiting = { number: ask.number, ...Promise.withResolvers() };
    this.send(ask);
    return this.waiting.promise.finally(() => { clearInterval(timer); this.waiting = null; this.heard?.(); });
  }

  /** Called on every rerun: `component` is Streamlit's, new every time. */
  update(component, notice) {
    this.send = (ask) => component.setTriggerValue('ask', ask);
    this.silent = () => notice.silent();
    this.heard = () => notice.heard?.();
    const { answer } = component.data; // that a rerun carries, if any
    if (!answer || answer.number !== this.waiting?.number) return;
    if (answer.error) this.waiting.reject(new Refused(answer.error));
    else this.waiting.resolve(fromBase64(answer.body).buffer);
  }

  close() {
    this.unwatch();
    clearInterval(this.timer);
    this.live.close();
  }
}

const OK = 200;

/** Questions and answers over one WebSocket, numbered; it opens by itself, and may be away at any time. */
class LiveSocket {
  constructor(url) {
    this.url = Object.assign(new URL(`${url}/live`, location.href), {
      protocol: location.protocol.replace('http', 'ws'),
    });
    this.number = 0;
    this.asked = new Map(); // number -> { resolve, reject, timer }
    this.nextTry = 0;
    this.connect();
  }

  connect() {
    if (this.socket?.readyState === WebSocket.OPEN || performance.now() < this.nextTry) return;
    this.drop(); // one that has not opened since the last try
    this.nextTry = performance.now() + RETRY_ROUTE;
    this.socket = new WebSocket(this.url);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onmessage = ({ data }) => this.answered(data);
    this.socket.onclose = () => this.away();
  }

  back() {
    this.nextTry = 0;
    this.connect();
  }

  /** The answer, or null when the socket is away. */
  ask(name, parameters, body) {
    if (this.socket?.readyState !== WebSocket.OPEN) {
      this.connect();
      return null;
    }
    const head = new TextEncoder().encode(JSON.stringify({ name, parameters }));
    if (head.length > HEAD) return null;
    const number = ++this.number;
    this.socket.send(joined([new Uint8Array(Uint32Array.of(number, head.length).buffer), head, body], Uint8Array));
    const timer = setTimeout(() => this.drop(), SOCKET_WITHIN); // the connection may be dead, and nobody says so
    return new Promise((resolve, reject) => this.asked.set(number, { resolve, reject, timer }));
  }

  answered(data) {
    const [number, status] = new Uint32Array(data, 0, 2), { resolve, reject, timer } = this.asked.get(number);
    clearTimeout(timer);
    this.asked.delete(number);
    if (status === OK) resolve(data.slice(8));
    else reject(new Refused(new TextDecoder().decode(data.slice(8))));
  }

  away() {
    this.socket = null;
    for (const { resolve, timer } of this.asked.values()) {
      clearTimeout(timer);
      resolve(null); // to be asked another way
    }
    this.asked.clear();
  }

  /** Gives the socket up without waiting for the other side. */
  drop() {
    if (!this.socket) return;
    this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    this.away();
  }

  close() {
    this.nextTry = Infinity;
    this.socket?.close();
  }
}
