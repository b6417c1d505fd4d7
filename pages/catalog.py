"""Find a tokenizer, bring one, take one apart."""

import streamlit as st

from ui.desk import desk, loading, pickers
from ui.tokenizers import bring, catalog, facts, segmentations, stages

top = st.container(horizontal=True, vertical_alignment="bottom", key="desk_options")
found = st.container(key="stage")
with st.container(key="bring"):
    bring.zone(pickers.ENCODING.choose)  # before the list is drawn: what is brought is chosen
with top:
    entry = pickers.model()
with found:
    facts.show(entry)
with st.container(key="on_its_way"):
    stages.show(entry, desk.text())
    segmentations.show(entry, desk.text())
with st.expander("Add special tokens, or remove what you brought", key="specials"):
    loading.specials([entry], pickers.ENCODING.choose)
catalog.show()
