"""The knobs of a training: how large a vocabulary, from what, cut how, which pair first."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from tokenizer import PATTERNS, TokenizerError
from ui import cached
from ui.desk import choices, desk
from ui.kit import notices
from ui.train.checks import (
    ALPHABETS,
    MOST_VOCABULARY,
    beginning,
    checked_name,
    checked_size,
    special_tokens,
    usable_pattern,
)

LONGEST_PATTERN, LONGEST_IN_ADDRESS = 2_000, 500  # characters

NONE, OWN = "none", "own"
OWN_START = r"\S+|\s+"  # what a regular expression of one's own begins as: something that works
PATTERN_LABELS = {name: name for name in PATTERNS} | {NONE: "none: the whole text is one piece", OWN: "my own regex"}
TIES = {  # by whom a rule is known, which of the pairs with the same count it takes, and who else does so
    "first-seen": ("minbpe", "the pair that stands first in the text", "minbpe does"),
    "largest-bytes": ("Stanford CS336", "the pair with the larger bytes", "Stanford’s CS336 asks"),
    "smallest-ids": ("Hugging Face", "the pair with the smaller ids", "Hugging Face’s tokenizers do"),
}
MIN_COUNTS = {False: "1", True: "2"}  # whether training stops before pairs that occur once, as the address spells it
IN_MORE = ("pattern", "alphabet", "ties", "min_count", "specials")

WRONG = object()  # stands for a choice that cannot be used, which has been said


@dataclass(frozen=True)
class Recipe:
    """All that a training needs beside its text, checked; `name` is what the new encoding is called."""

    vocab_size: int
    pattern: str | None
    ties: str
    alphabet: str
    min_count: int
    special_tokens: tuple[str, ...]
    name: str


def recipe(sample: str, default_name: str) -> Recipe | None:
    """Draws the knobs over what the patterns do to `sample`; None if one of them is wrong, which is said beside it."""
    _begin()
    size, size_said = _vocab_size(), st.container()
    more = st.expander("More choices", key="more_choices", on_change="rerun")
    with more, st.container(gap="xsmall"):
        pattern = _pattern(beginning(sample))
        alphabet, ties, min_count = _alphabet(), _ties(), _min_count()
        specials = _checked(special_tokens, _specials())
        name = _checked(checked_name, _name(f"{default_name}-{size}"))
    with size_said:
        size = _checked(checked_size, size, alphabet)
    if any(choice is WRONG for choice in (pattern, specials, name)) and not more.open:
        notices.say("Something under “More choices” cannot be used. Open it and correct that.")
    chosen = (size, pattern, ties, alphabet, min_count, specials, name)
    return None if any(choice is WRONG for choice in chosen) else Recipe(*chosen)


def _begin() -> None:
    """Brings all choices from the desk or the address, and opens the expander over what is wrong in one."""
    choices.begin("vocab_size", "512", size_asked)
    choices.begin("own_pattern", OWN_START, own_asked, "pattern")
    choices.begin("pattern", "cl100k_base", pattern_asked)
    choices.begin("alphabet", "bytes", choices.one_of("alphabet", ALPHABETS))
    choices.begin("ties", "first-seen", choices.one_of("ties", TIES))
    choices.begin("min_count", "2", min_count_asked)
    choices.begin("specials", "<|endoftext|>", specials_asked)
    if "more_choices" not in st.session_state:
        st.session_state.more_choices = any(map(choices.has_problem, IN_MORE))


# The knobs, from above


def _vocab_size() -> int:
    choices.say_problem("vocab_size")
    chosen = st.number_input(
        "Vocabulary size",
        value=None,
        step=1,  # and no bounds: the browser would show a number beyond them, and we would go on with the one before
        help="How many tokens: the base symbols (256 bytes, or the characters of the text) and one for each merge."
        " Special tokens come on top.",
        **choices.lasting("vocab_size"),
    )
    return choices.keep("vocab_size", chosen)


def _pattern(sample: str) -> str | None | object:
    choices.say_problem("pattern")
    chosen = st.selectbox(
        "Split pattern",
        list(PATTERN_LABELS),
        format_func=PATTERN_LABELS.get,
        help="It cuts the text into pre-tokens. No merge crosses from one to the next.",
        **choices.lasting("pattern", _pattern_in_address),
    )
    chosen = choices.keep("pattern", chosen)
    own = _own_pattern(sample) if chosen == OWN else _spare_pattern(sample)
    if sample:
        _lanes(sample, chosen, own)
    return {NONE: None, OWN: own}.get(chosen, chosen)


def _own_pattern(sample: str) -> str | object:
    typed = st.text_input(
        "My own regex",
        max_chars=LONGEST_PATTERN,
        help="In the dialect of Python’s `regex` module. What it does not match is a pre-token, too.",
        **choices.lasting("own_pattern", _pattern_in_address, "pattern"),
    )
    return _checked(usable_pattern, choices.keep("own_pattern", typed), sample)


def _spare_pattern(sample: str) -> str | object:
    """One's own pattern while another is chosen, for comparison; then it does no harm if it is wrong."""
    try:
        own = usable_pattern(desk.choices()["own_pattern"], sample)
    except TokenizerError:
        return WRONG
    return WRONG if own == OWN_START else own


