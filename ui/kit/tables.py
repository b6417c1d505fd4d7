"""Tables and lists that pages show."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from tokenizer import Encoding
from tokenizer.encoding.idlist import BadId

SHOWN = 20
COLUMNS = {"metric", "unit", "line", "text", "graphemes"}  # that tables have beside those of the encodings


def ids(ids: list[int], encoding: Encoding) -> pd.DataFrame:
    """Returns a row an id: its bytes in hex, its text where it is UTF-8 alone."""
    pieces = [encoding.token_bytes(id) for id in ids]
    return pd.DataFrame(
        {
            "id": ids,
            "bytes": [piece.hex(" ").upper() for piece in pieces],
            "text": [spelled(piece) for piece in pieces],
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


def apart(names: list[str]) -> list[str]:
    """Tells names apart that are there twice, as one trained here and one from a link, or that head a column."""
    names = [f"{name} (encoding)" if name in COLUMNS else name for name in names]
    return [f"{name} ({names[: i + 1].count(name)})" if names.count(name) > 1 else name for i, name in enumerate(names)]


def bad_ids(bad: list[BadId]) -> tuple[str, list[str]]:
    """Returns, in words, that items of a pasted list were left out, and which and why, the first of them one by one."""
    details = [f"item {one.position:,}, {one.item[:40]!r}: {one.reason}" for one in bad[:SHOWN]]
    more = [f"and {len(bad) - SHOWN:,} more"] if len(bad) > SHOWN else []
    return f"Left out, {len(bad):,} of what was pasted; the rest is decoded:", details + more


def download(label: str, write: Callable[[], str], name: str) -> None:
    """Draws a button that writes a CSV file when it is pressed, and not before."""
    st.download_button(label, write, name, "text/csv", on_click="ignore", key=name)


def to_csv(frame: pd.DataFrame) -> str:
    """Returns a table as CSV."""
    return frame.to_csv(index=False, lineterminator="\n")
