"""The count that a page is about: the largest thing after the text, and a few numbers beside it."""

import streamlit as st


def show(count: int, unit: str, *others: tuple[str, str]) -> None:
    """Shows a count in its unit, and other numbers, each with what it counts."""
    st.html(html(count, unit, *others))


def html(count: int, unit: str, *others: tuple[str, str]) -> str:
    """Returns them as HTML; a unit is a noun in the singular that takes an s.

    >>> html(1, "token", ("3.00", "bytes per token"))
    '<dl class="hero"><div><dd>1</dd><dt>token</dt></div><div><dd>3.00</dd><dt>bytes per token</dt></div></dl>'
    """
    numbers = [(f"{count:,}", unit + "s" * (count != 1)), *others]
    return f'<dl class="hero">{"".join(f"<div><dd>{n}</dd><dt>{what}</dt></div>" for n, what in numbers)}</dl>'
