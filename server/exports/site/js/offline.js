// Lets the page open without a network: a service worker keeps its files and the rank tables that were loaded.
import { tr } from '../../../../web/js/dom/i18n.js';
import { setText } from '../../../../web/js/tokens/readout.js';

const WORKER = 'service-worker.js';

/** Stores the rank tables at these addresses, and shows that the page is stored, unless that failed or `isLacking()`:
 *  the table of a chosen model did not arrive. Browsers have service workers only with https, or for a server on their
 *  own machine. */
export async function keepOffline(addresses, isLacking) {
  if (!navigator.serviceWorker) return;
  try {
    await navigator.serviceWorker.register(WORKER);
    const { active } = await navigator.serviceWorker.ready;
    const isKept = await ask(active, addresses);
    const words = tr(
      'This page is stored in the browser. You can open it without a network, and use the models that you have ' +
        'chosen so far.',
    );
    setText(document.querySelector('.offline'), isKept && !isLacking() ? words : '');
  } catch {
    // the browser stores nothing: the page works while there is a network
  }
}

function ask(worker, message) {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
    worker.postMessage(message, [port2]);
  });
}
