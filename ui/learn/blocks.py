"""Draws the result of a step: token strips, merges behind a slider, tables and pictures."""

import streamlit as st

from server.encodings import encoding_store
from tokenizer.lessons import drawn
from tokenizer.lessons.pictures import Coded
from tokenizer.lessons.views import Areas, Lane, Shown, State, Still, Strip, Table
from tokenizer.lessons.wording import Counted, Words
from ui.session import why_text
from ui.widgets.token_strip import token_strip


def draw(key: str, shown: Shown, page: Words) -> None:
    """Draws all blocks of a step; `page` has the sentences around them."""
    for i, block in enumerate(shown.blocks):
        match block:
            case Strip():
                _strip(f"{key}_{i}", block, page)
            case Still() | Coded() | Lane() | Table() | Areas():
                st.html(drawn.MACROS[type(block)](block, page))
            case _:
                _states(f"{key}_{i}", block, shown.facts["start"], page)


def _strip(key: str, block: Strip, page: Words) -> None:
    entry = encoding_store.find(block.encoding)
    tokens = entry.encoding.tokenize(block.text, special=block.special)
    st.html(drawn.head(drawn.label(block.label, page), page.text("tokens", count=Counted(len(tokens)))))
    token_strip(f"learn_{key}", tokens, entry, why_text.PAGE, lang=block.lang, moving=True)


def _states(key: str, states: list[State], start: int, page: Words) -> None:
    """Draws a text after a number of merges, which a slider sets, with the counts of its pairs."""
    last = len(states) - 1
    step = st.slider(page.text("merge"), 0, last, start, key=f"learn_{key}_{last}") if last else 0
    st.html(drawn.merge(states, step, page))
