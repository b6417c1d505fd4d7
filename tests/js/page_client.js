// The client of the static page, where the server has no table.
import { PageClient } from '/server/exports/site/js/page-client.js';
import { check, equal, python } from './check.js';

const SERVED = fetch;

/** Resolves to what `act` resolves to while each request is answered with `body`. */
async function answeredWith(body, act) {
  globalThis.fetch = async () => new Response(body);
  try {
    return await act();
  } finally {
    globalThis.fetch = SERVED;
  }
}

export async function html_page_in_place_of_a_table_is_reported_as_a_vocabulary_that_was_not_loaded() {
  const { pattern, categories } = await python('page_encoder', 'gpt2');
  const facts = { key: 'gpt2', model: 'GPT-2', ranks: 'ranks/gpt2.bin', pattern, categories };
  for (const body of ['<!doctype html><title>Not found</title>', '', new Uint8Array([0x1f, 0x8b, 8])]) {
    const client = new PageClient(new Map([['gpt2', facts]]), () => {});
    const error = await answeredWith(body, () => client.encodersOf('gpt2').catch((one) => one));
    check(error.isRefusal, String(error));
    check(error.message.startsWith('The vocabulary of GPT-2 could not be loaded.'));
    equal([Array.from(client.failed), client.tables, client.loading], [['gpt2'], [], 0]);
  }
}
