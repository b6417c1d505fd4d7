"""The component that compares two texts under one encoding: the visitor's and another."""

import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from server.web_files import LOUPE, TOKENS
from tokenizer.i18n import mark, tr
from ui.components.component import component
from ui.session import pending_action
from ui.session.visitor_state import new_id, visitor
from ui.widgets import encoding_component, pickers

KEY = "texts"

YAML = """\
name: Tokenloupe
pages:
  - title: Playground
    live: true
  - title: Compare
    live: true
"""
JSON = """\
{
  "name": "Tokenloupe",
  "pages": [
    { "title": "Playground", "live": true },
    { "title": "Compare", "live": true }
  ]
}
"""
_component = component(__file__, "texts", TOKENS, LOUPE)


PAIRS = {mark("YAML and JSON"): (YAML, JSON)}  # the same data in two formats


def examples() -> None:
    """Draws a button for each pair, Undo after one has replaced a text, and the way to a text in two languages."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="examples"):
        st.caption(tr("Try:"), width="content")
        for label, texts in PAIRS.items():
            st.button(tr(label), key=f"pair_{label}", on_click=_put, args=texts)
        pickers.offer_undo(_undo)
        label = tr("Two languages, line by line")
        if pending_action.button(label, key="two_languages", type="tertiary", icon=":material/arrow_forward:"):
            pickers.open_own_languages()


def _put(first: str, second: str) -> None:
    visitor().put_text(first)
    visitor().imports.second_text = {"id": new_id(), "text": second}


def _undo() -> None:
    visitor().undo_put()
    visitor().imports.second_text = {"id": new_id(), "undo": True}


def texts(entry: StoredEncoding, special: str) -> None:
    """Draws two texts in an encoding, special tokens read as `special`; the first is the visitor's."""
    data = {"second": visitor().imports.second_text, "encoding": encoding_component.encoding_data(entry, special)}
    encoding_component.draw_with_text(_component, KEY, data)
