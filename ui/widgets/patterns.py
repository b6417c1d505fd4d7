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

LONGEST_PATTERN, LONGEST_IN_ADDRESS = 2_000, 500  # characters

NONE, OWN = "none", "own"
OWN_START = r"\S+|\s+"  # the default of an own regular expression
PATTERN_LABELS = {name: name for name in PATTERNS} | {
    NONE: mark("none: the whole text is one piece"),
    OWN: mark("my own regex"),
}


lanes = cache.cached(drawing.lanes)  # a runaway pattern takes half a second each time


def own() -> str:
    """The own regular expression, in use or not."""
    return visitor().choices.get("own_pattern", OWN_START)


def keep_own(pattern: str) -> None:
    """Keeps an own regular expression; the field of the Train page takes it from there."""
    visitor().choices["own_pattern"] = pattern
    st.session_state.pop("own_pattern", None)


def as_typed() -> str | None:
    """The own regular expression, None while it is the default."""
    return None if own() == OWN_START else own()


def put_back(found: object) -> None:
    """Restores it from a tab, unless another page has restored a newer one; raises TypeError."""
    if own() == OWN_START:
        keep_own(page_snapshot.checked_text(found)[:LONGEST_PATTERN])


def use_own(pattern: str) -> None:
    """Chooses an own regular expression for the next training."""
    keep_own(pattern)
    PATTERN.choose(OWN)


def pattern_asked(asked: str) -> str:
    """Returns the choice that a link's pattern stands for: a known one, or OWN.

    >>> pattern_asked("gpt2"), pattern_asked("none"), pattern_asked("[a-z]+")
    ('gpt2', 'none', 'own')
    """
    if asked in PATTERNS or asked == NONE:
        return asked
    if len(asked) > LONGEST_IN_ADDRESS:
        raise InvalidValue(tr("at most {most} characters long", most=LONGEST_IN_ADDRESS))
    usable_pattern(asked, "")
    return OWN


def own_asked(asked: str) -> str:
    """Returns a link's pattern where it is an own regular expression, otherwise the default.

    >>> own_asked("[a-z]+"), own_asked("gpt2"), own_asked("[a-")
    ('[a-z]+', '\\\\S+|\\\\s+', '\\\\S+|\\\\s+')
    """
    try:
        return asked if pattern_asked(asked) == OWN else OWN_START
    except TokenizerError:
        return OWN_START  # PATTERN reports why


def _in_address(chosen: str) -> str | None:
    """The spelling in the address: an own regular expression is there in full, if it is not too long."""
    spelled = chosen if chosen != OWN else st.session_state.get("own_pattern") or own()
    return spelled if len(spelled) <= LONGEST_IN_ADDRESS else None


PATTERN = Choice("pattern", "cl100k_base", pattern_asked, _in_address)
OWN_PATTERN = Choice("own_pattern", OWN_START, own_asked, address="pattern")
