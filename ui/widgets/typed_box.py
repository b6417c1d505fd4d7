"""A box for a long choice such as ids, with an Undo for what a file, a link or a button has replaced there."""

from typing import Any

import streamlit as st

from tokenizer.i18n import tr
from ui.session import widget_events
from ui.session.choices import Choice
from ui.session.visitor_state import visitor
from ui.widgets import undo_button


def typed_box(choice: Choice, label: str, default: str, **more: Any) -> str:
    """Draws the box of a choice, and Undo while it shows what has replaced another value than its default."""
    choice.begin()
    before, now = visitor().widgets.noted_values.get(choice.name), st.session_state[choice.name]
    defaults, replaced = st.session_state.setdefault("box_defaults", {}), st.session_state.setdefault("boxes", {})
    if before not in (None, now, defaults.get(choice.name)):  # the callback of the box notes what is typed
        replaced[choice.name] = before, now
    typed = choice.ask(st.text_area, label, **more)
    defaults[choice.name] = default  # after `ask` has noted the value: the run may end in between
    if replaced.get(choice.name, ("", None))[1] == typed:
        with st.container(horizontal=True, vertical_alignment="center", key=f"undo_row_{choice.name}"):
            undo_button.offer(tr("Numbers replaced."), f"undo_{choice.name}", _undo, choice)
    return typed


def _undo(choice: Choice) -> None:
    """Restores the value, in a callback; a double click calls it twice."""
    if found := st.session_state.boxes.pop(choice.name, None):
        choice.choose(found[0])
        widget_events.note_value(choice.name, found[0])
