"""What was chosen for a reader, held until his browser has heard of it: it may yet tell what widgets showed before."""

import time
from dataclasses import dataclass
from typing import Any

import streamlit as st

from ui.kit.component import component

KEY = "held"
PATIENCE = 20.0  # seconds, after which a browser has heard or never will

_component = component(__file__, "held")


@dataclass
class Held:
    """What a widget is to hold, what the browser may still tell of it, and the number under which it is confirmed."""

    value: Any
    before: list[Any]
    number: int
    until: float


def hold(widget: str, value: Any) -> None:
    """Gives a widget of Streamlit's, by its key, a value, and keeps it until the browser has it."""
    _expect(widget, value)
    st.session_state[widget] = value


def leave(widget: str) -> None:
    """Takes what a widget has for gone, before it is: the browser may yet tell it."""
    _expect(widget, None)


def begin(widget: str, value: Any) -> None:
    """Gives a widget that has no value this one, against what it had before, if that was left."""
    known = all_held().get(widget)
    is_left = known is not None and known.value is None
    if st.session_state.get(widget) is not None:
        if is_left:  # and was given another value meanwhile
            del all_held()[widget]
    elif is_left:
        hold(widget, value)
    else:
        st.session_state[widget] = value


def _expect(widget: str, value: Any) -> None:
    known = all_held().get(widget)
    before = [*(known.before if known else ()), st.session_state.get(widget)]
    st.session_state["held_number"] = number = st.session_state.get("held_number", 0) + 1
    all_held()[widget] = Held(value, before, number, time.monotonic() + PATIENCE)


def is_late(widget: str) -> bool:
    """Whether a widget holds what the browser told before it heard of the value that is held.

    What it tells is news if it is something else, or comes after it has heard.
    """
    known, told = all_held().get(widget), st.session_state.get(widget)
    return known is not None and told != known.value and told in known.before and time.monotonic() < known.until


def mend(widget: str) -> None:
    """Gives a widget that is late its value again."""
    if is_late(widget):
        st.session_state[widget] = all_held()[widget].value


def repeat(widget: str) -> None:
    """Has a list told what it holds until the browser has heard: a run that told it may have been cut short."""
    if widget in all_held():
        st.session_state[widget] = st.session_state[widget]


@st.fragment  # what the browser says interrupts no run of the page, and begins none
def attend() -> None:
    """Lets the browser say when it has heard of all that is held; called when the page is drawn."""
    number = max((one.number for one in all_held().values()), default=None)
    _component(key=KEY, data={"number": number}, on_heard_change=_hear)


def all_held() -> dict[str, Held]:
    """What is held, by the keys of the widgets."""
    return st.session_state.setdefault("all_held", {})


def _hear() -> None:
    heard = (st.session_state.get(KEY) or {}).get("heard")  # the page that said so may be gone
    for widget, known in list(all_held().items()):
        if isinstance(heard, int) and known.number <= heard:
            if is_late(widget):  # a browser that is slow says so before its widgets have taken what they were given
                mend(widget)
            else:
                del all_held()[widget]
