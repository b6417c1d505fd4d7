"""Streamlit's own boxes, attended to: what one types is taken at once, a lone surrogate loses no message, a place to
drop files is called by its name."""

import streamlit as st

# Streamlit's boxes are React's, which listens at the root of the page: this hears of an input before. A message that
# holds a lone surrogate cannot be read, and is dropped: so what stands in the box is mended, with the prototype's own
# setter, since React would take a plain assignment for its own. An area tells the server what it holds at Ctrl+Enter:
# so a pause in the typing is one. When it is left it tells by itself, and a page may turn then: nothing follows.
SCRIPT = """
const lone = /[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]/g;
const PAUSE = 250, UNITS_PER_MS = 500; // a long text waits for a longer pause
let timer = 0;

const kindOf = (target) => [HTMLTextAreaElement, HTMLInputElement].find((one) => target instanceof one);

function mend(target) {
  const kind = kindOf(target);
  if (!kind || target.type === 'file' || target.value.search(lone) < 0) return;
  const { selectionStart, selectionEnd } = target;
  Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(target, target.value.replace(lone, '\\ufffd'));
  target.setSelectionRange(selectionStart, selectionEnd);
}

function tellSoon(target) {
  const enter = new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true });
  clearTimeout(timer);
  timer = setTimeout(() => target.dispatchEvent(enter), PAUSE + target.value.length / UNITS_PER_MS);
}

// A place to drop files says that it is nothing, and has a name: it is a group.
function nameZones() {
  const zones = document.querySelectorAll('[data-testid=stFileUploaderDropzone][role=presentation]');
  for (const zone of zones) zone.setAttribute('role', 'group');
}

export default function () {
  if (window.tokenloupeAttends) return;
  window.tokenloupeAttends = true;
  if (document.activeElement instanceof HTMLTextAreaElement) tellSoon(document.activeElement); // typed in before
  window.addEventListener('input', ({ target }) => {
    mend(target);
    if (kindOf(target)) window.tokenloupeTyped = performance.now();
    if (target instanceof HTMLTextAreaElement) tellSoon(target);
  }, true);
  window.addEventListener('focusout', () => clearTimeout(timer), true);
  new MutationObserver(nameZones).observe(document.body, { childList: true, subtree: true });
  nameZones(); // those that stand there already
}
"""

_component = st.components.v2.component("tokenloupe_text_boxes", js=SCRIPT)


def attend() -> None:
    """Attends to every text box of the page."""
    _component(key="text_boxes")
