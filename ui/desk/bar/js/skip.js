// The first thing that the keyboard meets on a page: a way past all else, to its text.
import { makeButton } from '../../../kit/js/dom.js';

const NAME = 'skip';

/** Puts the way at the beginning of the window, once. */
export function offerSkip() {
  if (!document.querySelector(`.${NAME}`)) document.body.prepend(makeButton(NAME, skip, 'Skip to the content'));
}

function skip() {
  const main = document.querySelector('.stMain'), heading = main.querySelector('h1');
  const areas = [...main.querySelectorAll('*')].flatMap((one) => [...(one.matches('textarea') ? [one] : []), ...(one.shadowRoot?.querySelectorAll('textarea') ?? [])]);
  heading.tabIndex = -1;
  (areas.find((one) => one.checkVisibility()) ?? heading).focus();
}
