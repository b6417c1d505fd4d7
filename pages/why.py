"""Why this split: where each pattern has its walls, and the merges within one pre-token, rung by rung."""

import streamlit as st

from ui.desk import pickers
from ui.why import page as why

with st.container(horizontal=True, vertical_alignment="bottom", key="why_options"):
    encoding = pickers.encoding().encoding
    source = why.source(encoding)
why.about(source)
why.split(source, encoding)
why.lab(source.text)
