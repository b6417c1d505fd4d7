"""Why this split: where each pattern has its walls, and the merges within one pre-token, rung by rung."""

import streamlit as st

from ui.why import page as why
from ui.widgets import pickers

with st.container(horizontal=True, vertical_alignment="bottom", key="why_options"):
    encoding = pickers.encoding().encoding
    source = why.source(encoding)
why.about(source)
why.split(source, encoding)
why.lab(source.text)
