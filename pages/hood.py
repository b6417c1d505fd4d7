"""From character to byte: what the text on the desk is made of, and what bytes make a text."""

import streamlit as st

from tokenizer.errors import BadPattern
from tokenizer.i18n import tr
from tokenizer.text.anatomy import head
from tokenizer.text.well_formed import well_formed
from ui.components import notices
from ui.desk import desk, messages, pickers
from ui.desk.live_text import live_text
from ui.desk.strip import strip
from ui.unicode import page as anatomy

messages.turn_to_why()

with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
    entry = pickers.encoding()
    view = anatomy.VIEW.segmented(tr("Look at"), anatomy.VIEWS, width="content")

if view == "bytes":
    source = anatomy.hex_source()
    data, bad = anatomy.read(source)
    with st.container():  # also where it is empty, as in Decode
        notices.show_left_out(bad)
        if len(source) > anatomy.MOST_HEX:
            notices.show(
                tr(
                    "Only the first {most:,} of {n:,} characters are read. Delete some of them to see what follows.",
                    most=anatomy.MOST_HEX,
                    n=len(source),
                )
            )
    with st.container(key="stage"):
        st.html(anatomy.steps(data))
else:
    text = live_text()
    pickers.examples()
    if view == "forms":
        args = (anatomy.LOOKALIKES,)
        st.button(tr("Put a text with look-alikes on the desk"), key="look_alikes", on_click=desk.put, args=args)
    if text and view == "list":
        anatomy.listed(well_formed(text)[0])
    elif text:
        try:
            with st.container(key="stage", gap="xsmall"):
                st.html(anatomy.DRAW[view](sample := head(text), entry.encoding))
                if view == "lanes":
                    strip("lane", entry.encoding.tokenize(sample.text), entry)
        except BadPattern as error:  # one that somebody trained with, and that runs away on this text
            notices.show(str(error))
        if view == "lanes":
            st.button(tr("Why this split?"), key="hood_why", on_click=messages.ask_why, args=(entry.key, 0))
    else:
        st.caption(tr("Nothing to look at yet. Write something above, or try an example."))
