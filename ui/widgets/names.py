"""Names of encodings by the model that each is best known for."""

from collections.abc import Sequence

from server.encodings.encoding_store import StoredEncoding, is_made
from tokenizer import known_as
from ui.components import tables


def models(entries: Sequence[StoredEncoding]) -> dict[str, str]:
    """Returns the model of each encoding, or the name of one that was made here, by its name in tables."""
    names = tables.unique_labels([entry.name for entry in entries])
    return {name: model(entry) or name for name, entry in zip(names, entries, strict=True)}


def model(entry: StoredEncoding) -> str:
    """Returns the model that an encoding is best known for; "" for one that was made here.

    >>> from server.encodings.encoding_store import find
    >>> model(find("cl100k_base"))
    'GPT-4'
    """
    return "" if is_made(entry.key) else known_as(entry.key)


def labels(entries: Sequence[StoredEncoding]) -> dict[str, str]:
    """Returns the label of each encoding in a legend, by its name in tables."""
    return {name: name if model == name else f"{model} · {name}" for name, model in models(entries).items()}
