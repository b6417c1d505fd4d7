"""Pending actions: a press that the page answers later in its run, by opening another page.

Streamlit stops the run that would have answered it when another message arrives; the next run answers it then. So the
answer may be given twice, and must be the same both times. A press counts only on the page on which it was made.
"""

import streamlit as st

from ui.session.visitor_state import visitor


def button(label: str, key: str, **more) -> bool:
    """Draws a button; returns whether it was pressed, in every run until the press is cleared."""
    st.button(label, key=key, on_click=request, args=(key,), **more)
    return is_requested(key)


def request(action: str) -> None:
    """Stores, in a callback, an action that was requested on the page that is shown."""
    visitor().pending_action = (action, visitor().page)


def is_requested(action: str) -> bool:
    """Whether the action was requested on this page and is not answered yet."""
    return visitor().pending_action == (action, visitor().page)


def clear() -> None:
    """Removes the action: it is answered, or the whole page was drawn without an answer.

    A run that another message interrupts stops as it looks up the visitor, so that nothing newer is removed.
    """
    visitor().pending_action = None
