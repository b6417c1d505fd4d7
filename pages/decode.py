"""Decode: token ids to text."""

import streamlit as st

from tokenizer.encoding.id_list import notes, parse_ids
from tokenizer.i18n import number, tr, trn
from ui.components import headline_metric, notices
from ui.decode import page as decoded
from ui.session import pending_action
from ui.session.visitor_state import visitor
from ui.widgets import pickers

with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
    entry = pickers.encoding()
encoding = entry.encoding
source = decoded.source(encoding)

ids, bad = [], []
with st.container(), notices.errors_shown():  # drawn even if empty, so that the elements below keep their places
    ids, bad = parse_ids(source, encoding)
    notices.show_left_out(bad, bool(ids))
    for note in notes(source, encoding):
        st.caption(note)
if ids:
    text, size, distinct = encoding.decode(ids), len(encoding.decode_bytes(ids)), len(set(ids))
    with st.container(key="stage"):
        others = (
            (number(len(text)), trn("character", "characters", len(text))),
            (number(size), trn("byte", "bytes", size)),
            (number(size / len(ids), ".2f"), tr("bytes per token")),
            (number(distinct), trn("distinct token", "distinct tokens", distinct)),
        )
        headline_metric.show(len(ids), trn("token", "tokens", len(ids)), *others)
        decoded.tokens(ids, entry)
    if encoding.unknown_id in ids:
        if encoding.decode([encoding.unknown_id]) == "\ufffd":
            st.caption(
                tr("The unknown token, shown as �, replaces text that is not in the vocabulary; that text is lost.")
            )
        else:
            st.caption(tr("The unknown token replaces text that is not in the vocabulary; that text is lost."))
    elif "\ufffd" in text:
        st.caption(
            tr(
                "� stands for bytes that are not valid UTF-8 (a token begins or ends inside a character, or its bytes "
                "belong to no character), or is itself a character of the text."
            )
        )
    if pending_action.button(tr("Open this text in the Playground"), key="read_decoded"):
        visitor().put_text(text)
        st.switch_page("playground.py")
    decoded.rows(ids, entry)
elif not bad:
    example = encoding.encode("Hello world") or encoding.ids()[:2]  # some leave out what their pattern does not match
    st.caption(tr("Nothing to decode yet. Paste some ids, such as `{ids}`.", ids=example))
