"""The input of token ids, their tokens, and a table whose selected row leads to the page Why."""

from html import escape

import pandas as pd
import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from tokenizer import Encoding
from tokenizer.display.readable import readable
from tokenizer.display.strip import decoded_strip
from tokenizer.encoding.id_list import decode_with_spans
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.text.well_formed import as_text
from ui.components import notices
from ui.session import page_snapshot, why_text
from ui.session.choices import Choice
from ui.session.visitor_state import visitor
from ui.streamlit_patches import visitors
from ui.widgets import encoding_component, pickers
from ui.widgets.token_strip import token_strip
from ui.widgets.typed_box import typed_box

NOT_UTF8 = mark(
    "The page “Why this split” cannot explain these tokens: their bytes together are not valid UTF-8, so no text"
    " produces these tokens."
)
MAX_ADDRESS_CHARACTERS = 1_000
MAX_EXAMPLE_CHARACTERS = 2_000  # of the visitor's text, whose ids are the default
IDS = Choice("ids", "", lambda ids: ids or None, lambda ids: ids if len(ids) <= MAX_ADDRESS_CHARACTERS else None)


def source(encoding: Encoding) -> str:
    """Draws the input of ids and returns its text; by default, it has the ids of the visitor's text."""
    IDS.begin()
    if st.session_state.ids in (None, visitor().choices.get("ids_beginning")):
        beginning = " ".join(map(str, _default_ids(encoding)))
        visitor().choices["ids"] = visitor().choices["ids_beginning"] = st.session_state.ids = beginning
    words = tr("Type or paste numbers, with spaces, commas, brackets or line endings between the numbers.")
    default = visitor().choices.get("ids_beginning", "")
    return typed_box(IDS, tr("Token ids"), default, height="content", help=words)


def _default_ids(encoding: Encoding) -> list[int]:
    """Returns the ids of the beginning of the visitor's text; none if the encoding's own split pattern fails on it."""
    try:
        return encoding.encode(visitor().text[:MAX_EXAMPLE_CHARACTERS], pickers.SPECIAL.chosen or "text")
    except TokenizerError:
        return []


page_snapshot.register_long("decode", IDS)


def table(ids: list[int], encoding: Encoding) -> pd.DataFrame:
    """Returns one row per id: its bytes in hex and its text, or its bytes if they are not UTF-8 by themselves."""
    pieces = [encoding.token_bytes(id) if id != encoding.unknown_id else None for id in ids]
    return pd.DataFrame(
        {
            "id": ids,
            "text": [tr("unknown") if piece is None else readable(piece) for piece in pieces],
            "bytes": ["" if piece is None else piece.hex(" ").upper() for piece in pieces],
        }
    )


def tokens(ids: list[int], entry: StoredEncoding) -> None:
    """Draws the tokens of the ids, with the loupe if their bytes together are UTF-8."""
    if found := decode_with_spans(ids, entry.encoding):
        token_strip("decoded", found, entry, why_text.IDS)
    else:
        st.html(decoded_strip(ids, entry.encoding))
        if (text := entry.encoding.model.text_of(ids)) is not None:
            words = f"<bdi>{escape(readable(text.encode(), 4_000))}</bdi>"
            st.html(f"<p>{tr('All ids decoded together: {text}', text=words)}</p>")


@st.fragment
def rows(ids: list[int], entry: StoredEncoding) -> None:
    """Draws the ids as a table, numbered from 1, and the link to the page Why for the selected one."""
    visitors.draw_changed_page()
    encoding_component.go_to_requested_why()
    text = as_text(entry.encoding.decode_bytes(ids))
    above = st.container(horizontal=True, vertical_alignment="center", key="selected_id")
    st.caption(
        tr(NOT_UTF8) if text is None else tr("Select a row to see why that token begins and ends where it does.")
    )
    found = table(ids, entry.encoding).set_axis(pd.RangeIndex(1, len(ids) + 1, name="no."))
    if text is None:
        st.dataframe(found, column_config=_heads())
        return
    shown = st.dataframe(
        found,
        column_config=_heads(),
        key=f"{hash((entry.key, tuple(ids)))}_selection",  # a new key for each list resets the selection
        hide_index=False,
        on_select="rerun",
        selection_mode="single-row",
    )
    if shown.selection.rows:
        with above:
            _draw_why_button(shown.selection.rows[0], ids, entry, text)


def _heads() -> dict:
    id = st.column_config.NumberColumn(tr("id"), alignment="left")  # below its head
    return {"no.": tr("position"), "id": id, "text": tr("text"), "bytes": tr("bytes")}


@notices.errors_shown()
def _draw_why_button(k: int, ids: list[int], entry: StoredEncoding, text: str) -> None:
    encoding = entry.encoding
    words = escape(readable(encoding.token_bytes(ids[k]), 80))
    facts = {"number": k + 1, "total": len(ids), "token": f"<bdi><b>{words}</b></bdi>", "id": ids[k]}
    st.html(f"<p>{tr('Token {number:,} of {total:,}: {token}, id {id}', **facts)}</p>", width="content")
    if ids[k] in encoding.special_tokens.values():
        st.caption(tr("This is a special token: neither the split pattern nor the merges make it."), width="content")
        return
    args = entry.key, len(encoding.decode_bytes(ids[:k])), why_text.checked(text, why_text.IDS)
    st.button(tr("Why this split?"), key="why_id", on_click=encoding_component.request_why, args=args)
    if encoding.encode(text) != ids:
        st.caption(
            tr("If this text is encoded again, the ids differ from yours. “Why this split?” explains the new ids."),
            width="content",
        )
