"""Why this split: where each pattern has its boundaries, and the merges inside one pre-token."""

import streamlit as st

from ui.why import page as why
from ui.widgets import pickers

with st.container(horizontal=True, vertical_alignment="bottom", key="why_options"):
    encoding = pickers.encoding(opens_text=True).encoding
    source = why.source(encoding)
why.examples()
why.describe_source(source)
why.split(source, encoding)
why.moved()
why.lab(source.text)
