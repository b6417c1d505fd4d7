"""What more than one view of the Languages page asks."""

from collections.abc import Sequence

import streamlit as st

from tokenizer.languages.parallel import languages
from ui.desk import messages, own_text
from ui.desk.choices import Choice, some_of
from ui.server.shelf import Entry


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


def seen_in(key: str, encodings: Sequence[Entry]) -> Entry:
    """Asks in which of the encodings sentences are cut; that stays chosen while it is one of them."""
    by_key = {entry.key: entry for entry in encodings}
    if st.session_state.get(key) not in by_key:
        st.session_state[key] = next(iter(by_key))
    chosen = st.selectbox(
        "Tokens of", list(by_key), key=key, format_func=lambda one: by_key[one].name, persist_state="session"
    )
    return by_key[chosen]


def why_button(key: str, entry: Entry, sentence: str) -> None:
    """Draws the button that asks why a sentence is cut so."""
    asked = entry.key, 0, own_text.read(sentence, own_text.SENTENCE)
    st.button("Why this split?", key=key, on_click=messages.ask_why, args=asked)
