"""Paste text, see its exact tokens live."""

import streamlit as st

from ui.desk import pickers
from ui.playground import hygiene
from ui.playground.editor import editor

with st.container(gap="xsmall", key="reading"):
    stage = st.container(key="stage")  # the keyboard meets the text first, the eye what stands over it
    with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
        encoding = pickers.encoding(opens_text=True)
        pickers.switch()
        special = pickers.special(encoding)
    with stage:
        editor(encoding, special)
    pickers.examples()
    hygiene.panel(encoding, special)
