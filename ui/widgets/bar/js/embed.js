// HTML that shows the tokens of the Playground's text in a frame of another site (server/embed.py).
import { escapeXml } from '../../../../web/js/dom/elements.js';
import { currentPage, errorReason, publicOrigin } from '../../../../web/js/net/page-link.js';
import { LANGUAGE, tr } from '../../../../web/js/dom/i18n.js';

const HEIGHT_PX = 320;

/** Resolves to the HTML; throws an Error with the reason if the server does not show the text. */
export async function frameHtml({ path, encoding }) {
  const { query, text } = await currentPage(), chosen = new URLSearchParams(query);
  const parameters = new URLSearchParams({ lang: LANGUAGE, encoding: chosen.get('encoding') ?? encoding });
  if (chosen.get('special') === 'special') parameters.set('special', 'special');
  parameters.set('text', text);
  const address = `${path}?${parameters}`, reply = await fetch(address, { cache: 'no-store' }).catch(() => null);
  const noPage = tr(
    'The server did not answer, or the text makes the address too long. Try again, or shorten the text.',
  );
  if (!reply?.ok) throw new Error(await errorReason(reply) || noPage);
  const facts = { src: `${publicOrigin()}${address}`, title: tr('Tokens'), width: '100%', height: HEIGHT_PX };
  const attributes = Object.entries({ ...facts, loading: 'lazy', style: 'border: 0' });
  return `<iframe ${attributes.map(([name, value]) => `${name}="${escapeXml(String(value))}"`).join(' ')}></iframe>`;
}
