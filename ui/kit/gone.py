"""Widgets that have left the page: what a browser tells of them that has not heard of it is no news if it is as it was.

Streamlit forgets what such a widget held, and so takes what is told of it for a change, and calls back who listens: a
row of buttons for three encodings, gone with the text that it was for, undid a choice in the list beside it.
"""

from typing import Any

from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.session_state import _is_stale_widget

from ui.kit.hearing import beside

PLAIN = ("string_value", "string_array_value", "bool_value", "int_value", "double_value")  # no file
MOST_GONE, LONGEST = 1_000, 1_000  # widgets of a visitor that are known, and characters of what one held

remove, has_changed = SessionState._remove_stale_widgets, SessionState._widget_changed


def remove_stale(self: SessionState, there: frozenset[str]) -> None:
    """Forgets the widgets that have left the page, and notes what those held to which somebody listens."""
    if context := get_script_run_ctx():
        held = gone(self)
        for widget in {*self._old_state, *self._new_widget_state}:
            known = self._new_widget_state.widget_metadata.get(widget)
            is_heard = known and known.callback and known.value_type in PLAIN
            if is_heard and _is_stale_widget(known, there, context.fragment_ids_this_run):
                held.pop(widget, None)
                value = self._new_widget_state.get(widget, self._old_state.get(widget))
                if len(str(value)) <= LONGEST:
                    held[widget] = value
        while len(held) > MOST_GONE:
            del held[next(iter(held))]
    remove(self, there)


def is_news(self: SessionState, widget: str) -> bool:
    """Whether what is told of a widget differs from what it held, be it on the page or gone."""
    held, is_gone = gone(self), widget not in self._old_state
    if is_gone and widget in held and held[widget] == self._new_widget_state.get(widget):
        return False
    return has_changed(self, widget)


def gone(state: SessionState) -> dict[str, Any]:
    """Returns what widgets of a visitor's held as they left the page, by their ids."""
    return beside(state).setdefault("_gone", {})
