"""Playground: a text and its exact tokens, live."""

import streamlit as st

from ui.playground import hygiene
from ui.playground.editor import editor
from ui.session.visitor_state import visitor
from ui.widgets import counted_model, pickers

with st.container(gap="xsmall", key="reading"):
    with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
        encoding = pickers.encoding(opens_text=True, counts=True)
        counter = pickers.counter()
        pickers.examples_menu()
        pickers.switch()
        special = "text" if counter else pickers.special(encoding)
        pickers.offer_undo(visitor().undo_put)
    with st.container(key="stage"):
        editor(encoding, special, is_seen=not counter)
    if counter:
        counted_model.show(counter)
    else:
        hygiene.panel(encoding, special)
