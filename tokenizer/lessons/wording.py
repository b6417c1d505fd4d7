"""Sentences with numbers in them: each number is one that was computed, in the form that the language wants."""

import string
from collections.abc import Mapping
from typing import Any


class Counted(int):
    """A whole number that takes its noun along: `{n:token|tokens}` is "1 token" or "1,234 tokens".

    >>> f"{Counted(1):token|tokens}, {Counted(1234):token|tokens}, {Counted(5)}"
    '1 token, 1,234 tokens, 5'
    """

    def __format__(self, form: str) -> str:
        one, _, others = form.partition("|")
        noun = one if self == 1 else others or one
        return f"{int(self):,}{' ' * bool(noun)}{noun}"


class Ratio(float):
    """A ratio, said with two digits behind the point.

    >>> f"{Ratio(2 / 3)}"
    '0.67'
    """

    def __format__(self, form: str) -> str:
        return format(float(self), form or ".2f")

    __str__ = __repr__ = lambda self: format(self)


class Words:
    """What a lesson says in one language, by keys; a key of a step stands under the step's id."""

    def __init__(self, said: Mapping[str, Any], language: str):
        self.said, self.language = said, language

    def text(self, key: str, step: str = "", /, **facts: Any) -> str:
        """Returns a sentence with these facts in it, or nothing where there is none.

        >>> Words({"count": {"reveal": "That is {n:token|tokens}."}}, "en").text("reveal", "count", n=Counted(2))
        'That is 2 tokens.'
        """
        return self._of(step).get(key, "").format_map(facts) if facts else self._of(step).get(key, "")

    def all(self, key: str, step: str = "") -> list:
        """Returns a list of sentences, or of pairs of them."""
        return self._of(step).get(key, [])

    def option(self, step: str, option: str) -> str:
        """Returns what the button of an option says: by default the option itself."""
        return self._of(step).get("options", {}).get(option, option)

    def _of(self, step: str) -> Mapping[str, Any]:
        return self.said.get(step, {}) if step else self.said


def numbers_in(sentence: str) -> set[str]:
    """Returns the names of the facts that a sentence says.

    >>> sorted(numbers_in("{tokens:token|tokens} of {bytes} bytes"))
    ['bytes', 'tokens']
    """
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}
