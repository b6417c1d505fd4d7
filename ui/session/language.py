"""The language of the interface: chosen in the bar or in the link, otherwise the browser's."""

import streamlit as st

from tokenizer import i18n
from ui.session.choices import Choice, one_of
from ui.session.visitor_state import visitor
from ui.streamlit_patches import visitors

CHOICE = Choice("lang", i18n.SOURCE_LANGUAGE, one_of(i18n.languages()))


def begin() -> None:
    """Sets the language of the link, or that of the browser, where none was chosen."""
    if CHOICE.name not in {**visitor().choices, **st.query_params}:
        visitor().choices[CHOICE.name] = preferred_tag(st.context.locale)
    CHOICE.begin()


def preferred_tag(locale: str | None) -> str:
    """Returns the language for a browser that asks for `locale`, a BCP 47 tag.

    >>> preferred_tag("th-TH"), preferred_tag("tlh"), preferred_tag(None)
    ('th', 'en', 'en')
    """
    tags = (locale or "", (locale or "").partition("-")[0])
    return next((tag for tag in tags if tag in i18n.languages()), i18n.SOURCE_LANGUAGE)


i18n.set_language_source(lambda: st.session_state.get(CHOICE.name) if visitors.runs_script() else None)
