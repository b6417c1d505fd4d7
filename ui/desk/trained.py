"""Which trained encoding the Train page is about, for that page and for those that lead there."""

import streamlit as st

from server.shelf import OfTraining
from ui.desk import desk, held


def take(found: OfTraining) -> None:
    """Puts a trained encoding on the desk and shows it; says which others had to make room."""
    say(desk.take(found))
    show(found.key)


def say(problem: str | None) -> None:
    """Says what came of a training, if something is to be said; the timeline forgets what it waits for."""
    st.session_state.training_problem = problem
    st.session_state.trainings_ended = st.session_state.get("trainings_ended", 0) + 1


def show(key: str) -> None:
    """Makes this trained encoding the one that the page is about, also where its list still tells another."""
    desk.choices()["trained"] = key
    held.hold("trained", key)


def chosen() -> None:
    """Takes what the list tells, in its callback, if that is news."""
    if held.is_late("trained"):
        held.mend("trained")
    else:
        show(st.session_state.trained)
