"""Vocabulary: the tokens of an encoding over their ids, the comparison with another one, and a searchable table."""

import streamlit as st

from ui.components import notices
from ui.vocabulary import byte_table, compare, search_state, timeline
from ui.vocabulary.explorer import explorer
from ui.widgets import encoding_component, pickers

encoding_component.go_to_requested_why()

with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
    entry = pickers.encoding()
    other = compare.pick(entry)
for problem in search_state.begin(entry):
    notices.show(problem)
chart, beside = st.columns([3, 2], gap="medium") if other else (st.container(), None)
with chart, st.container(key="stage_timeline", gap="xsmall"):
    timeline.show(entry)
if other:
    with beside, st.container(key="stage_beside", gap="small"):
        compare.show(entry, other)
with st.container(key="stage_tokens"):
    explorer(entry, other)
byte_table.show(entry)
