"""Compare: one text in several encodings, two texts in one, or a table of texts row by row."""

import streamlit as st

from tokenizer.i18n import mark, tr
from ui.compare import rows, texts
from ui.compare import tables as compare_tables
from ui.compare.columns import compare
from ui.components import notices
from ui.session.choices import Choice, one_of
from ui.widgets import pickers

WAYS = {
    "encodings": mark("One text, several encodings"),
    "texts": mark("Two texts, one encoding"),
    "table": mark("A table of texts"),
}

with st.container(gap="xsmall"):
    way = Choice("way", "encodings", one_of(WAYS)).segmented(tr("Compare"), WAYS, label_visibility="collapsed")
    with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
        if way == "texts":
            chosen = [entry := pickers.encoding(opens_text=True)]
        else:
            chosen = encodings = pickers.encodings(opens_text=way != "table", counts=True)
        if way == "encodings":
            if few := len(st.session_state.encodings) < 2:
                with st.container(key="no_stage", width="content"):  # there are no columns to present
                    notices.show(tr("Choose at least two models to compare."))
            baseline = encodings[0] if few else pickers.baseline(encodings)
        if way != "table":
            special = pickers.special(*chosen)
    if way == "table":
        rows.show(encodings, pickers.counters_beside())
    elif way == "texts":
        texts.examples()
        with st.container(key="stage"):
            texts.texts(entry, special)
    else:
        pickers.examples()
        with st.container(key="stage"):
            compare(encodings, special, baseline, pickers.counters_beside(), few)
if way == "encodings" and not few:
    compare_tables.tables(encodings, special, baseline, pickers.counters_beside())
