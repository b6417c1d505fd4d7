// Animates the change of a number: the old one moves out while the new one moves in. No number between them is shown,
// since none was counted.
import { make } from '../../../web/js/dom/elements.js';
import { MOTION_MS } from '../../../web/js/tokens/token-motion.js';

/** Rolls the text of `element` in from below, and `before` out, or the other way if the number falls. */
export function rollNumber(element, before) {
  const numberIn = (text) => Number(text.replace(/\D/g, '')), now = element.textContent;
  if (now === before) return;
  const side = numberIn(now) < numberIn(before) ? '-' : '', other = side ? '' : '-';
  const leaving = make('dd', 'leaving', before), options = { duration: MOTION_MS, easing: 'ease-in-out' };
  leaving.setAttribute('aria-hidden', 'true');
  element.parentElement.querySelector('.leaving')?.remove();
  element.before(leaving);
  element.animate({ transform: [`translateY(${side}40%)`, 'none'], opacity: [0, 1] }, options);
  const remove = () => leaving.remove();
  leaving.animate({ transform: ['none', `translateY(${other}40%)`], opacity: [1, 0] }, options).finished
    .then(remove, remove);
}
