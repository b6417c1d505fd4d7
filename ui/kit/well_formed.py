"""Keeps lone surrogates out of Streamlit's own text boxes: a message that holds one cannot be read, and is dropped."""

import streamlit as st

# Streamlit's boxes are React's, which listens at the root of the page: this hears of an input before, and mends what
# stands in the box with the prototype's own setter, since React would take a plain assignment for its own.
SCRIPT = """
const lone = /[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]/g;

function mend({ target }) {
  const kind = [HTMLTextAreaElement, HTMLInputElement].find((one) => target instanceof one);
  if (!kind || target.type === 'file' || target.value.search(lone) < 0) return;
  const { selectionStart, selectionEnd } = target;
  Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(target, target.value.replace(lone, '\\ufffd'));
  target.setSelectionRange(selectionStart, selectionEnd);
}

export default function () {
  if (window.tokenloupeMends) return;
  window.tokenloupeMends = true;
  window.addEventListener('input', mend, true);
}
"""

_component = st.components.v2.component("tokenloupe_well_formed", js=SCRIPT)


def mend_text_boxes() -> None:
    """Lets every text box of the page hold U+FFFD where a lone surrogate was typed or pasted."""
    _component(key="well_formed")
