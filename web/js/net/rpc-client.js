// Client of the editor API. Short questions go over a WebSocket once it is open, others over HTTP; if neither is
// reachable, a rerun of the script answers.
import { watchConnection } from '../streamlit/streamlit-dom.js';
import { fromBase64, concat, toBase64 } from './wire-format.js';
import { LANGUAGE, tr } from '../dom/i18n.js';

/** An answer with a reason for the visitor. Each bundle has a class of its own, so the flag tells it from others. */
export class RefusedError extends Error {
  isRefusal = true;
}

/** Returns the sentence to show for an error: the server's message, or that the action failed. */
export function describeError(error) {
  if (error.isRefusal) return error.message;
  return tr('The last action failed: {reason}', { reason: error.message });
}

const MAX_SOCKET_BYTES = 64_000; // of a question's body; longer ones go over HTTP
const MAX_SOCKET_HEAD_BYTES = 4_096;
const HTTP_RETRY_MS = 20_000; // until HTTP is tried again after a failure
const SOCKET_TIMEOUT_MS = 30_000; // for an answer over the socket; then the socket is dropped and HTTP is used
const HTTP_TIMEOUT_MS = 150_000; // for an answer over HTTP; the server queues a request for up to 120 s
const RERUN_RESEND_MS = 4_000; // until a question that a rerun lost is sent again

export class EditorClient {
  constructor(url) {
    this.url = url;
    this.httpPausedUntil = 0;
    this.pendingRerun = null; // { number, promise, resolve, reject } of the question that a rerun answers
    this.queue = Promise.resolve();
    this.number = Date.now();
    this.socket = new LiveSocket(url);
    this.reconnects = 0;
    this.isClosed = false;
    this.unwatch = watchConnection((isThere) => { if (isThere) this.onReconnect(); });
  }

  onReconnect() {
    this.reconnects++;
    this.httpPausedUntil = 0;
    this.socket.reconnect();
    this.pendingRerun?.resolve(null);
  }

  /** Sends `name` with string parameters and a body; resolves to an ArrayBuffer, throws RefusedError with the
   *  server's message. */
  async ask(name, parameters, body) {
    const localized = LANGUAGE === 'en' ? parameters : { ...parameters, lang: LANGUAGE }; // the language of messages
    const { reconnects, httpPausedUntil } = this;
    const answer =
      (body.length <= MAX_SOCKET_BYTES && (await this.socket.ask(name, localized, body))) ||
      (await this.askOverHttp(name, localized, body));
    if (answer) {
      // otherwise another question has failed meanwhile
      if (httpPausedUntil === this.httpPausedUntil) this.httpPausedUntil = 0;
      return answer;
    }
    const rerun = () => reconnects === this.reconnects && this.askInRerun(name, localized, body);
    this.queue = this.queue.catch(() => {}).then(rerun);
    return await this.queue || this.ask(name, parameters, body);
  }

  /** A sentence if the connection is slow, else "". */
  get connectionNote() {
    if (!this.httpPausedUntil) return '';
    return tr('The fast connection to the server does not work, so this page uses a slower one.');
  }

  async askOverHttp(name, parameters, body) {
    if (performance.now() < this.httpPausedUntil) return null;
    const reply = await fetch(`${this.url}/${name}?${new URLSearchParams(parameters)}`, {
      method: 'POST', body, headers: { 'content-type': 'application/octet-stream' }, cache: 'no-store',
      signal: AbortSignal.timeout(HTTP_TIMEOUT_MS),
    }).catch(() => null), answer = await reply?.arrayBuffer().catch(() => null);
    // no answer, another host's answer (without our route), or a proxy that hides the client's address
    if (!answer || !reply.headers.has('x-tokenloupe') || reply.status === 403) {
      this.httpPausedUntil = performance.now() + HTTP_RETRY_MS;
      return null;
    }
    if (reply.ok) return answer;
    throw new RefusedError(new TextDecoder().decode(answer));
  }

