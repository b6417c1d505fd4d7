"""The count that a page is about: the largest thing after the text, and a few numbers beside it."""

from html import escape

import streamlit as st

from tokenizer.i18n import number


def show(count: int, unit: str, *others: tuple[str, str]) -> None:
    """Shows a count in its unit, and other numbers, each with what it counts."""
    st.html(html(count, unit, *others))


def html(count: int, unit: str, *others: tuple[str, str]) -> str:
    """Returns them as HTML.

    >>> html(1, "token", ("3.00", "bytes per token"))
    '<dl class="hero"><div><dd>1</dd><dt>token</dt></div><div><dd>3.00</dd><dt>bytes per token</dt></div></dl>'
    """
    rows = [(number(count), unit), *others]
    return f'<dl class="hero">{"".join(f"<div><dd>{n}</dd><dt>{escape(what)}</dt></div>" for n, what in rows)}</dl>'
