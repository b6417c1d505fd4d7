"""Find a tokenizer, bring one, take one apart."""

import streamlit as st

from tokenizer.i18n import tr
from ui.desk import loading, pickers
from ui.desk.live_text import live_text
from ui.kit import presses
from ui.tokenizers import bring, catalog, facts, segmentations, stages

with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
    chosen = st.container(width=340)
    bring.zone(pickers.ENCODING.choose)  # before the list is drawn: what is brought is chosen
with chosen:
    entry = pickers.model()
bring.say(pickers.ENCODING.choose)
with st.container(key="stage_kind", horizontal=True, vertical_alignment="center"):
    facts.headline(entry)
    if presses.button(tr("Compare"), key="compare_it", type="tertiary", icon=":material/compare_arrows:"):
        pickers.compare(entry.key)
        st.switch_page("compare.py")
text = live_text()
with st.container(key="stage"):
    stages.show(entry, text)
segmentations.show(entry, text)
with st.expander(tr("More about this tokenizer: ids, licence, special tokens"), key="facts"):
    facts.show(entry)
with st.expander(tr("Add special tokens, or remove what you brought"), key="specials"):
    loading.specials([entry], pickers.ENCODING.choose)
catalog.show()
