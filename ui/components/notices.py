"""Warnings on the page, next to what they are about, with every character shown as it is."""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from html import escape

import streamlit as st

from tokenizer.errors import TokenizerError, enumerated, shown
from tokenizer.i18n import tr, trn

MAX_NAMES_CHARACTERS = 120  # of the names of files before a message
MAX_LISTED_ITEMS = 20


def show(message: str, details: list[str] | None = None) -> None:
    """Draws a message and a list of details.

    `st.warning` would read them as Markdown: a visitor's text could become a link, a picture or a formula.
    """
    st.html(html(message, details or []))


@contextmanager
def errors_shown() -> Iterator[None]:
    """Draws the message of a TokenizerError that ends the block, or the function that this decorates."""
    try:
        yield
    except TokenizerError as error:
        show(str(error))


def of_files(names: Collection[str], message: str) -> str:
    """Returns a message about files that begins with their names, unless one stands before its first colon.

    >>> of_files(["a.txt"], "It is empty. Bring a.txt."), of_files(["a.txt"], "Cannot load a.txt: it is empty.")
    ('a.txt: It is empty. Bring a.txt.', 'Cannot load a.txt: it is empty.')
    """
    head, colon, _ = message.partition(": ")
    if colon and any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", head) for name in names):
        return message
    listed = enumerated([shown(name)[1:-1] for name in names])[:MAX_NAMES_CHARACTERS]
    return tr("{name}: {reason}", name=listed, reason=message)


def show_left_out(bad: Sequence[object], has_rest: bool) -> None:
    """Draws which parts of the input could not be read: the first ones, and how many more there are."""
    if bad:
        more = [tr("and {n:,} more", n=len(bad) - MAX_LISTED_ITEMS)] if len(bad) > MAX_LISTED_ITEMS else []
        if has_rest:
            words = trn(
                "{n:,} item was left out; the rest is decoded:",
                "{n:,} items were left out; the rest is decoded:",
                len(bad),
            )
        else:
            words = trn(
                "{n:,} item was left out, so there is nothing to decode:",
                "{n:,} items were left out, so there is nothing to decode:",
                len(bad),
            )
        show(words, [*map(str, bad[:MAX_LISTED_ITEMS]), *more])


def html(message: str, details: list[str]) -> str:
    """Returns a message and its details as HTML.

    >>> html("<b>", ["http://a"])
    '<div class="say" role="alert"><p>&lt;b&gt;</p><ul><li>http://a</li></ul></div>'
    """
    items = "".join(f"<li>{escape(detail)}</li>" for detail in details)
    listed = f"<ul>{items}</ul>" if items else ""
    return f'<div class="say" role="alert"><p>{escape(message)}</p>{listed}</div>'
