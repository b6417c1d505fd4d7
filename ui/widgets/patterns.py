"""The choice of a split pattern: a known one, none, or an own regular expression."""

import streamlit as st

from tokenizer import PATTERNS, TokenizerError
from tokenizer.display import lanes as drawing
from tokenizer.i18n import mark, tr
from tokenizer.split.patterns import usable_pattern
from ui.components import cache
from ui.session import page_snapshot
from ui.session.choices import Choice, InvalidValue
from ui.session.visitor_state import visitor

MAX_PATTERN_CHARACTERS, MAX_ADDRESS_CHARACTERS = 2_000, 500

NONE, OWN = "none", "own"
OWN_START = r"\S+|\s+"  # the default of an own regular expression
PATTERN_LABELS = {name: name for name in PATTERNS} | {
    NONE: mark("none: the whole text is one pre-token"),
    OWN: mark("my own regex"),
}


lanes = cache.cached(drawing.lanes)  # a catastrophic pattern takes its time limit of half a second only once


def own() -> str:
    """Returns the own regular expression, in use or not."""
    return visitor().choices.get("own_pattern", OWN_START)


def keep_own(pattern: str) -> None:
    """Stores an own regular expression; the input on the page Train then shows it."""
    visitor().choices["own_pattern"] = pattern
    st.session_state.pop("own_pattern", None)


def as_typed() -> str | None:
    """Returns the own regular expression, None while it is the default."""
    return None if own() == OWN_START else own()


def restore(found: object) -> None:
    """Restores the own regular expression of a tab, unless there is one already; raises TypeError."""
    if own() == OWN_START:
        keep_own(page_snapshot.checked_text(found)[:MAX_PATTERN_CHARACTERS])


def use_own(pattern: str) -> None:
    """Chooses an own regular expression for the next training."""
    keep_own(pattern)
    PATTERN.choose(OWN)


def pattern_choice(value: str) -> str:
    """Returns the choice that a link's pattern stands for: a known one, or OWN.

    >>> pattern_choice("gpt2"), pattern_choice("none"), pattern_choice("[a-z]+")
    ('gpt2', 'none', 'own')
    """
    if value in PATTERNS or value == NONE:
        return value
    if len(value) > MAX_ADDRESS_CHARACTERS:
        raise InvalidValue(tr("at most {most} characters long", most=MAX_ADDRESS_CHARACTERS))
    usable_pattern(value, "")
    return OWN


def own_pattern(value: str) -> str:
    """Returns a link's pattern where it is an own regular expression, otherwise the default.

    >>> own_pattern("[a-z]+"), own_pattern("gpt2"), own_pattern("[a-")
    ('[a-z]+', '\\\\S+|\\\\s+', '\\\\S+|\\\\s+')
    """
    try:
        return value if pattern_choice(value) == OWN else OWN_START
    except TokenizerError:
        return OWN_START  # PATTERN reports why


def _address_value(chosen: str) -> str | None:
    """Returns the value in the address: an own regular expression in full, or None if it is too long."""
    value = chosen if chosen != OWN else st.session_state.get("own_pattern") or own()
    return value if len(value) <= MAX_ADDRESS_CHARACTERS else None


PATTERN = Choice("pattern", "cl100k_base", pattern_choice, _address_value)
OWN_PATTERN = Choice("own_pattern", OWN_START, own_pattern, address="pattern")
