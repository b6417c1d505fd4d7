// Timeouts of requests that are never answered. Long timers fire at once here, so that tests do not wait.
import { copyText } from '/web/js/dom/clipboard.js';
import { navigation } from '/web/js/editor/tab-state.js';
import { EditorClient } from '/web/js/net/rpc-client.js';
import { outbox } from '/web/js/net/outbox.js';
import { fetchRecipe, fetchQrCode, openFile } from '/web/js/net/page-link.js';
import { check, equal } from './check.js';

const NO_TEXTS = new Uint8Array(4), LONG_MS = 10_000; // ms
const originals = {
  setTimeout: window.setTimeout, fetch: window.fetch, WebSocket: window.WebSocket, timeout: AbortSignal.timeout,
};
const never = () => new Promise(() => {});

/** Runs `action` with a server that never answers and with shortened timers. */
async function withSilentServer(action) {
  const shortened = (ms) => (ms >= LONG_MS ? 0 : ms);
  window.setTimeout = (action, ms, ...rest) => originals.setTimeout.call(window, action, shortened(ms), ...rest);
  AbortSignal.timeout = (ms) => originals.timeout.call(AbortSignal, shortened(ms));
  window.fetch = (url, { signal } = {}) =>
    new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  window.WebSocket = class {
    static OPEN = 1;
    readyState = 1;
    send() {}
    close() {}
  };
  const timeout = new Promise((resolve) => { originals.setTimeout.call(window, resolve, 2_000, 'waits for ever'); });
  try {
    return await Promise.race([action(), timeout]);
  } finally {
    Object.assign(window, { setTimeout: originals.setTimeout, fetch: originals.fetch, WebSocket: originals.WebSocket });
    AbortSignal.timeout = originals.timeout;
  }
}

export async function question_falls_back_to_a_rerun_where_socket_and_route_are_silent() {
  const answer = await withSilentServer(async () => {
    const client = new EditorClient('/api'), sent = [];
    const component = { data: {}, setTriggerValue: (name, { number }) => {
      sent.push(name);
      client.update({ ...component, data: { answer: { number, body: btoa('by rerun') } } }, { setSilent() {} });
    } };
    client.update(component, { setSilent() {} });
    const found = new TextDecoder().decode(await client.ask('tokens', {}, NO_TEXTS));
    client.close();
    return [found, sent];
  });
  equal(answer, ['by rerun', ['ask']]);
}

export async function question_of_a_closed_client_requests_no_rerun() {
  const sent = await withSilentServer(async () => {
    const client = new EditorClient('/api'), sent = [];
    client.update({ data: {}, setTriggerValue: (name) => sent.push(name) }, { setSilent() {} });
    client.ask('tokens', {}, NO_TEXTS);
    client.close();
    await new Promise((resolve) => { originals.setTimeout.call(window, resolve, 100); });
    clearInterval(client.timer);
    return sent;
  });
  equal(sent, []);
}

export async function silent_socket_is_replaced() {
  const opened = await withSilentServer(async () => {
    let count = 0;
    const Silent = window.WebSocket;
    window.WebSocket = class extends Silent { constructor() { super(); count++; } };
    const client = new EditorClient('/api');
    equal(await client.socket.ask('tokens', {}, NO_TEXTS), null);
    client.socket.reconnect();
    client.close();
    return count;
  });
  equal(opened, 2);
}

export async function missing_recipe_is_null_and_missing_qr_code_is_an_error() {
  equal(await withSilentServer(() => fetchRecipe('trained-0')), null);
  const message = await withSilentServer(() => fetchQrCode('http://modules.test/').catch(({ message }) => message));
  equal(message, 'The QR code could not be drawn: the server is not answering. Try again.');
}

export async function unopened_file_is_reported() {
  const message = await withSilentServer(() => openFile(new File(['{}'], 'page.tokenloupe')));
  equal(message, 'The file could not be opened: the server is not answering. Try again.');
  check(!outbox().has('file'), 'the file would open later');
}

export async function silent_clipboard_is_reported_as_not_copied() {
  const done = document.createElement('p'), { execCommand } = document;
  Object.defineProperty(navigator, 'clipboard', { value: { writeText: never }, configurable: true });
  document.execCommand = () => false;
  try {
    const copied = await withSilentServer(() => copyText('text', document.body, done, 'Copied.'));
    check(copied === undefined, 'waits for ever');
    check(done.textContent.startsWith('Not copied: the browser did not let this page use the clipboard.'));
  } finally {
    delete navigator.clipboard;
    document.execCommand = execCommand;
  }
}

export async function click_that_opens_no_page_is_forgotten() {
  const current = navigation(), link = Object.assign(document.createElement('a'), { href: '/elsewhere' });
  link.addEventListener('click', (event) => event.preventDefault());
  document.body.append(link);
  const path = await withSilentServer(async () => {
    link.click();
    equal(current.path, '/elsewhere');
    await new Promise((resolve) => { originals.setTimeout.call(window, resolve, 50); });
    return current.path;
  });
  link.remove();
  equal(path, null);
}
