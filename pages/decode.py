"""Paste ids, get text."""

import streamlit as st

from tokenizer.encoding.idlist import read_ids
from ui.decode import page as decoded
from ui.desk import desk, pickers
from ui.kit import hero, notices

with st.container(horizontal=True, vertical_alignment="bottom", key="desk_options"):
    entry = pickers.encoding()
encoding = entry.encoding
ids, bad = read_ids(decoded.source(encoding), encoding)

with st.container():  # also where it is empty: what stands below is replaced in its place, and never seen twice
    notices.say_left_out(bad)
if ids:
    text, size = encoding.decode(ids), len(encoding.decode_bytes(ids))
    with st.container(key="stage"):
        ratio, distinct = (f"{size / len(ids):.2f}", "bytes per token"), (f"{len(set(ids)):,}", "distinct tokens")
        hero.show(len(ids), "token", (f"{len(text):,}", "characters"), (f"{size:,}", "bytes"), ratio, distinct)
        decoded.tokens(ids, entry)
    if encoding.unknown_id in ids:
        sign = " shows as �. It" if encoding.decode([encoding.unknown_id]) == "\ufffd" else ""
        st.caption(f"The unknown token{sign} stands for text that is not in the vocabulary, and is lost.")
    elif "\ufffd" in text:
        st.caption("Bytes that are not UTF-8 show as �: these ids begin or end inside a character, or never make one.")
    if st.button("Read this text in the playground"):
        desk.put(text)
        st.switch_page("playground.py")
    decoded.rows(ids, entry)
else:
    st.caption("Nothing to decode yet. Paste some ids, such as `[9906, 1917]`.")
