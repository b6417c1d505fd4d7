"""Several encodings side by side over one live text."""

import streamlit as st

from ui.compare import tables as compare_tables
from ui.compare.columns import compare
from ui.desk import pickers

with st.container(gap="xsmall"):
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_options"):
        encodings = pickers.encodings()
        baseline = pickers.baseline(encodings)
        special = pickers.special()
        pickers.upload()
    pickers.examples()
    compare(encodings, special, baseline)
compare_tables.tables(encodings, special, baseline)
