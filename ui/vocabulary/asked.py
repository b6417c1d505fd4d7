"""What a reader asks of a vocabulary: it stays on the desk and in the address, and the page may ask for him."""

from functools import partial

import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from server.vocabulary import query
from server.vocabulary.query import DEFAULTS, BadQuery
from tokenizer.i18n import tr
from ui.session.choices import Choice, InvalidValue


def _read(name: str, written: str) -> str:
    try:
        query.query(DEFAULTS | {name: written})
    except BadQuery as error:
        raise InvalidValue(error.wanted) from None
    return written


def _read_id(written: str) -> str:
    if written and not (written.isascii() and written.isdigit() and len(written) < 10):
        raise InvalidValue(tr("the number of a token"))
    return written


def _choice(name: str, begins: str, read: partial) -> Choice:
    """A choice that stands in the address unless it is as at first."""
    return Choice(name, begins, read, lambda chosen: None if chosen == begins else chosen)


CHOICES = {name: _choice(name, begins, partial(_read, name)) for name, begins in DEFAULTS.items()}
CHOICES["token"] = _choice("token", "", _read_id)


def begin(entry: StoredEncoding) -> list[str]:
    """Takes what the address asks for; returns what is wrong with it. A token is one of this encoding alone."""
    for choice in CHOICES.values():
        choice.begin()
    if st.session_state.setdefault("vocabulary_of", entry.key) != entry.key:
        st.session_state["vocabulary_of"] = entry.key
        CHOICES["token"].choose("")
    return [choice.problem for choice in CHOICES.values() if choice.problem]


def now() -> dict[str, str]:
    """What is asked now, by the names that links have for it."""
    return {name: st.session_state[name] for name in CHOICES}


def take(sent: object) -> None:
    """Takes what the reader has asked in the table; what cannot be asked is left out."""
    for name, value in sent.items() if isinstance(sent, dict) else ():
        if name in CHOICES and isinstance(value, str) and len(value) < query.MAX_QUERY_CHARACTERS:
            try:
                CHOICES[name].choose(CHOICES[name].of(value))
            except query.TokenizerError:
                continue


def ask(**wanted: str) -> None:
    """Asks for something else, in a callback: of what is not named, all."""
    for name, begins in DEFAULTS.items():
        if name != "sort_by" or name in wanted:
            CHOICES[name].choose(wanted.get(name, begins))
    if "token" in wanted:
        CHOICES["token"].choose(wanted["token"])
    st.session_state["vocabulary_push"] = push() + 1


def push() -> int:
    """How often the page has asked for something by itself."""
    return st.session_state.get("vocabulary_push", 0)