def _lanes(sample: str, chosen: str, own: str | object) -> None:
    patterns = [(name, name) for name in PATTERNS] + [(NONE, None)]
    if own is not WRONG:
        patterns.append((PATTERN_LABELS[OWN], own))
    st.caption(f"What each makes of the first {len(sample):,} characters of the text:")
    st.html(cached.lanes(sample, patterns, PATTERN_LABELS[OWN] if chosen == OWN else chosen))


def _alphabet() -> str:
    choices.say_problem("alphabet")
    chosen = st.segmented_control("Alphabet", list(ALPHABETS), required=True, **choices.lasting("alphabet"))
    st.caption(
        "With bytes nothing is ever lost. With characters, one that the training text lacks has no token,"
        " and is decoded as �."
    )
    return choices.keep("alphabet", chosen)


def _ties() -> str:
    choices.say_problem("ties")
    chosen = st.selectbox(
        "Of pairs with the same count",
        list(TIES),
        format_func=lambda rule: f"{rule} ({TIES[rule][0]})",
        **choices.lasting("ties"),
    )
    chosen = choices.keep("ties", chosen)
    _, pair, as_whom = TIES[chosen]
    st.caption(f"T{pair[1:]} is merged first, as {as_whom}.")
    return chosen


def _min_count() -> int:
    choices.say_problem("min_count")
    stop = st.toggle("Stop when no pair occurs twice", **choices.lasting("min_count", MIN_COUNTS.get))
    return int(MIN_COUNTS[choices.keep("min_count", stop)])


def _specials() -> str:
    choices.say_problem("specials")
    typed = st.text_input(
        "Special tokens",
        help="Separated by spaces. Their ids come after all others.",
        **choices.lasting("specials", _specials_in_address),
    )
    return choices.keep("specials", typed)


def _name(default: str) -> str:
    """Asks for the name, which follows the other choices until it is edited, and again when it is emptied."""
    st.session_state.trained_name = desk.choices().get("trained_name") or default
    st.text_input("Name of the new encoding", key="trained_name", on_change=_keep_name, args=(default,))
    return st.session_state.trained_name


def _keep_name(default: str) -> None:
    typed = st.session_state.trained_name
    desk.choices()["trained_name"] = "" if typed == default else typed


# Between a knob, the desk and the address


def _pattern_in_address(chosen: str) -> str | None:
    """A pattern of one's own stands there in full, if it is one and not too long."""
    if chosen != OWN:
        return chosen
    own = st.session_state.get("own_pattern", desk.choices()["own_pattern"])
    return own if own_asked(own) == own else None


def _specials_in_address(typed: str) -> str | None:
    try:
        return specials_asked(typed)
    except TokenizerError:
        return None


def _checked(check: Callable[..., Any], *typed: Any) -> Any:
    """What a check makes of what was typed; WRONG if it finds a fault, which is said here."""
    if any(value is WRONG for value in typed):
        return WRONG
    try:
        return check(*typed)
    except TokenizerError as error:
        notices.say(str(error))
        return WRONG


# What the address may ask


def size_asked(asked: str) -> int:
    """Returns the vocabulary size that a link asks for.

    >>> size_asked("512")
    512
    """
    smallest = min(ALPHABETS.values())
    if not re.fullmatch(r"[0-9]{1,9}", asked) or not smallest <= int(asked) <= MOST_VOCABULARY:
        raise choices.BadLink("vocab_size", asked, f"a whole number from {smallest:,} to {MOST_VOCABULARY:,}")
    return int(asked)


def min_count_asked(asked: str) -> bool:
    """Returns whether training stops before pairs that occur once.

    >>> min_count_asked("2"), min_count_asked("1")
    (True, False)
    """
    return choices.one_of("min_count", ["1", "2"])(asked) == MIN_COUNTS[True]


def pattern_asked(asked: str) -> str:
    """Returns the choice that a link's pattern is: a known one, or one's own.

    >>> pattern_asked("gpt2"), pattern_asked("none"), pattern_asked("[a-z]+")
    ('gpt2', 'none', 'own')
    """
    if asked in PATTERNS or asked == NONE:
        return asked
    if len(asked) > LONGEST_IN_ADDRESS:
        raise choices.BadLink("pattern", asked, f"at most {LONGEST_IN_ADDRESS} characters long")
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


def specials_asked(asked: str) -> str:
    """Returns what a link asks for as special tokens, if they can be.

    >>> specials_asked("<|end|>")
    '<|end|>'
    """
    special_tokens(asked)
    return asked
