"""The visitor's desk: one text and one shelf of encodings, shared by all pages of a session."""

import secrets

import streamlit as st

from tokenizer.samples import samples

SHELF = ["cl100k_base", "o200k_base", "gpt2"]


def text() -> str:
    """The text on the desk, as the editor last gave it."""
    return _desk()["text"]


def shelf() -> list[str]:
    """The names of the encodings at hand, the one in use first."""
    return _desk()["shelf"]


def choices() -> dict[str, str]:
    """What was chosen on any page, by the name that it has in a link: `encoding`, `special`, …"""
    return _desk()["choices"]


def commit(text: str, push_id: str) -> None:
    """Keeps what the editor holds since it took the push of that id; the editor is not told.

    What was typed before a newer push, and arrives after it, is what `undo` brings back.
    """
    desk = _desk()
    desk["text" if push_id == desk["push"]["id"] else "before"] = text


def put(text: str) -> None:
    """Puts a text on the desk and into the editor; `undo` brings the one before back."""
    desk = _desk()
    desk["before"] = desk["text"]
    desk["text"] = text
    desk["push"] = {"id": secrets.token_hex(8), "text": text, "initial": False}


def can_undo() -> bool:
    """Whether `undo` has a text to bring back: the one on the desk is still as `put` left it."""
    desk = _desk()
    return desk["before"] is not None and desk["text"] == desk["push"]["text"]


def undo() -> None:
    """Brings back the text before the last `put`."""
    put(_desk()["before"])
    _desk()["before"] = None


def push() -> dict:
    """The last text that the page gave the editor: `{id, text, initial}`."""
    return _desk()["push"]


def _desk() -> dict:
    if "desk" not in st.session_state:
        first = samples()[0].text
        push = {"id": "first", "text": first, "initial": True}
        st.session_state.desk = {"text": first, "before": None, "push": push, "shelf": list(SHELF), "choices": {}}
    return st.session_state.desk
