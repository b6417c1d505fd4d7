"""The trained encoding that the Train page shows, for that page and for those that lead there."""

import streamlit as st

from server.encodings.encoding_store import FromTraining
from ui.session import pending_values
from ui.session.visitor_state import visitor


def add(found: FromTraining) -> None:
    """Adds a trained encoding to the visitor's own and selects it; reports which others were removed to make room."""
    report(visitor().add_encoding(found))
    select(found.key)


def report(problem: str | None) -> None:
    """Reports the end of a training, with a problem or none; the timeline stops waiting for it."""
    st.session_state.training_problem = problem
    st.session_state.trainings_ended = st.session_state.get("trainings_ended", 0) + 1


def select(key: str) -> None:
    """Selects a trained encoding, also while the browser may still send another from its list."""
    visitor().choices["trained"] = key
    pending_values.set("trained", key)


def select_from_list() -> None:
    """Selects the value of the list, in its callback, unless it is stale."""
    if pending_values.is_stale("trained"):
        pending_values.reapply("trained")
    else:
        select(st.session_state.trained)
