// Presentation mode: the page without menu and options, enlarged. P enters and leaves it, B blanks the screen, S shows
// a spotlight at the pointer. For fingers there is a button to leave.
import { inDocument } from '../../../../web/js/dom/document-state.js';
import { saveFile } from '../../../../web/js/dom/clipboard.js';
import { delay, prefersReducedMotion, make, makeButton, whilePresent } from '../../../../web/js/dom/elements.js';
import { asPng, pictureOf, withFonts } from '../../../../web/js/tokens/picture.js';
import { letterOf } from '../../../../web/js/dom/key-bindings.js';
import { enterFullScreen, leaveFullScreen } from '../../../../web/js/dom/full-screen.js';
import { appStyle, MAIN, NOT_DRAWN, watchPage } from '../../../../web/js/streamlit/streamlit-dom.js';
import { tr } from '../../../../web/js/dom/i18n.js';
import { panel } from './panel.js';
import { setTheme } from './theme.js';

const HINT_MS = 5000;
const MIN_HINT_PX = 12;
const DRAW_TIMEOUT_MS = 20_000;
const FRAME_TIMEOUT_MS = 1_000;
const STAGED = '[class*="st-key-stage"]', NOT_STAGED = '.st-key-no_stage'; // the main part, and that it is empty
const STAGE_KEY = 'stage', BLANK_KEY = 'blank', WHOLE_KEY = 'whole'; // the whole page: it has no main part
const { dataset } = document.documentElement;

class Stage {
  constructor() {
    this.spotlight = make('div', 'spotlight');
    this.spotlight.hidden = true;
    this.hint = Object.assign(make('p', 'stage-hint'), { role: 'status', hidden: true });
    this.leave = makeButton('stage-exit', () => this.exit(), '✕');
    document.body.append(this.spotlight, this.hint, this.leave);
    addEventListener('keydown', (event) => this.onKey(event), true); // before a component stops it
    addEventListener('pointermove', ({ clientX, clientY }) => this.moveSpotlight(clientX, clientY), { passive: true });
    document.addEventListener('fullscreenchange', () => {
      if (!document.fullscreenElement && this.isFull) this.exit();
    });
  }

  get isEmpty() { return !document.querySelector(STAGED) || Boolean(document.querySelector(NOT_STAGED)); }

  get isOn() { return STAGE_KEY in dataset; }

  onKey(event) {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || isTyping(event)) return;
    // Escape closes an open dialog or list before it leaves the stage
    const handlesKey = (one) =>
      (one.popover && key === 'Escape') || (one instanceof HTMLDialogElement && letterOf(event) !== 'q');
    if (event.composedPath().some(handlesKey)) return;
    const actions = { p: () => (this.isOn ? this.exit() : this.enter()), ...(this.isOn ? this.keys : {}) };
    const action = actions[key.length === 1 ? letterOf(event) : key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  get keys() {
    return {
      Escape: () => this.exit(),
      b: () => toggle(BLANK_KEY),
      q: () => panel().open(),
      l: () => setTheme(appStyle().colorScheme === 'dark' ? 'light' : 'dark'),
      s: () => { this.spotlight.hidden = !this.spotlight.hidden; },
    };
  }

  async enter() {
    this.leave.ariaLabel = tr('Stop presenting');
    this.spotlight.hidden = true;
    dataset[STAGE_KEY] = '';
    this.stopWatching ??= watchPage(() => this.markWhole());
    this.markWhole();
    dispatchEvent(new Event('tokenloupe-stage'));
    this.showHint();
    stepper()?.focus({ preventScroll: true });
    const isFull = await enterFullScreen();
    if (this.isOn) this.isFull = isFull;
    else leaveFullScreen(); // the visitor left before the window was full screen
  }

  // The main part may come and go while the stage is on: a class opens, another page is drawn.
  markWhole() { setData(WHOLE_KEY, this.isEmpty); }

  // Shows the keys for a moment.
  showHint() {
    const { hint } = this, hide = () => { hint.hidden = true; };
    hint.textContent = [
      ...(has('play') ? [tr('Space: play or pause')] : []),
      ...(has('predict') ? [tr('G: guess the next merge, then press the number of your guess')] : []),
      tr('Esc: back · B: blank · S: spotlight · Q: QR code · L: light or dark'),
    ].join(' · ');
    hint.hidden = false;
    hint.style.fontSize = '';
    let size = parseFloat(getComputedStyle(hint).fontSize);
    while (hint.scrollWidth > hint.clientWidth && size > MIN_HINT_PX) hint.style.fontSize = `${size -= 1}px`;
    hint.animate({ opacity: [1, 1, prefersReducedMotion() ? 1 : 0] }, HINT_MS).finished.then(hide, hide);
  }

  exit() {
    this.hint.hidden = true;
    this.stopWatching?.();
    this.stopWatching = null;
    for (const key of [STAGE_KEY, BLANK_KEY, WHOLE_KEY]) delete dataset[key];
    this.spotlight.hidden = true;
    this.isFull = false;
    leaveFullScreen();
    dispatchEvent(new Event('tokenloupe-stage'));
  }

  async savePicture(format) {
    const wasOn = this.isOn;
    dataset[STAGE_KEY] = '';
    dispatchEvent(new Event('tokenloupe-stage'));
    let picture;
    try {
      await waitUntilDrawn();
      picture = await withFonts(pictureOf(document.querySelector(MAIN), appStyle().backgroundColor));
    } finally {
      if (!wasOn) this.exit();
    }
    saveFile(
      format === 'svg' ? new Blob([picture.svg], { type: 'image/svg+xml' }) : await asPng(picture),
      `tokenloupe.${format}`,
    );
  }

  moveSpotlight(x, y) {
    this.spotlight.style.setProperty('--x', `${x}px`);
    this.spotlight.style.setProperty('--y', `${y}px`);
  }
}

// Waits until resized elements are drawn again. A hidden tab draws no frames, so the wait has a limit.
const frames = () => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); });
const nextPoll = () => delay(150).then(() => Promise.race([frames(), delay(FRAME_TIMEOUT_MS)]));

async function waitUntilDrawn() {
  await nextPoll();
  await whilePresent(NOT_DRAWN, DRAW_TIMEOUT_MS, nextPoll);
}

// Returns the element whose merges or tokens the arrow keys step through.
function stepper() {
  const roots = [...document.querySelectorAll(`${STAGED} *`)].flatMap((one) => one.shadowRoot ?? []);
  return roots.map((root) => root.querySelector('.scene, .tokens')).find(Boolean);
}

// Whether the part with the stepper has a button for an action, even if the stage hides it.
const has = (action) => Boolean(stepper()?.getRootNode().querySelector(`[data-do=${action}]`));

const setData = (name, isOn) => { if (isOn) dataset[name] = ''; else delete dataset[name]; };
const toggle = (name) => setData(name, !(name in dataset));

function isTyping(event) {
  const [one] = event.composedPath();
  return (
    one.matches?.('input:not([type=radio], [type=checkbox], [type=button]), textarea, select, [contenteditable]') ??
    false
  );
}

/** Returns the document's stage, with the methods of the calling bundle, which have the words of its language. */
export const stage = () => Object.setPrototypeOf(inDocument('stage', () => new Stage()), Stage.prototype);
