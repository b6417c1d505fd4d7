"""What components send with a rerun: a text, the encodings of a visitor before a reload."""

from contextlib import suppress

import streamlit as st

from server.encodings import encoding_store
from tokenizer.errors import TokenizerError
from ui.session.visitor_state import MAX_OWN_ENCODINGS, visitor


def sent(key: str, trigger: str) -> dict | None:
    """Returns what the component `key` sent with this rerun, None where the page has changed since.

    Nothing is lost then: the browser still has what it showed.
    """
    state = st.session_state.get(key)
    return state[trigger] if state and trigger in state else None


def commit_text(key: str) -> None:
    """Keeps the text that the component `key` sent with this rerun."""
    if commit := sent(key, "commit"):
        visitor().commit_text(commit["text"], commit["name"], commit["push"])


def restore_encodings(key: str) -> None:
    """Adds the own encodings that the visitor had before a reload, as the component `key` sends them; some are gone."""
    keys = sent(key, "made")
    for made in keys[:MAX_OWN_ENCODINGS] if isinstance(keys, list) else ():
        with suppress(TokenizerError):
            if isinstance(made, str) and encoding_store.is_made(made) and made not in visitor().own_encodings:
                visitor().add_encoding(encoding_store.find(made))
