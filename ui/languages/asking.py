"""What more than one view of the Languages page asks."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from tokenizer.i18n import tr
from tokenizer.languages.parallel import languages
from ui.session import why_text
from ui.session.choices import Choice, some_of
from ui.session.visitor_state import visitor
from ui.session.widget_events import labelled
from ui.widgets import encoding_component, names

T = TypeVar("T")


def several_languages(key: str, label: str, first: Sequence[str], least: int, most: int) -> list[str]:
    """Asks for the tags of `least` to `most` languages, `first` at first; with fewer, those before stay chosen."""
    known = languages()
    choice = Choice(
        key,
        ",".join(first),
        some_of(known, least=least, most=most),
        ",".join,
        is_made=lambda chosen: len(chosen or ()) >= least,
    )
    return choice.ask(st.multiselect, label, list(known), format_func=lambda tag: known[tag].name, max_selections=most)


def seen_in(key: str, encodings: Sequence[StoredEncoding]) -> StoredEncoding:
    """Asks in which of the encodings sentences are cut; that stays chosen while it is one of them."""
    called = dict(zip((entry.key for entry in encodings), names.models(encodings).values(), strict=True))
    chosen = one_of_those_there(key, tr("Cut by"), called)
    return next(entry for entry in encodings if entry.key == chosen)


def one_of_those_there(key: str, label: str, called: Mapping[T, str], width: int | str = "stretch") -> T:
    """Asks for one of a few by their names; it stays chosen while it is there, and the first stands in for it."""
    if st.session_state.get(key) not in called:  # a list that was not drawn for a while has but its name
        before = visitor().choices.get(key)
        st.session_state[key] = before if before in called else next(iter(called))
    chosen = st.selectbox(label, **labelled(key, list(called), called.get), persist_state="session", width=width)
    visitor().choices[key] = chosen
    return chosen


def why_button(key: str, entry: StoredEncoding, sentence: str) -> None:
    """Draws the button that asks why a sentence is cut so."""
    asked = entry.key, 0, why_text.checked(sentence, why_text.SENTENCE)
    st.button(tr("Why this split?"), key=key, on_click=encoding_component.request_why, args=asked)
