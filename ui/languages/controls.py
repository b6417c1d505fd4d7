"""Input widgets that several views of the Languages page share."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import streamlit as st

from server.encodings.encoding_store import StoredEncoding
from tokenizer.i18n import tr
from tokenizer.languages.parallel import languages
from ui.session import pending_values, why_text
from ui.session.choices import Choice, some_of
from ui.session.visitor_state import visitor
from ui.session.widget_events import labelled, resolve_labels
from ui.widgets import encoding_component, names

T = TypeVar("T")


def select_languages(key: str, label: str, first: Sequence[str], min_languages: int, max_languages: int) -> list[str]:
    """Draws a multiselect of languages; returns the selected tags, `first` by default.

    With fewer than `min_languages` selected, the last valid selection stays in use.
    """
    known = languages()
    choice = Choice(
        key,
        ",".join(first),
        some_of(known, least=min_languages, most=max_languages),
        ",".join,
        is_made=lambda chosen: len(chosen or ()) >= min_languages,
    )
    more = {"max_selections": max_languages, "select_all": False}
    return choice.ask(st.multiselect, label, list(known), format_func=lambda tag: known[tag].name, **more)


def select_encoding(key: str, encodings: Sequence[StoredEncoding]) -> StoredEncoding:
    """Draws a select box for the encoding that cuts the sentences; returns the selected one."""
    labels = dict(zip((entry.key for entry in encodings), names.models(encodings).values(), strict=True))
    chosen = select_option(key, tr("Model"), labels)
    return next(entry for entry in encodings if entry.key == chosen)


def select_option(key: str, label: str, labels: Mapping[T, str], width: int | str = "stretch") -> T:
    """Draws a select box of labelled options; while the visitor's choice is not among them, the first is selected."""
    if st.session_state.get(key) not in labels:  # after a while without being drawn, its state is a label
        before = visitor().choices.get(key)
        st.session_state[key] = before if before in labels else next(iter(labels))
    options = labelled(key, list(labels), labels.get) | {"on_change": _choose}
    chosen = st.selectbox(label, **options, persist_state="session", width=width)
    visitor().choices[key] = chosen
    return chosen


def _choose(key: str) -> None:
    """Stores the choice in the callback of the list: the next message may end the run before the list is drawn."""
    resolve_labels(key)
    pending_values.reapply(key)
    visitor().choices[key] = st.session_state[key]


def why_button(key: str, entry: StoredEncoding, sentence: str) -> None:
    """Draws the button that opens the page Why with a sentence."""
    target = entry.key, 0, why_text.checked(sentence, why_text.SENTENCE)
    st.button(tr("Why this split?"), key=key, on_click=encoding_component.request_why, args=target)
