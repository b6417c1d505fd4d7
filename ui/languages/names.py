"""How encodings are called on the Languages page: by the model that they are best known for."""

from collections.abc import Sequence

from tokenizer import known_as, list_encoding_names
from ui.kit import tables
from ui.server.shelf import Entry


def models(entries: Sequence[Entry]) -> dict[str, str]:
    """Returns the model of each encoding by the name that tables give it; one that was made here has its own name."""
    official = list_encoding_names()
    names = tables.apart([entry.name for entry in entries])
    return {
        name: known_as(entry.key) if entry.key in official else name for name, entry in zip(names, entries, strict=True)
    }


def labels(entries: Sequence[Entry]) -> dict[str, str]:
    """Returns what a legend calls each encoding, by the name that tables give it."""
    return {name: name if model == name else f"{model} · {name}" for name, model in models(entries).items()}
