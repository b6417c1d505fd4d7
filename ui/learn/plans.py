"""Plans for teachers: which lessons fit into 45, 90 and 180 minutes."""

from html import escape

import streamlit as st

from tokenizer.lessons.lesson import PAUSE, lesson_names, plans, words
from tokenizer.lessons.wording import Words


def draw(page: Words) -> None:
    """Draws each plan as a list of lessons with their minutes."""
    with st.expander(page.text("plans")):
        st.html(f'<div class="learn-plans">{"".join(_plan(*plan, page) for plan in plans().items())}</div>')


def _plan(minutes: int, parts: dict[str, int], page: Words) -> str:
    rows = "".join(f"<li>{escape(_part(name, own, page))}</li>" for name, own in parts.items())
    return f"<section><h3>{escape(page.text('plan', minutes=minutes))}</h3><ul>{rows}</ul></section>"


def _part(name: str, minutes: int, page: Words) -> str:
    if name == PAUSE:
        return page.text("plan_pause", minutes=minutes)
    number = lesson_names().index(name) + 1
    return page.text("plan_part", number=number, title=words(name, page.language).text("title"), minutes=minutes)
