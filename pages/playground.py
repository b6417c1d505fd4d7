"""Paste text, see its exact tokens live."""

import streamlit as st

from ui.desk import pickers
from ui.playground import hygiene
from ui.playground.editor import editor

with st.container(gap="xsmall", key="reading"):
    with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
        encoding = pickers.encoding(opens_text=True)
        pickers.switch()
        special = pickers.special(encoding)
    with st.container(key="stage"):
        editor(encoding, special)
    pickers.examples()
    hygiene.panel(encoding, special)
