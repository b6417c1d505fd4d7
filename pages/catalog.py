"""Tokenizers: the list of all, uploads, and the parts of the chosen one."""

import streamlit as st

from tokenizer.i18n import tr
from ui.session import pending_action
from ui.tokenizers import catalog, facts, segmentations, soundness, stages, upload_area
from ui.widgets import pickers, tokenizer_upload
from ui.widgets.live_text import live_text

COMPARED_WITH = ("cl100k_base", "GPT-4"), ("o200k_base", "GPT-5")  # the second is for the first itself

with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
    chosen = st.container(width=340, key="model")
    upload_area.draw_uploader(pickers.ENCODING.choose)  # before the list: an uploaded tokenizer is chosen at once
with chosen:
    entry = pickers.model()
upload_area.draw_results(pickers.ENCODING.choose)
with st.container(key="stage_kind", horizontal=True, vertical_alignment="center"):
    facts.headline(entry)
    other, model = COMPARED_WITH[entry.key == COMPARED_WITH[0][0]]
    label, icon = tr("Compare this tokenizer with {model}", model=model), ":material/compare_arrows:"
    if pending_action.button(label, key="compare_it", icon=icon):
        pickers.compare_with(other, entry.key)
        st.switch_page("compare.py")
text = live_text()
pickers.examples()
with st.container(key="stage"):
    stages.show(entry, text)
segmentations.show(entry, text)
soundness.show(entry)
with st.expander(tr("More about this tokenizer: ids, licence, special tokens"), key="facts"):
    facts.show(entry)
with st.expander(tr("Add special tokens, or remove a tokenizer that you opened"), key="specials"):
    tokenizer_upload.draw_special_tokens([entry], pickers.ENCODING.choose)
catalog.show()
