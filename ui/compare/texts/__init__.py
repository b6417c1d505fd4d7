"""The component that compares two texts under one encoding: the visitor's and another."""

import secrets

import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from tokenizer import parallel_corpus
from tokenizer.i18n import mark, tr
from ui.components.component import LOUPE, TOKENS, component
from ui.session.visitor_state import visitor
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
LANGUAGES = {mark("English and Thai"): ("en", "th"), mark("English and Hindi"): ("en", "hi")}
NUM_SENTENCES = 5

_component = component(__file__, "texts", TOKENS, LOUPE)


def pairs() -> dict[str, tuple[str, str]]:
    """Returns our pairs of texts: the same data in two formats, the same sentences in two languages.

    >>> list(pairs())
    ['YAML and JSON', 'English and Thai', 'English and Hindi']
    """
    corpus = parallel_corpus()
    found = {mark("YAML and JSON"): (YAML, JSON)}
    for label, tags in LANGUAGES.items():
        found[label] = tuple("\n".join(corpus[tag][:NUM_SENTENCES]) for tag in tags)
    return found


def examples() -> None:
    """Draws a button for each of our pairs, and Undo after one has replaced a text."""
    with st.container(horizontal=True, gap="small", key="examples"):
        for label, texts in pairs().items():
            st.button(tr(label), key=f"pair_{label}", on_click=_put, args=texts, type="tertiary")
        pickers.offer_undo(_undo)


def _put(first: str, second: str) -> None:
    visitor().put_text(first)
    visitor().imports.second_text = {"id": secrets.token_hex(8), "text": second}


def _undo() -> None:
    visitor().undo_put()
    visitor().imports.second_text = {"id": secrets.token_hex(8), "undo": True}


def texts(entry: StoredEncoding, special: str) -> None:
    """Draws two texts in an encoding, special tokens read as `special`; the first is the visitor's."""
    data = {"second": visitor().imports.second_text, "encoding": encoding_component.encoding_data(entry, special)}
    encoding_component.draw_with_text(_component, KEY, data)
