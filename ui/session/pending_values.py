"""Values that the server gave to widgets, applied again until the browser acknowledges them.

Until then the browser may still send what the widgets showed before, which would undo the choice.
"""

import time
from typing import Any

import streamlit as st

from ui.session.visitor_state import PendingValue, visitor

ACKNOWLEDGE_WITHIN_SECONDS = 20.0  # later messages of the browser count as choices


def set(widget: str, value: Any) -> None:
    """Gives the widget with this key a value, and keeps it until the browser has it."""
    _expect(widget, value)
    st.session_state[widget] = value


def mark_removed(widget: str) -> None:
    """Marks the value of a widget as removed, before it is: the browser may still send it."""
    _expect(widget, None)


def set_default(widget: str, value: Any) -> None:
    """Gives a widget without a value this one; if its value was removed, the browser must acknowledge the new one."""
    reapply(widget)
    known = visitor().widgets.pending.get(widget)
    is_removed = known is not None and known.value is None
    if st.session_state.get(widget) is not None:
        if is_removed:  # and was given another value meanwhile
            del visitor().widgets.pending[widget]
    elif is_removed:
        set(widget, value)
    else:
        st.session_state[widget] = value


def begin_again(widget: str, value: Any) -> None:
    """Gives a widget whose value was removed this one before it is drawn again.

    Streamlit forgets the key of a removed value, so `reapply` does not see that the browser has sent the value again.
    """
    known = visitor().widgets.pending.get(widget)
    if known is not None and known.value is None and widget not in st.session_state:
        set(widget, value)


def _expect(widget: str, value: Any) -> None:
    widgets = visitor().widgets
    known = widgets.pending.get(widget)
    earlier = [*known.before, known.value] if known else []
    before = [*earlier, st.session_state.get(widget)]
    widgets.last_number += 1
    until = time.monotonic() + ACKNOWLEDGE_WITHIN_SECONDS
    widgets.pending[widget] = PendingValue(value, before, widgets.last_number, until)


def is_stale(widget: str) -> bool:
    """Whether a widget holds what the browser sent before it had the pending value.

    Anything else that it sends, and anything after it acknowledged, is a new choice.
    """
    known, sent = visitor().widgets.pending.get(widget), st.session_state.get(widget)
    return known is not None and sent != known.value and sent in known.before and time.monotonic() < known.until


def reapply(widget: str) -> None:
    """Gives a widget with a stale value its pending value again, or removes the value again."""
    if is_stale(widget):
        if (value := visitor().widgets.pending[widget].value) is None:
            del st.session_state[widget]
        else:
            st.session_state[widget] = value


def reapply_all() -> None:
    for widget in visitor().widgets.pending:
        reapply(widget)


def resend(widget: str) -> None:
    """Sends a pending widget its value once more: the run that sent it may have been interrupted."""
    if widget in visitor().widgets.pending:
        st.session_state[widget] = st.session_state[widget]


def last_number() -> int | None:
    """Returns the number by which the browser acknowledges all pending values; None where there are none."""
    return max((one.number for one in visitor().widgets.pending.values()), default=None)


def acknowledge(number: Any) -> None:
    """Takes, in a callback, the number that the browser acknowledges."""
    for widget, known in list(visitor().widgets.pending.items()):
        if isinstance(number, int) and known.number <= number:
            if is_stale(widget):  # a slow browser acknowledges before its widgets have taken their values
                reapply(widget)
            else:
                del visitor().widgets.pending[widget]
