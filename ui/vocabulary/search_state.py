"""The search in a vocabulary: its filters and the selected token, kept in the visitor's state and the address."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from server.vocabulary import query
from server.vocabulary.query import DEFAULTS, BadQuery
from tokenizer.i18n import tr
from ui.session.choices import Choice, InvalidValue


def _checked(name: str, value: str) -> str:
    value = query.RENAMED.get(value, value) if name in ("made", "script") else value
    try:
        query.query(DEFAULTS | {name: value})
    except BadQuery as error:
        raise InvalidValue(error.expected) from None
    return value


def _checked_id(value: str) -> str:
    if value and not (value.isascii() and value.isdigit() and len(value) < 10):
        raise InvalidValue(tr("a token’s id, with at most 9 digits"))
    return value


def _choice(name: str, default: str, check: Callable[[str], str]) -> Choice:
    """Returns a choice that is in the address unless it has its default value."""
    return Choice(name, default, check, lambda chosen: None if chosen == default else chosen)


CHOICES = {name: _choice(name, default, partial(_checked, name)) for name, default in DEFAULTS.items()}
CHOICES["token"] = _choice("token", "", _checked_id)


def begin(entry: StoredEncoding) -> list[str]:
    """Reads the address; returns the errors in it. Deselects the token when the encoding changes."""
    if CHOICES["token"].chosen is None:  # that of the address is one of this encoding
        st.session_state["vocabulary_of"] = entry.key
    for choice in CHOICES.values():
        choice.begin()
    if st.session_state.setdefault("vocabulary_of", entry.key) != entry.key:
        st.session_state["vocabulary_of"] = entry.key
        CHOICES["token"].choose("")
    return [choice.problem for choice in CHOICES.values() if choice.problem]


def current() -> dict[str, str]:
    """Returns the current values by their names in the address."""
    return {name: st.session_state[name] for name in CHOICES}


def take(sent: object) -> None:
    """Stores the values that the table's component sent; ignores invalid ones, and the token of another vocabulary."""
    of = st.session_state.get("vocabulary_of")
    for name, value in sent.items() if isinstance(sent, dict) else ():
        if name == "token" and of and sent.get("key", of) != of:  # it was sent while this vocabulary was prepared
            continue
        if name in CHOICES and isinstance(value, str) and len(value) < query.MAX_QUERY_CHARACTERS:
            try:
                CHOICES[name].choose(CHOICES[name].of(value))
            except query.TokenizerError:
                continue


def search(**fields: str) -> None:
    """Starts another search, in a callback: the other filters get their defaults, the order stays."""
    for name, default in DEFAULTS.items():
        if name != "sort_by" or name in fields:
            CHOICES[name].choose(fields.get(name, default))
    if "token" in fields:
        CHOICES["token"].choose(fields["token"])
    st.session_state["vocabulary_push"] = push() + 1


def push() -> int:
    """Returns the number of searches that the script started: the component then takes its values over."""
    return st.session_state.get("vocabulary_push", 0)
