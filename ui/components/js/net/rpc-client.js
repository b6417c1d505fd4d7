// Client of the editor API. Short questions go over a WebSocket once it is open, others over HTTP; if neither is
// reachable, a rerun of the script answers.
import { watchConnection } from '../streamlit/streamlit-dom.js';
import { fromBase64, joined, toBase64 } from './wire-format.js';
import { LANGUAGE, tr } from '../dom/i18n.js';

export class Refused extends Error {}

const MAX_SOCKET_BYTES = 64_000;       // bytes of a question that the socket takes
const HEAD = 4_096;         // bytes of its head
const HTTP_RETRY_MS = 20_000; // ms until HTTP is tried again after a failure
const SOCKET_TIMEOUT_MS = 30_000; // ms for an answer over the socket; then the socket is dropped and HTTP is used
const HTTP_TIMEOUT_MS = 150_000; // ms for an answer over HTTP; the server queues a request for up to 120 s
const RERUN_RESEND_MS = 4_000;       // ms until a question that a rerun lost is asked again

export class EditorClient {
  constructor(url) {
    this.url = url;
    this.shutUntil = 0;
    this.waiting = null; // { number, promise, resolve, reject } of the question that a rerun answers
    this.queue = Promise.resolve();
    this.number = Date.now();
    this.live = new LiveSocket(url);
    this.backs = 0; // number of reconnects
    this.unwatch = watchConnection((isThere) => { if (isThere) this.back(); });
  }

  /** After a reconnect, sends failed questions again. */
  back() {
    this.backs++;
    this.shutUntil = 0;
    this.live.back();
    this.waiting?.resolve(null);
  }

  /** Sends `name` with string parameters and a body; resolves to an ArrayBuffer, throws Refused with the server's
   *  message. */
  async ask(name, asked, body) {
    // the language of messages in the answer
    const parameters = LANGUAGE === 'en' ? asked : { ...asked, lang: LANGUAGE };
    const { backs, shutUntil } = this;
    const answer =
      (body.length <= MAX_SOCKET_BYTES && (await this.live.ask(name, parameters, body))) ||
      (await this.overRoute(name, parameters, body));
    if (answer) {
      if (shutUntil === this.shutUntil) this.shutUntil = 0; // else another question has failed meanwhile
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
      signal: AbortSignal.timeout(HTTP_TIMEOUT_MS),
    }).catch(() => null), answer = await reply?.arrayBuffer().catch(() => null);
    // no answer, another host's answer (without our route), or a proxy that hides the client's address
    if (!answer || !reply.headers.has('x-tokenloupe') || reply.status === 403) {
      this.shutUntil = performance.now() + HTTP_RETRY_MS;
      return null;
    }
    if (reply.ok) return answer;
    throw new Refused(new TextDecoder().decode(answer));
  }

  overRerun(name, parameters, body) {
    const ask = { number: ++this.number, name, parameters, body: toBase64(body) };
    const timer = this.timer = setInterval(() => { this.send(ask); this.silent?.(); }, RERUN_RESEND_MS);
    this.waiting = { number: ask.number, ...Promise.withResolvers() };
    this.send(ask);
    return this.waiting.promise.finally(() => { clearInterval(timer); this.waiting = null; this.heard?.(); });
  }

  /** Takes Streamlit's component object of a rerun. */
  update(component, notice) {
    this.send = (ask) => component.setTriggerValue('ask', ask);
    this.silent = () => notice.silent();
    this.heard = () => notice.heard?.();
    const { answer } = component.data; // a rerun may carry an answer
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

/** Numbered questions and answers over one WebSocket, which opens and reopens by itself. */
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
    this.drop(); // drop a socket that has not opened since the last try
    this.nextTry = performance.now() + HTTP_RETRY_MS;
    this.socket = new WebSocket(this.url);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onmessage = ({ data }) => this.answered(data);
    this.socket.onclose = () => this.away();
  }

  back() {
    this.nextTry = 0;
    this.connect();
  }

  /** Resolves to the answer, or to null if the socket is not open. */
  ask(name, parameters, body) {
    if (this.socket?.readyState !== WebSocket.OPEN) {
      this.connect();
      return null;
    }
    const head = new TextEncoder().encode(JSON.stringify({ name, parameters }));
    if (head.length > HEAD) return null;
    const number = ++this.number;
    this.socket.send(joined([new Uint8Array(Uint32Array.of(number, head.length).buffer), head, body], Uint8Array));
    const timer = setTimeout(() => this.drop(), SOCKET_TIMEOUT_MS); // a dead connection raises no event
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
      resolve(null); // the caller asks over HTTP
    }
    this.asked.clear();
  }

  /** Drops the socket without waiting for a closing handshake. */
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
