"""Presses that a page answers itself while it is drawn, by turning to another: kept until that page has come.

Whatever is said right after a press stops the run that would have answered it; then the next one does. So what answers
may be done twice, and must come to the same. What is pressed on one page is no business of another.
"""

import streamlit as st


def button(label: str, key: str, **more) -> bool:
    """Draws a button; returns whether it was pressed, in every run until the press is forgotten."""
    st.button(label, key=key, on_click=keep, args=(key,), **more)
    return is_kept(key)


def keep(what: str) -> None:
    """Keeps, in a callback, that something was pressed or asked for on the page that is there."""
    st.session_state.kept_press = (what, st.session_state.get("page"))


def is_kept(what: str) -> bool:
    """Whether it was, and is not answered yet."""
    return st.session_state.get("kept_press") == (what, st.session_state.get("page"))


def forget() -> None:
    """Forgets what was pressed: it is answered, or the whole page was drawn and nobody did.

    Where more was said, this is where the run stops: what was pressed meanwhile is not forgotten.
    """
    st.session_state.pop("kept_press", None)
