"""Find a tokenizer, bring one, take one apart."""

import streamlit as st

from ui.desk import loading, pickers
from ui.desk.live_text import live_text
from ui.tokenizers import bring, catalog, facts, segmentations, stages

top = st.container(horizontal=True, vertical_alignment="bottom", key="desk_options")
found = st.container(key="stage")
st.subheader("Bring your own", anchor=False)
with st.container(key="bring"):
    bring.zone(pickers.ENCODING.choose)  # before the list is drawn: what is brought is chosen
with top:
    entry = pickers.model()
with found:
    facts.show(entry)
st.subheader("Your text, step by step", anchor=False)
text = live_text()
stages.show(entry, text)
segmentations.show(entry, text)
with st.expander("Add special tokens, or remove what you brought", key="specials"):
    loading.specials([entry], pickers.ENCODING.choose)
catalog.show()