  askInRerun(name, parameters, body) {
    if (this.isClosed) return new Promise(() => {}); // no run answers it, and nobody waits for the answer
    const ask = { number: ++this.number, name, parameters, body: toBase64(body) };
    const timer = this.timer = setInterval(() => { this.send(ask); this.setSilent?.(true); }, RERUN_RESEND_MS);
    this.pendingRerun = { number: ask.number, ...Promise.withResolvers() };
    this.send(ask);
    return this.pendingRerun.promise.finally(() => {
      clearInterval(timer);
      this.pendingRerun = null;
      this.setSilent?.(false);
    });
  }

  /** Handles a rerun with Streamlit's component object; `notice.setSilent(isSilent)` shows whether the server is
   *  silent. */
  update(component, notice) {
    this.send = (ask) => component.setTriggerValue('ask', ask);
    this.setSilent = (isSilent) => notice.setSilent(isSilent);
    const { answer } = component.data; // a rerun may carry an answer
    if (!answer || answer.number !== this.pendingRerun?.number) return;
    if (answer.error) this.pendingRerun.reject(new RefusedError(answer.error));
    else this.pendingRerun.resolve(fromBase64(answer.body).buffer);
  }

  close() {
    this.isClosed = true;
    this.unwatch();
    clearInterval(this.timer);
    this.socket.close();
  }
}

const STATUS_OK = 200;

/** Numbered questions and answers over one WebSocket, which opens and reopens by itself. */
class LiveSocket {
  constructor(url) {
    this.url = Object.assign(new URL(`${url}/live`, location.href), {
      protocol: location.protocol.replace('http', 'ws'),
    });
    this.number = 0;
    this.pending = new Map(); // number -> { resolve, reject, timer }
    this.nextTryAt = 0;
    this.connect();
  }

  connect() {
    if (this.socket?.readyState === WebSocket.OPEN || performance.now() < this.nextTryAt) return;
    this.drop(); // drop a socket that has not opened since the last try
    this.nextTryAt = performance.now() + HTTP_RETRY_MS;
    this.socket = new WebSocket(this.url);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onmessage = ({ data }) => this.receive(data);
    this.socket.onclose = () => this.onClose();
  }

  reconnect() {
    this.nextTryAt = 0;
    this.connect();
  }

  /** Resolves to the answer, or to null if the socket is not open. */
  ask(name, parameters, body) {
    if (this.socket?.readyState !== WebSocket.OPEN) {
      this.connect();
      return null;
    }
    const head = new TextEncoder().encode(JSON.stringify({ name, parameters }));
    if (head.length > MAX_SOCKET_HEAD_BYTES) return null;
    const number = ++this.number;
    this.socket.send(concat([new Uint8Array(Uint32Array.of(number, head.length).buffer), head, body], Uint8Array));
    const timer = setTimeout(() => this.drop(), SOCKET_TIMEOUT_MS); // a dead connection raises no event
    return new Promise((resolve, reject) => this.pending.set(number, { resolve, reject, timer }));
  }

  receive(data) {
    const [number, status] = new Uint32Array(data, 0, 2), { resolve, reject, timer } = this.pending.get(number);
    clearTimeout(timer);
    this.pending.delete(number);
    if (status === STATUS_OK) resolve(data.slice(8));
    else reject(new RefusedError(new TextDecoder().decode(data.slice(8))));
  }

  onClose() {
    this.socket = null;
    for (const { resolve, timer } of this.pending.values()) {
      clearTimeout(timer);
      resolve(null); // the caller asks over HTTP
    }
    this.pending.clear();
  }

  /** Drops the socket without waiting for a closing handshake. */
  drop() {
    if (!this.socket) return;
    this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    this.onClose();
  }

  close() {
    this.nextTryAt = Infinity;
    this.socket?.close();
  }
}
