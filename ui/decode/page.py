"""Ids that were decoded, a row each; a selected one leads to the reason why its text is cut there."""

from html import escape

import pandas as pd
import streamlit as st

from tokenizer import Encoding
from tokenizer.display.readable import readable
from tokenizer.errors import TokenizerError
from ui.desk import messages, own_text
from ui.kit import notices
from ui.server.shelf import Entry

NO_ANSWER = (
    "Why a text is cut at one of these tokens cannot be told: their bytes are not UTF-8 together, so they are no text"
    " that a pattern could have cut."
)


def table(ids: list[int], encoding: Encoding) -> pd.DataFrame:
    """Returns a row an id: its bytes in hex, its text where it is UTF-8 alone; the unknown token has neither."""
    pieces = [encoding.token_bytes(id) if id != encoding.unknown_id else None for id in ids]
    return pd.DataFrame(
        {
            "id": ids,
            "bytes": ["" if piece is None else piece.hex(" ").upper() for piece in pieces],
            "text": ["unknown" if piece is None else spelled(piece) for piece in pieces],
        }
    )


def spelled(piece: bytes) -> str:
    r"""Returns a token's text in quotes, or its bytes where it is not UTF-8 alone.

    >>> spelled(b" the"), spelled(b"\xe0\xb8")
    ("' the'", "b'\\xe0\\xb8'")
    """
    try:
        return repr(piece.decode())
    except UnicodeDecodeError:
        return repr(piece)


def rows(ids: list[int], entry: Entry) -> None:
    """Shows the ids as a table, numbered from 1, and answers for the one that is selected."""
    encoding = entry.encoding
    found = table(ids, encoding)
    found.index = pd.RangeIndex(1, len(ids) + 1, name="token")
    text = text_of(ids, encoding)
    if text is None:
        st.caption(NO_ANSWER)
        st.dataframe(found)
    else:
        _rows(found, ids, entry, text)


def text_of(ids: list[int], encoding: Encoding) -> str | None:
    """Returns the text that ids are together; None where their bytes are not UTF-8.

    >>> from tokenizer import get_encoding
    >>> text_of([64, 19567], get_encoding("gpt2")), text_of([64, 64], get_encoding("gpt2"))
    (None, 'aa')
    """
    try:
        return encoding.decode_bytes(ids).decode()
    except UnicodeDecodeError:
        return None


@st.fragment
def _rows(found: pd.DataFrame, ids: list[int], entry: Entry, text: str) -> None:
    messages.turn_to_why()
    above = st.container(horizontal=True, vertical_alignment="center", key="selected_id")
    st.caption("Select a row to ask why the text is cut there.")
    shown = st.dataframe(
        found,
        key=f"rows_{hash((entry.key, tuple(ids)))}",  # another list begins with nothing selected
        hide_index=False,
        on_select="rerun",
        selection_mode="single-row",
    )
    if shown.selection.rows:
        with above:
            _offer(shown.selection.rows[0], ids, entry, text)


def _offer(k: int, ids: list[int], entry: Entry, text: str) -> None:
    encoding = entry.encoding
    st.html(f"<p>{named(k, ids, encoding)}</p>", width="content")
    if ids[k] in encoding.special_tokens.values():
        st.caption("A special token: no pattern cut it, and no merges made it.", width="content")
        return
    try:
        asked = own_text.read(text, own_text.IDS)
    except TokenizerError as error:
        notices.say(str(error))
        return
    at = len(encoding.decode_bytes(ids[:k]))
    st.button("Why this split?", key="why_id", on_click=messages.ask_why, args=(entry.key, at, asked))
    if encoding.encode(text) != ids:
        st.caption("The encoder makes other ids of this text; its own are told of there.", width="content")


def named(k: int, ids: list[int], encoding: Encoding) -> str:
    """Returns which token of a list it is, as HTML.

    >>> from tokenizer import get_encoding
    >>> named(1, [15496, 995], get_encoding("gpt2"))
    'Token 2 of 2: <bdi><b>·world</b></bdi>, id 995'
    """
    words = escape(readable(encoding.token_bytes(ids[k]), 80))
    return f"Token {k + 1:,} of {len(ids):,}: <bdi><b>{words}</b></bdi>, id {ids[k]}"
