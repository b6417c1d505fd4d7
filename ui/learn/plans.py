"""Plans for teachers: which lessons fit into 45, 90 and 180 minutes."""

from html import escape

import streamlit as st

from tokenizer.lessons.lesson import BESIDE_LESSONS, lesson_names, plans, steps_of_plan, words
from tokenizer.lessons.wording import Words


def draw(page: Words) -> None:
    """Draws each plan as a list of lessons with their minutes."""
    with st.expander(page.text("plans")):
        st.html(f'<div class="learn-plans">{"".join(_plan(*plan, page) for plan in plans().items())}</div>')


def _plan(minutes: int, parts: dict[str, int], page: Words) -> str:
    rows = "".join(f"<li>{escape(_part(minutes, name, own, page))}</li>" for name, own in parts.items())
    return f"<section><h3>{escape(page.text('plan', minutes=minutes))}</h3><ul>{rows}</ul></section>"


def _part(plan: int, name: str, minutes: int, page: Words) -> str:
    if name in BESIDE_LESSONS:
        return page.text(f"plan_{name}", minutes=minutes)
    number, title = lesson_names().index(name) + 1, words(name, page.language).text("title")
    steps = ", ".join(map(str, steps_of_plan(plan, name)))
    part = page.text("plan_part", number=number, title=title, minutes=minutes)
    return part + (page.text("plan_steps", numbers=steps) if steps else "")
