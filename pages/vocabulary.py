"""Vocabulary: the tokens of an encoding over their ids, as charts or as a map, the comparison with another one, and a
searchable table."""

import streamlit as st

from tokenizer.i18n import mark, tr
from ui.components import notices
from ui.session.choices import Choice, one_of
from ui.vocabulary import byte_table, compare, search_state, timeline, token_map
from ui.vocabulary.explorer import explorer
from ui.widgets import encoding_component, pickers

PICTURES = {"charts": mark("Charts"), "map": mark("Map")}

encoding_component.go_to_requested_why()

with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
    entry = pickers.encoding()
    other = compare.pick(entry)
    picture = Choice("picture", "charts", one_of(PICTURES)).segmented(tr("View"), PICTURES, width="content")
for problem in search_state.begin(entry):
    notices.show(problem)
chart, beside = st.columns([3, 2], gap="medium") if other else (st.container(), None)
with chart, st.container(key="stage_timeline", gap="xsmall"):
    if picture == "map":
        token_map.show(entry, other)
    else:
        timeline.show(entry)
if other:
    with beside, st.container(key="stage_beside", gap="small"):
        compare.show(entry, other)
with st.container(key="stage_tokens"):
    explorer(entry, other)
byte_table.show(entry)
