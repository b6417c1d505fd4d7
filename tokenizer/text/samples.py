"""Example texts of our own, kept in assets/samples.toml."""

from functools import cache
from typing import NamedTuple

from tokenizer.paths import read_toml


class Sample(NamedTuple):
    """A text to try; `label` is the text of its button."""

    name: str
    label: str
    text: str


@cache
def samples() -> list[Sample]:
    """All examples, in the order in which they are offered.

    >>> samples()[0].name
    'First look'
    """
    return [Sample(**entry) for entry in read_toml("samples.toml")["sample"]]
