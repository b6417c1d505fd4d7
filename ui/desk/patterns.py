"""The split pattern that a reader chooses: a known one, none, or a regular expression of one's own."""

import streamlit as st

from tokenizer import PATTERNS, TokenizerError
from tokenizer.display import lanes as drawing
from tokenizer.i18n import mark, tr
from tokenizer.split.patterns import usable_pattern
from ui.components import cache
from ui.desk import carried, desk
from ui.desk.choices import Choice, Unwanted

LONGEST_PATTERN, LONGEST_IN_ADDRESS = 2_000, 500  # characters

NONE, OWN = "none", "own"
OWN_START = r"\S+|\s+"  # what a regular expression of one's own begins as: something that works
PATTERN_LABELS = {name: name for name in PATTERNS} | {
    NONE: mark("none: the whole text is one piece"),
    OWN: mark("my own regex"),
}


lanes = cache.cached(drawing.lanes)  # a pattern that runs away takes half a second each time


def own() -> str:
    """The regular expression of one's own, whether it is in use or not."""
    return desk.choices().get("own_pattern", OWN_START)


def keep_own(pattern: str) -> None:
    """Keeps a regular expression of one's own; the Train page's field takes it from the desk."""
    desk.choices()["own_pattern"] = pattern
    st.session_state.pop("own_pattern", None)


def as_typed() -> str | None:
    """The regular expression of one's own where there is one."""
    return None if own() == OWN_START else own()


def put_back(found: object) -> None:
    """Keeps what the tab has kept of it for a page, if no other page has put back a newer one; raises TypeError."""
    if own() == OWN_START:
        keep_own(carried.as_text(found)[:LONGEST_PATTERN])


def use_own(pattern: str) -> None:
    """Chooses it for the next training."""
    keep_own(pattern)
    PATTERN.choose(OWN)


def pattern_asked(asked: str) -> str:
    """Returns the choice that a link's pattern is: a known one, or one's own.

    >>> pattern_asked("gpt2"), pattern_asked("none"), pattern_asked("[a-z]+")
    ('gpt2', 'none', 'own')
    """
    if asked in PATTERNS or asked == NONE:
        return asked
    if len(asked) > LONGEST_IN_ADDRESS:
        raise Unwanted(tr("at most {most} characters long", most=LONGEST_IN_ADDRESS))
    usable_pattern(asked, "")
    return OWN


def own_asked(asked: str) -> str:
    """Returns the regular expression that a link's pattern is, or the one to start with.

    >>> own_asked("[a-z]+"), own_asked("gpt2"), own_asked("[a-")
    ('[a-z]+', '\\\\S+|\\\\s+', '\\\\S+|\\\\s+')
    """
    try:
        return asked if pattern_asked(asked) == OWN else OWN_START
    except TokenizerError:
        return OWN_START  # `pattern` says why


def _in_address(chosen: str) -> str | None:
    """One's own stands there in full, if it is not too long."""
    spelled = chosen if chosen != OWN else st.session_state.get("own_pattern") or own()
    return spelled if len(spelled) <= LONGEST_IN_ADDRESS else None


PATTERN = Choice("pattern", "cl100k_base", pattern_asked, _in_address)
OWN_PATTERN = Choice("own_pattern", OWN_START, own_asked, address="pattern")
