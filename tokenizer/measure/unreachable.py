"""Tokens that do not round-trip: decoded and encoded again, they become others."""

from collections.abc import Iterator

from tokenizer.encoding.interface import Encoding
from tokenizer.text.well_formed import as_text

BATCH_TOKENS = 2_000  # a model in another process answers this many within its time limit


def unreachable(encoding: Encoding) -> Iterator[int]:
    """Yields, in order, the ids of an encoding whose own text is read as something else.

    A token whose bytes are not UTF-8 by themselves has no text of its own, and is never among them; nor is a special
    token or the unknown one. Within a longer text such a token may still occur. The test is that of Land and Bartolo
    2024, arXiv 2405.05417, who call these tokens unreachable. Takes half a second for 200,000 tokens.

    >>> from tokenizer.kinds.byte_bpe import byte_bpe
    >>> toy = byte_bpe("toy", r"[a-z]|\\W", {bytes([i]): i for i in range(256)} | {b"ab": 256, b"!!": 257})
    >>> list(unreachable(toy))
    [256, 257]
    """
    return (id for id, _, _ in unreachable_details(encoding))


def unreachable_details(encoding: Encoding) -> Iterator[tuple[int, str, list[int]]]:
    """Yields the ids of `unreachable`, each with its text and the ids of this text.

    >>> from tokenizer import get_encoding
    >>> next(unreachable_details(get_encoding("o200k_base")))
    (3413, " I'", [357, 6])
    """
    special = {*encoding.special_tokens.values(), encoding.unknown_id}
    ids = [id for id in encoding.ids() if id not in special]
    for first in range(0, len(ids), BATCH_TOKENS):
        some = ids[first : first + BATCH_TOKENS]
        for id, read in zip(some, encoding.model.reencode(some), strict=True):
            if read and read[1] != [id]:
                yield id, *read


def has_text(encoding: Encoding, id: int) -> bool:
    """Whether the bytes of a token alone are UTF-8."""
    found = encoding.bytes_of(id)
    return found is not None and as_text(found) is not None
