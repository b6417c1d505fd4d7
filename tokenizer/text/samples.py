"""Example texts of our own, kept in assets/samples.toml."""

import tomllib
from functools import cache
from typing import NamedTuple

from tokenizer.paths import ASSETS

FILE = ASSETS / "samples.toml"


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
    with FILE.open("rb") as file:
        return [Sample(**entry) for entry in tomllib.load(file)["sample"]]
