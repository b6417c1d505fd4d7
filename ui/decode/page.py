"""Ids that were decoded, a row each; a selected one leads to the reason why its text is cut there."""

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
from ui.widgets import encoding_component
from ui.widgets.token_strip import token_strip

NO_ANSWER = mark(
    "Why a text would be cut at these tokens cannot be told: together their bytes are not UTF-8, so there is no text"
    " that a pattern could have cut."
)
MOST_IN_ADDRESS = 1_000  # characters
MOST_OF_DESK = 2_000  # characters of the desk's text whose ids the box begins with
IDS = Choice("ids", "", lambda asked: asked or None, lambda ids: ids if len(ids) <= MOST_IN_ADDRESS else None)


def source(encoding: Encoding) -> str:
    """Asks for ids, and returns what was written; the box begins with those of the desk's text."""
    IDS.begin()
    if st.session_state.ids in (None, visitor().choices.get("ids_beginning")):
        beginning = " ".join(map(str, _of_desk(encoding)))
        visitor().choices["ids"] = visitor().choices["ids_beginning"] = st.session_state.ids = beginning
    words = tr("Numbers. Commas, brackets and line endings between them do not matter.")
    return IDS.ask(st.text_area, tr("Token ids"), height="content", help=words)


def _of_desk(encoding: Encoding) -> list[int]:
    """The ids of the text on the desk, or of its beginning; none where a split pattern of one's own fails on it."""
    try:
        return encoding.encode(visitor().text[:MOST_OF_DESK], visitor().choices.get("special", "text"))
    except TokenizerError:
        return []


def _too_long() -> str | None:
    """The ids as they are written where the address has no room for them."""
    written = visitor().choices.get(IDS.name) or ""
    return written if len(written) > MOST_IN_ADDRESS else None


page_snapshot.register("decode", "ids", _too_long, lambda found: IDS.choose(page_snapshot.checked_text(found)))


def table(ids: list[int], encoding: Encoding) -> pd.DataFrame:
    """Returns a row an id: its bytes in hex, its text where it is UTF-8 alone; the unknown token has neither."""
    pieces = [encoding.token_bytes(id) if id != encoding.unknown_id else None for id in ids]
    return pd.DataFrame(
        {
            "id": ids,
            "bytes": ["" if piece is None else piece.hex(" ").upper() for piece in pieces],
            "text": [tr("unknown") if piece is None else spelled(piece) for piece in pieces],
        }
    )


def spelled(piece: bytes) -> str:
    r"""Returns a token's text in quotes, or its bytes where it is not UTF-8 alone.

    >>> spelled(b" the"), spelled(b"\xe0\xb8")
    ("' the'", "b'\\xe0\\xb8'")
    """
    text = as_text(piece)
    return repr(piece if text is None else text)


def tokens(ids: list[int], entry: StoredEncoding) -> None:
    """Shows the ids as tokens of a text, to be looked at where their bytes are one."""
    if found := decode_with_spans(ids, entry.encoding):
        token_strip("decoded", found, entry, why_text.IDS)
    else:
        st.html(decoded_strip(ids, entry.encoding))
        if (text := entry.encoding.model.text_of(ids)) is not None:
            words = f"<bdi>{escape(readable(text.encode(), 4_000))}</bdi>"
            st.html(f"<p>{tr('Put together: {text}', text=words)}</p>")


@st.fragment
def rows(ids: list[int], entry: StoredEncoding) -> None:
    """Shows the ids as a table, numbered from 1, and answers for the one that is selected."""
    encoding_component.go_to_requested_why()
    text = as_text(entry.encoding.decode_bytes(ids))
    above = st.container(horizontal=True, vertical_alignment="center", key="selected_id")
    st.caption(tr(NO_ANSWER) if text is None else tr("Select a row to ask why the text is cut there."))
    found = table(ids, entry.encoding).set_axis(pd.RangeIndex(1, len(ids) + 1, name="token"))
    if text is None:
        st.dataframe(found, column_config=_heads())
        return
    shown = st.dataframe(
        found,
        column_config=_heads(),
        key=f"{hash((entry.key, tuple(ids)))}_selection",  # another list begins with nothing selected
        hide_index=False,
        on_select="rerun",
        selection_mode="single-row",
    )
    if shown.selection.rows:
        with above:
            _offer(shown.selection.rows[0], ids, entry, text)


def _heads() -> dict[str, str]:
    return {"token": tr("token"), "id": tr("id"), "bytes": tr("bytes"), "text": tr("text")}


def _offer(k: int, ids: list[int], entry: StoredEncoding, text: str) -> None:
    encoding = entry.encoding
    words = escape(readable(encoding.token_bytes(ids[k]), 80))
    facts = {"number": k + 1, "total": len(ids), "token": f"<bdi><b>{words}</b></bdi>", "id": ids[k]}
    st.html(f"<p>{tr('Token {number:,} of {total:,}: {token}, id {id}', **facts)}</p>", width="content")
    if ids[k] in encoding.special_tokens.values():
        st.caption(tr("A special token: no pattern cut it, and no merges made it."), width="content")
        return
    try:
        asked = why_text.checked(text, why_text.IDS)
    except TokenizerError as error:
        notices.show(str(error))
        return
    at = len(encoding.decode_bytes(ids[:k]))
    st.button(tr("Why this split?"), key="why_id", on_click=encoding_component.request_why, args=(entry.key, at, asked))
    if encoding.encode(text) != ids:
        st.caption(tr("Encoding this text gives other ids; the answer is about those."), width="content")
