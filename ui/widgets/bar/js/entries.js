// Streamlit makes an entry of the browser's history each time an address is written. What a page writes into its own as
// it comes belongs to the entry that it has: else the way back would lead through each page twice, and from a page that
// one has come back to there was no way on.
import { heading } from '../../../components/js/editor/tab-state.js';
import { interceptHistory } from '../../../components/js/streamlit/streamlit-dom.js';

let comes = true; // until somebody presses something on the page

/** Whether a link to another page was pressed, and the address is still this one's. */
const isLeft = () => ![null, location.pathname].includes(heading().to);

/** Has it so for this document; called once. `turned` is called where the page is turned. */
export function oneEntryAPage(turned) {
  for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, () => { comes = false; }, true);
  addEventListener('popstate', () => { comes = true; }, true);
  interceptHistory((url, { push, replace }) => {
    const isTurn = new URL(url ?? '', location.href).pathname !== location.pathname;
    if (!isTurn && comes) return replace();
    if (!isTurn && isLeft()) return; // it is for the page that comes, whose own address has it
    comes = isTurn;
    push();
    if (isTurn) turned();
  });
}
