// Answers the questions of components in the page, as the server does in the app.
import { encodeTokens, textsIn } from './answers.js';
import { asJson, encodeAll, loupeFacts, makeEncoders } from '../../js/encoders.js';
import { delay } from '../../../../web/js/dom/elements.js';
import { tr } from '../../../../web/js/dom/i18n.js';
import { RefusedError } from '../../../../web/js/net/rpc-client.js';

const LONG_TEXT_BYTES = 20_000; // longer ones let the page draw before they are encoded
const notLoaded = (model) => new RefusedError(tr(
  'The vocabulary of {model} could not be loaded. Check the network, then keep typing or choose the model again.',
  { model },
));

export class PageClient {
  connectionNote = '';

  /** `encodings` are the page's facts by key; `onTables()` is called when `loading` or `tables` have changed. */
  constructor(encodings, onTables) {
    Object.assign(this, { encodings, onTables, made: new Map() });
    this.loading = 0; // number of rank tables that are on their way
    this.tables = []; // addresses of those that have arrived
    this.failed = new Set(); // keys of encodings whose tables did not arrive, or were damaged
  }

  /** Resolves to the encoders of an encoding; its table is loaded once, and again after a failure. */
  encodersOf(key) {
    if (!this.made.has(key)) {
      const encoders = this.load(this.encodings.get(key));
      this.made.set(key, encoders);
      encoders.catch(() => this.made.delete(key));
    }
    return this.made.get(key);
  }

  async load(facts) {
    this.loading++;
    this.onTables();
    try {
      const encoders = await this.encodersFrom(facts, await this.table(facts));
      this.tables.push(facts.ranks);
      this.failed.delete(facts.key);
      return encoders;
    } catch (error) {
      this.failed.add(facts.key);
      throw error;
    } finally {
      this.loading--;
      this.onTables();
    }
  }

  async table({ ranks, model }) {
    const reply = await fetch(ranks).catch(() => null); // without a network there is no reply
    const bytes = reply?.ok ? await reply.arrayBuffer().catch(() => null) : null;
    if (!bytes) throw notLoaded(model);
    return new Uint8Array(bytes);
  }

  // Some servers answer with an HTML page instead of an error if they have no file.
  async encodersFrom(facts, table) {
    try {
      return await makeEncoders(facts, table);
    } catch (error) {
      throw globalThis.DecompressionStream ? notLoaded(facts.model) : error; // without it, nothing is unpacked
    }
  }

  async ask(name, { encoding, at }, body) {
    const encoders = await this.encodersOf(encoding), chunks = textsIn(body);
    if (name === 'loupe') return asJson(loupeFacts(encoders, chunks, Number(at))).buffer;
    if (body.length > LONG_TEXT_BYTES) await delay(0);
    return encodeTokens(encodeAll(encoders, chunks));
  }

  update() {}

  close() {}
}
