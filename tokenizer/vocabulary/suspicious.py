"""Tokens whose text looks out of place: a rule of thumb that reads nothing but the text."""

from collections.abc import Callable

import numpy as np
import regex

from tokenizer.vocabulary.facts import ORDINARY, Facts
from tokenizer.words import mark

# Rules that a text is tried by, each with the sentence that says it.
RULES: dict[str, tuple[str, Callable[[str], object]]] = {
    "name": (
        mark("letters run together like a user’s name: capitals or digits within a word of eight letters or more"),
        regex.compile(r"^ ?(?=[\p{L}\p{N}_]{8,}$)\p{L}.*(?:\p{Ll}\p{Lu}|\p{L}\p{Nd}+\p{L}|\p{L}_\p{L})").search,
    ),
    "web": (
        mark("a piece of a web address or of the source of a page"),
        regex.compile(
            r"(?i:https?|www\.|://|\.(?:com|net|org|html?|php|aspx?)\b|&[a-z]{2,};|&#|</|/>|href|nbsp)"
        ).search,
    ),
    "repeated": (mark("the same one to four characters again and again, eight characters or more"), None),
    "garbled": (mark("UTF-8 that was read as Latin-1, as in “Ã©” for “é”"), None),
    "unseen": (mark("a character for private use, an unassigned one, or U+FFFD"), None),
}
_repeated = regex.compile(r"(?=.{8})^(.{1,4}?)\1+$", regex.DOTALL).search
_unseen = regex.compile(r"[\p{Co}\p{Cn}\uFFFD]").search


def garbled(text: str) -> bool:
    """Whether a text looks like UTF-8 that was read as Latin-1, one byte a character.

    >>> garbled("Ã©"), garbled("é"), garbled("e")
    (True, False, False)
    """
    if text.isascii():
        return False
    try:
        return bool(text.encode("latin-1").decode())
    except UnicodeError:
        return False


_TESTS = {"repeated": _repeated, "garbled": garbled, "unseen": _unseen}
TESTS = {name: test or _TESTS[name] for name, (_, test) in RULES.items()}


def suspicious(facts: Facts) -> dict[str, np.ndarray]:
    """Returns the rows that meet each of RULES; a token may meet several.

    It is a rule of thumb. Whether a model was trained on too few of a token its weights tell, not its text: see Land
    and Bartolo 2024, arXiv 2405.05417.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.vocabulary.facts import facts_of
    >>> facts = facts_of(get_encoding("gpt2"))
    >>> " SolidGoldMagikarp" in [facts.texts[row] for row in suspicious(facts)["name"]]
    True
    """
    rows = np.flatnonzero((facts.role == ORDINARY) & (facts.num_characters > 0)).tolist()
    return {name: np.array([row for row in rows if test(facts.texts[row])], np.int64) for name, test in TESTS.items()}
