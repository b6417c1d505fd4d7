"""Paste text, see its exact tokens live."""

import streamlit as st

from ui.desk import pickers
from ui.playground import hygiene
from ui.playground.editor import editor

with st.container(gap="xsmall"):
    with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
        encoding = pickers.encoding()
        special = pickers.special(encoding)
        pickers.upload()
    pickers.examples()
    editor(encoding, special)
    hygiene.panel(encoding, special)
