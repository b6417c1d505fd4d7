"""Tokens that their own text does not give back: decoded and encoded again, they become others."""

from collections.abc import Collection, Iterator

from tokenizer.encoding.interface import Encoding
from tokenizer.text.well_formed import as_text


def unreachable(encoding: Encoding) -> Iterator[int]:
    """Yields, in order, the ids of an encoding whose own text is read as something else.

    A token whose bytes are not UTF-8 by themselves has no text of its own, and is never among them; nor is a special
    token or the unknown one. Within a longer text such a token may still occur. The test is that of Land and Bartolo
    2024, arXiv 2405.05417, who call these tokens unreachable. Takes a second for 200,000 tokens.

    >>> from tokenizer.kinds.byte_bpe import byte_bpe
    >>> toy = byte_bpe("toy", r"[a-z]|\\W", {bytes([i]): i for i in range(256)} | {b"ab": 256, b"!!": 257})
    >>> list(unreachable(toy))
    [256, 257]
    """
    special = {*encoding.special_tokens.values(), encoding.unknown_id}
    texts = dict(_texts(encoding, special))
    encoding.read_ahead(texts.values())
    read = encoding.model.encode
    for id, text in texts.items():
        if read(text).ids.tolist() != [id]:
            yield id


def _texts(encoding: Encoding, special: Collection[int | None]) -> Iterator[tuple[int, str]]:
    """Yields each id with the text that it decodes to, but for those without, and with nothing."""
    text_of = encoding.model.text_of
    for id, token in enumerate(encoding.table):
        own = as_text(token) if token and id not in special else None
        text = own and text_of([id])
        if text := own if text is None else text:
            yield id, text


def has_text(encoding: Encoding, id: int) -> bool:
    """Whether the bytes of a token are UTF-8 by themselves."""
    found = encoding.bytes_of(id)
    return found is not None and as_text(found) is not None
