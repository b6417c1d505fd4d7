"""Models whose tokens can only be counted, since their vocabulary is not public: Claude, by Sander Land's package ctok.

A count is a reconstruction. Its boundaries are not those of the model, so no function here returns boundaries or ids.
The package is optional, and needs Python 3.12.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizer.errors import NeedsPackage
from tokenizer.i18n import mark, tr
from tokenizer.kinds import packages, series
from tokenizer.text.well_formed import well_formed

PACKAGE, COMMAND, LEAST_PYTHON = "ctok", "pip install ctok", (3, 12)
MEASURED_VERSION = "ctok 1.3.0"  # its page states the accuracy
SOURCE = "https://pypi.org/project/ctok/1.3.0/"

_GATES = mark(
    "The page of the package {by} says that its counts equal those of the model’s maker for {code} of {code_of} texts"
    " of code and {rosetta} of {rosetta_of} documents, none of them used to build the package, and for {seen:,} of"
    " {seen_of:,} texts that were used."
)
_OF_4_7 = mark(
    "This accuracy was measured for Claude 4.7, which has the same vocabulary but a different overhead per message."
)
_NO_SPACES = mark("Opus 5 does not count spaces at the end of a text, but this count includes them.")


@dataclass(frozen=True)
class Counter:
    """One way to count: key, display name, ctok's name, and the tokens of the frame of a message.

    `exact` has the rows of the Goldfish corpus, in 350 languages, on which its count is exact according to ctok.
    """

    key: str
    display_name: str
    version: str
    frame: int
    sizes: str  # the names and versions of its models, so that a search in a list finds them
    exact: int
    aliases: tuple[str, ...] = ()  # other names for input
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The label in tables and lists of encodings.

        >>> BY_KEY["claude-3"].label
        'Claude 3 to 4.6 (reconstruction)'
        """
        return tr("{model} (reconstruction)", model=self.display_name)

    @property
    def name(self) -> str:
        """Its name in tables and files of numbers, the same in every language of the interface.

        >>> BY_KEY["claude-3"].name
        'claude-3 (reconstruction)'
        """
        return f"{self.key} (reconstruction)"

    @property
    def accuracy(self) -> str:
        """A sentence on its accuracy according to the package's page, with further notes."""
        held = {"code": 22, "code_of": 22, "rosetta": 250, "rosetta_of": 250}
        sentence = tr(_GATES, by=MEASURED_VERSION, seen=self.exact, seen_of=962_054, **held)
        return " ".join([sentence, *map(tr, self.notes)])

    @property
    def description(self) -> str:
        """Sentences for a count: that it is a reconstruction, its accuracy, and what it does not count."""
        sentence = tr(
            "This count is a reconstruction, because the vocabulary, token boundaries and ids of {model} are"
            " not public. The overhead of a message, {frame} tokens, is not counted.",
            model=self.display_name,
            frame=self.frame,
        )
        return f"{sentence} {self.accuracy}"


COUNTERS = [
    Counter(
        "claude-4.8", "Claude 4.8 to 5", "4.8", 6, "Opus, Sonnet, Fable", 962_054,
        ("claude", "claude-opus-4-8", "claude-opus-4.8", "claude-sonnet-5", "claude-fable-5", "claude-opus-5"),
        (_OF_4_7, _NO_SPACES),
    ),
    Counter("claude-4.7", "Claude 4.7", "4.7", 11, "Opus", 962_054, ("claude-opus-4-7", "claude-opus-4.7")),
    Counter(
        "claude-3", "Claude 3 to 4.6", "3.0", 7, "Opus, Sonnet, Haiku 3, 3.5, 3.7, 4, 4.1, 4.5, 4.6", 962_053,
        ("claude-3.5", "claude-4", "claude-4.5", "claude-4.6", "claude-opus-4-6", "claude-opus-4.6"),
    ),
]  # fmt: skip

BY_KEY = {counter.key: counter for counter in COUNTERS}
_KEYS = {name: counter.key for counter in COUNTERS for name in (counter.key, *counter.aliases)}


def is_installed() -> bool:
    """Whether the package is installed."""
    return packages.is_installed(PACKAGE)


def key_of(name: object) -> str | None:
    """Returns the key of the counter of this name, or None.

    >>> key_of("Claude"), key_of("claude-sonnet-4-5-20250929"), key_of("gpt-4")
    ('claude-4.8', 'claude-3', None)
    """
    return series.find(_KEYS, name)


def names() -> list[str]:
    """Returns all names of counters: the key of each, and other spellings.

    >>> names()[:2]
    ['claude-4.8', 'claude']
    """
    return list(_KEYS)


def find(key: str) -> Counter:
    """Returns the counter of this key; raises NeedsPackage without the package."""
    if not is_installed():
        raise absent(key)
    return BY_KEY[key]


def absent(key: str) -> NeedsPackage:
    """Returns the error for a missing package or an old Python."""
    return NeedsPackage(
        tr("Counting the tokens of {name}", name=BY_KEY[key].display_name), PACKAGE, COMMAND, LEAST_PYTHON
    )


def count(key: str, text: str) -> int:
    """Returns the number of tokens of a text, without the frame of a message; 100,000 characters take a second.

    The first call loads the vocabulary, which takes another second. Raises NeedsPackage.
    """
    return count_each(key, [text])[0]


def count_each(key: str, texts: Sequence[str]) -> list[int]:
    """Returns the number of tokens of each text alone; raises NeedsPackage."""
    counter = find(key)
    from ctok import token_count

    return [token_count(well_formed(text)[0], counter.version) - counter.frame if text else 0 for text in texts]
