// Says that this browser has what was chosen for its reader, once the page stands still: from then on, what its widgets tell is news.
import { whileThere } from '../../../kit/js/dom.js';
import { BUSY } from '../../../kit/js/streamlit-dom.js';

const PATIENCE = 20_000, MOMENT = 50; // ms
const moment = () => new Promise((later) => setTimeout(later, MOMENT));
let said = null; // the number that is about to be said

export default function ({ data: { number }, setTriggerValue }) {
  if (number !== null && number !== said) say(number, setTriggerValue);
}

async function say(number, setTriggerValue) {
  said = number;
  await whileThere(BUSY, PATIENCE, moment);
  await moment(); // widgets take what they were given a moment after the page shows it
  if (said !== number) return; // there is news
  said = null;
  setTriggerValue('heard', number);
}
