"""What the page has to say about something that went wrong, in the place where it did."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from tokenizer.i18n import tr, trn


def show(message: str, details: list[str] | None = None) -> None:
    """Shows a message, and details as a list, with every character as it is.

    Not `st.warning`: that reads Markdown, where words of a visitor's could become links, pictures or formulas.
    """
    st.html(html(message, details or []))


def show_left_out(bad: Sequence[object], most: int = 20) -> None:
    """Says that some of what was typed or pasted was not read; the first ones with what is wrong."""
    if bad:
        more = [tr("and {n:,} more", n=len(bad) - most)] if len(bad) > most else []
        words = trn("{n:,} item left out; the rest is decoded:", "{n:,} items left out; the rest is decoded:", len(bad))
        show(words, [*map(str, bad[:most]), *more])


def html(message: str, details: list[str]) -> str:
    """Returns the message as HTML.

    >>> html("<b>", ["http://a"])
    '<div class="say" role="alert"><p>&lt;b&gt;</p><ul><li>http://a</li></ul></div>'
    """
    items = "".join(f"<li>{escape(detail)}</li>" for detail in details)
    listed = f"<ul>{items}</ul>" if items else ""
    return f'<div class="say" role="alert"><p>{escape(message)}</p>{listed}</div>'
