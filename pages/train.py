"""Train: train an encoding and go through its merges."""

import streamlit as st

from tokenizer.i18n import tr
from ui.components import notices
from ui.session.choices import NOT_OF_PAGES
from ui.train import corpora, recipe, results, trainer

shown, row = trainer.shown(), st.container(horizontal=True, vertical_alignment="center", key="train_row")
asks = shown is None and any(name not in NOT_OF_PAGES for name in st.query_params)  # the address contains choices
if trainer.CHOICES_OPEN in st.session_state:
    st.session_state.train_choices = st.session_state[trainer.CHOICES_OPEN]
    del st.session_state[trainer.CHOICES_OPEN]
st.session_state.setdefault("train_choices", asks)  # as `expanded`, a later value would draw it anew, without focus
with st.expander(tr("Text and settings"), key="train_choices", on_change="rerun"):
    left, right = st.columns(2, gap="large")
    with left:
        corpus = corpora.corpus()
    with right:
        chosen = recipe.recipe(corpus.sample, corpus.name, corpus.counts_file)
with row:
    trainer.train_button(corpus, chosen)
    if shown:
        results.toolbar(shown)
    elif chosen and corpus.texts:
        with notices.errors_shown():  # NFC may turn a character of a word with its count into a separator
            st.caption(results.plan_summary(corpus, chosen), width="content")
        if not asks:
            st.button(tr("Train on my own text"), key="use_own", on_click=corpora.ask_for_own, type="tertiary")
if shown:
    results.draw_result(shown)
elif example := trainer.example(corpus, chosen):
    results.draw_example(example)
elif corpus.texts:
    results.preview(corpus.sample, chosen and chosen.order)
