"""Find a tokenizer, bring one, take one apart."""

import streamlit as st

from ui.desk import loading, pickers
from ui.tokenizers import apart, bring, catalog, facts

top = st.container(horizontal=True, vertical_alignment="bottom", key="desk_options")
found = st.container(key="stage")
with st.container(key="bring"):
    bring.zone(pickers.ENCODING.choose)  # before the list is drawn: what is brought is chosen
with top:
    entry = pickers.model()
with found:
    facts.show(entry)
apart.show(entry)
with st.expander("Add special tokens, or remove what you brought", key="specials"):
    loading.specials([entry], pickers.ENCODING.choose)
catalog.show()
