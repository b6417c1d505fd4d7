"""The main count of a page in large type, followed by a few other numbers."""

from html import escape

import streamlit as st

from tokenizer.i18n import number


def show(count: int, unit: str, *others: tuple[str, str]) -> None:
    """Draws a count with its unit; `others` are pairs of a formatted number and its unit."""
    st.html(html(count, unit, *others))


def html(count: int, unit: str, *others: tuple[str, str]) -> str:
    """Returns the count and the other numbers as HTML.

    >>> html(1, "token", ("3.00", "bytes per token"))
    '<dl class="hero"><div><dd>1</dd><dt>token</dt></div><div><dd>3.00</dd><dt>bytes per token</dt></div></dl>'
    """
    rows = [(number(count), unit), *others]
    return f'<dl class="hero">{"".join(f"<div><dd>{n}</dd><dt>{escape(label)}</dt></div>" for n, label in rows)}</dl>'
