"""Train a byte-pair encoding and walk through its merges."""

import streamlit as st

from ui.train import corpora, recipe, results, trainer

shown = trainer.shown()
with st.expander("Text and choices", expanded=shown is None, icon=":material/tune:"):
    left, right = st.columns(2, gap="large")
    with left:
        corpus = corpora.corpus()
    with right:
        chosen = recipe.recipe(corpus.texts[0] if corpus.texts else "", corpus.name)
with st.container(horizontal=True, vertical_alignment="center", key="train_row"):
    trainer.train_button(corpus, chosen)
    if shown:
        results.toolbar(shown)
if shown:
    results.walk(shown)
elif corpus.texts:
    results.preview(corpus.texts[0], chosen and chosen.order)
