"""Playground: a text and its exact tokens, live."""

import streamlit as st

from ui.playground import hygiene
from ui.playground.editor import editor
from ui.widgets import counted_model, pickers

with st.container(gap="xsmall", key="reading"):
    stage = st.container(key="stage")  # first in keyboard order, but drawn below the options
    with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
        encoding = pickers.encoding(opens_text=True, counts=True)
        counter = pickers.counter()
        pickers.switch()
        special = "text" if counter else pickers.special(encoding)
    with stage:
        editor(encoding, special, is_seen=not counter)
    pickers.examples()
    if counter:
        counted_model.show(counter)
    else:
        hygiene.panel(encoding, special)
