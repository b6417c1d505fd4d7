"""Under the hood: the characters and bytes of a text, bytes decoded to a text, and ids with their pairs."""

import streamlit as st

from tokenizer.i18n import tr
from tokenizer.text.anatomy import head
from tokenizer.text.well_formed import well_formed
from ui.components import notices
from ui.session.visitor_state import visitor
from ui.unicode import id_merging, page, views
from ui.widgets import encoding_component, pickers
from ui.widgets.live_text import live_text
from ui.widgets.token_strip import token_strip

encoding_component.go_to_requested_why()

with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
    view = page.VIEW.segmented(tr("View"), page.VIEWS, width="content")
    if view in page.VIEWS_OF_TEXT:
        entry = pickers.encoding(opens_text=True)
    else:
        pickers.ENCODING.begin()  # keeps the one that a link names

if view == "bytes":
    source = page.hex_source()
    data, bad = page.read(source)
    with st.container():  # drawn even if empty, so that the elements below keep their places
        notices.show_left_out(bad, bool(data))
        if len(source) > page.MAX_HEX_CHARACTERS:
            notices.show(
                tr(
                    "Only the first {most:,} of {n:,} characters are read. To see the rest, delete characters at "
                    "the beginning.",
                    most=page.MAX_HEX_CHARACTERS,
                    n=len(source),
                )
            )
    with st.container(key="stage"):
        st.html(views.steps(data))
elif view == "merge":
    id_merging.show()
else:
    text = live_text()
    pickers.examples()
    if view == "forms":
        args = (page.LOOKALIKES,)
        st.button(
            tr("Try a text with look-alike characters"), key="look_alikes", on_click=visitor().put_text, args=args
        )
    if text and view == "list":
        page.listed(well_formed(text)[0])
    elif text:
        # the pattern of a trained encoding may exceed its time limit on this text
        with notices.errors_shown(), st.container(key="stage", gap="xsmall"):
            st.html(views.DRAW[view](sample := head(text), entry.encoding))
            if view == "lanes":
                token_strip("lane", entry.encoding.tokenize(sample.text), entry)
        if view == "lanes":
            st.button(
                tr("Why this split?"), key="hood_why", on_click=encoding_component.request_why, args=(entry.key, 0)
            )
        else:
            st.caption(page.unicode_version())
    else:
        st.caption(tr("No text yet. Write something above, or try an example."))
