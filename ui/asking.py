"""What components send with a rerun, and answers to their questions where the route cannot be reached."""

import base64

import streamlit as st

from tokenizer.errors import TokenizerError
from ui import choices, desk, shelf
from ui.answers import answer


def sent(key: str, trigger: str) -> dict | None:
    """What the component `key` sent with this rerun. Its last words may come when the page has turned, and are not
    kept then: the browser still has what it showed."""
    state = st.session_state.get(key)
    return state[trigger] if state and trigger in state else None


def take_why(key: str) -> None:
    """Hears that the reader of the component `key` wants to know why an encoding cuts at a byte of its text."""
    why = sent(key, "why")
    if not isinstance(why, dict) or not isinstance(why.get("at"), int):
        return
    try:
        shelf.find(str(why["key"]))
    except TokenizerError:  # it was removed in the meantime
        return
    desk.commit(why["text"], why["push"])
    choices.choose("encoding", why["key"], why["key"])
    st.session_state.why_at = why["at"]


def turn_to_why() -> None:
    """Turns to the page that answers, if a reader has just asked."""
    if (at := st.session_state.pop("why_at", None)) is not None:
        st.switch_page("why.py", query_params={"encoding": desk.choices()["encoding"], "at": str(at)})


def reply(key: str) -> None:
    """Answers a question that could not take the route; it came with this rerun, and its answer goes with it."""
    if not (ask := sent(key, "ask")):
        return
    found = {"number": ask["number"]}
    try:
        body = answer(ask["name"], ask["parameters"], base64.b64decode(ask["body"]))
        found["body"] = base64.b64encode(body).decode()
    except TokenizerError as error:
        found["error"] = str(error)
    st.session_state[f"{key}_answer"] = found


def last_reply(key: str) -> dict | None:
    """The last answer to the component `key`; it knows by the number whether it still waits for it."""
    return st.session_state.get(f"{key}_answer")
