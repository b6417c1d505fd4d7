"""Sentences with computed numbers, in the grammatical form of the language."""

from collections.abc import Mapping
from typing import Any

from tokenizer.i18n import number


class Counted(int):
    """A whole number that is formatted with its noun: `{n:token|tokens}` is "1 token" or "1,234 tokens".

    >>> f"{Counted(1):token|tokens}, {Counted(1234):token|tokens}, {Counted(5)}"
    '1 token, 1,234 tokens, 5'
    """

    def __format__(self, form: str) -> str:
        one, _, others = form.partition("|")
        noun = one if self == 1 else others or one
        return f"{int(self):,}{' ' * bool(noun)}{noun}"


class Ratio(float):
    """A ratio, formatted with two decimals.

    >>> f"{Ratio(2 / 3)}", f"{Ratio(33 / 8)}"
    ('0.67', '4.13')
    """

    def __format__(self, form: str) -> str:
        return number(float(self), form or ".2f")

    __str__ = __repr__ = lambda self: format(self)


class Words:
    """The words of a lesson in one language, by keys; those of a step are below the step's id."""

    def __init__(self, sentences: Mapping[str, Any], language: str):
        self.sentences, self.language = sentences, language

    def text(self, key: str, step: str = "", /, **facts: Any) -> str:
        """Returns a sentence with these facts, or "" if it is missing.

        >>> Words({"count": {"reveal": "That is {n:token|tokens}."}}, "en").text("reveal", "count", n=Counted(2))
        'That is 2 tokens.'
        """
        sentence = self._sentences_of(step).get(key, "")
        return sentence.format_map(facts) if facts else sentence

    def all(self, key: str, step: str = "") -> list:
        """Returns a list of sentences, or of pairs of them."""
        return self._sentences_of(step).get(key, [])

    def option(self, step: str, option: str) -> str:
        """Returns the label of an option, by default the option itself."""
        return self._sentences_of(step).get("options", {}).get(option, option)

    def _sentences_of(self, step: str) -> Mapping[str, Any]:
        return self.sentences.get(step, {}) if step else self.sentences
