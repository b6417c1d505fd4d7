"""How encodings are called: by the model that they are best known for."""

from collections.abc import Sequence

from server.shelf import Entry, is_made
from tokenizer import known_as
from ui.components import tables


def models(entries: Sequence[Entry]) -> dict[str, str]:
    """Returns the model of each encoding by the name that tables give it; one that was made here has its own name."""
    names = tables.unique_labels([entry.name for entry in entries])
    return {name: model(entry) or name for name, entry in zip(names, entries, strict=True)}


def model(entry: Entry) -> str:
    """Returns the model that an encoding is best known for, and nothing of one that was made here.

    >>> from server.shelf import find
    >>> model(find("cl100k_base"))
    'GPT-4'
    """
    return "" if is_made(entry.key) else known_as(entry.key)


def labels(entries: Sequence[Entry]) -> dict[str, str]:
    """Returns what a legend calls each encoding, by the name that tables give it."""
    return {name: name if model == name else f"{model} · {name}" for name, model in models(entries).items()}
