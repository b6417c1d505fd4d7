"""The events that components send with a rerun."""

import streamlit as st


def sent(key: str, trigger: str) -> dict | None:
    """Returns the event that the component `key` sent with this rerun; None where the page has changed since.

    Nothing is lost then: the browser still has what it showed.
    """
    state = st.session_state.get(key)
    return state[trigger] if state and trigger in state else None
