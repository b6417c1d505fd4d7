"""The reader's language: chosen in the bar, in the link, or else the browser's wish."""

import streamlit as st

from tokenizer import i18n
from ui.desk import desk
from ui.desk.choices import Choice, one_of
from ui.streamlit_patches import visitors

CHOICE = Choice("lang", i18n.ORIGINAL, one_of(i18n.languages()))


def begin() -> None:
    """Begins in the language of the link, or that of the browser, where nobody chose another."""
    if CHOICE.name not in {**desk.choices(), **st.query_params}:
        desk.choices()[CHOICE.name] = wished(st.context.locale)
    CHOICE.begin()


def wished(locale: str | None) -> str:
    """Returns the language that serves a reader whose browser asks for `locale`, a BCP 47 tag.

    >>> wished("th-TH"), wished("tlh"), wished(None)
    ('th', 'en', 'en')
    """
    tags = (locale or "", (locale or "").partition("-")[0])
    return next((tag for tag in tags if tag in i18n.languages()), i18n.ORIGINAL)


def _spoken() -> str | None:
    """What this visitor's language is; None outside of a page."""
    return st.session_state.get(CHOICE.name) if visitors.runs_script() else None


i18n.ask(_spoken)
