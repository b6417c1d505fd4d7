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
from ui.unicode import page, views

messages.turn_to_why()

with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
    entry = pickers.encoding()
    view = page.VIEW.segmented(tr("Look at"), page.VIEWS, width="content")

if view == "bytes":
    source = page.hex_source()
    data, bad = page.read(source)
    with st.container():  # also where it is empty, as in Decode
        notices.show_left_out(bad)
        if len(source) > page.MAX_HEX_CHARACTERS:
            notices.show(
                tr(
                    "Only the first {most:,} of {n:,} characters are read. Delete some of them to see what follows.",
                    most=page.MAX_HEX_CHARACTERS,
                    n=len(source),
                )
            )
    with st.container(key="stage"):
        st.html(views.steps(data))
else:
    text = live_text()
    pickers.examples()
    if view == "forms":
        args = (page.LOOKALIKES,)
        st.button(tr("Put a text with look-alikes on the desk"), key="look_alikes", on_click=desk.put, args=args)
    if text and view == "list":
        page.listed(well_formed(text)[0])
    elif text:
        try:
            with st.container(key="stage", gap="xsmall"):
                st.html(views.DRAW[view](sample := head(text), entry.encoding))
                if view == "lanes":
                    strip("lane", entry.encoding.tokenize(sample.text), entry)
        except BadPattern as error:  # one that somebody trained with, and that runs away on this text
            notices.show(str(error))
        if view == "lanes":
            st.button(tr("Why this split?"), key="hood_why", on_click=messages.ask_why, args=(entry.key, 0))
    else:
        st.caption(tr("Nothing to look at yet. Write something above, or try an example."))
