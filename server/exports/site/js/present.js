// Presents the page in full screen: tokens and counts alone and large, with the models to choose from.
import { enterFullScreen, leaveFullScreen } from '../../../../web/js/dom/full-screen.js';
import { letterOf } from '../../../../web/js/dom/key-bindings.js';
import { tr } from '../../../../web/js/dom/i18n.js';
import { setText } from '../../../../web/js/tokens/readout.js';

const STAGE_KEY = 'stage';
const FIELDS = 'input:not([type=radio], [type=checkbox]), textarea, select';
const { dataset } = document.documentElement;

const isOn = () => STAGE_KEY in dataset;

/** Lets a button and the key P begin and end it; Escape ends it, too. */
export function addPresenting(button) {
  let isFull = false; // whether the window was made full screen for it
  const fill = async () => {
    const isFilled = await enterFullScreen();
    if (isOn()) isFull = isFilled; // without full screen it is large in the window, too
    else leaveFullScreen(); // it ended meanwhile
  };
  const show = (isShown) => {
    if (isShown === isOn()) return;
    isFull = false;
    if (isShown) dataset[STAGE_KEY] = ''; else delete dataset[STAGE_KEY];
    setText(button, isShown ? tr('Stop presenting') : tr('Present'));
    dispatchEvent(new Event('tokenloupe-stage')); // components have sizes of their own
    if (isShown) fill(); else leaveFullScreen();
  };
  button.addEventListener('click', () => show(!isOn()));
  document.addEventListener('fullscreenchange', () => { if (!document.fullscreenElement && isFull) show(false); });
  addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, defaultPrevented } = event;
    if (ctrlKey || metaKey || altKey || defaultPrevented || event.composedPath()[0].matches?.(FIELDS)) return;
    if (letterOf(event) === 'p') show(!isOn());
    else if (key === 'Escape' && isOn() && !isInLoupe(event)) show(false);
  }, true); // before a component stops it
}

const isInLoupe = (event) => event.composedPath().some((one) => one.matches?.('.loupe, .tokens'));
