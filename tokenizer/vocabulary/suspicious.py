"""Tokens whose text looks out of place, by rules of thumb that only read the text."""

from typing import NamedTuple

import numpy as np
import regex

from tokenizer.i18n import mark
from tokenizer.vocabulary.facts import ORDINARY, Facts

SOURCE = "https://arxiv.org/abs/2405.05417"  # Land and Bartolo 2024, “Fishing for Magikarp”


class Rule(NamedTuple):
    """A rule: a phrase on such texts, and the regular expression that matches them."""

    description: str
    pattern: regex.Pattern

    def fits(self, text: str) -> bool:
        """Whether a text fits the rule."""
        return self.pattern.search(text, concurrent=False) is not None


RULES = {
    "name": Rule(
        mark("words, digits or _ run together, 8 characters or more: perhaps a user’s name, or a name in a program"),
        regex.compile(r"^ ?(?=[\p{L}\p{N}_]{8,}$)\p{L}.*(?:\p{Ll}\p{Lu}|\p{L}\p{Nd}+\p{L}|\p{L}_\p{L})"),
    ),
    "web": Rule(
        mark("a part of a web address, or of the source code of a web page"),
        regex.compile(r"(?i)https?\b|www\.|://|\.(?:com|net|org|html?|php|aspx?)\b|&[a-z]{2,};|&#|</|/>|href|nbsp"),
    ),
    "phrase": Rule(
        mark("five or more Chinese characters (Han), often a phrase from spam on web pages"),
        regex.compile(r"\p{Script=Han}{5}"),
    ),
    "repeated": Rule(
        mark("the same 1 to 4 characters three or more times in a row, 8 characters or more, and not only white space"),
        regex.compile(r"(?s)^(?=.{8})(?!\s*$)(.{1,4}?)\1{2,}$"),
    ),
    "garbled": Rule(
        mark("UTF-8 that was read as Latin-1 or Windows-1252, such as Ã© for é"),
        regex.compile(r"Ã[\x80-\xBFÂÃƒ]|Â[\x80-\xBFÃ]|â€"),
    ),
    "no character": Rule(
        mark(
            "a character to which Unicode gives no meaning (private use or unassigned), or U+FFFD, which replaces bytes"
            " that are not valid text"
        ),
        regex.compile(r"[\p{Co}\p{Cn}\uFFFD]"),
    ),
}


def suspicious(facts: Facts) -> dict[str, np.ndarray]:
    """Returns the rows whose text fits each of RULES; a token may fit several.

    Most tokens that fit a rule are sound, and not all unsound ones fit one. Only a model's weights, not the text, show
    whether the model has seen a token too rarely: see Land and Bartolo 2024, arXiv 2405.05417.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.vocabulary.facts import facts_of
    >>> facts = facts_of(get_encoding("gpt2"))
    >>> " SolidGoldMagikarp" in [facts.texts[row] for row in suspicious(facts)["name"]]
    True
    """
    rows = np.flatnonzero((facts.role == ORDINARY) & (facts.num_characters > 0)).tolist()
    return {
        name: np.array([row for row in rows if rule.fits(facts.texts[row])], np.int64) for name, rule in RULES.items()
    }
