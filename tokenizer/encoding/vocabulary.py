"""A vocabulary as a table of tokens by id, and its hash."""

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence


def by_id(tokens: Mapping[int, bytes]) -> list[bytes | None]:
    """Returns tokens as a list; an id without a token has None.

    >>> by_id({2: b"b", 0: b"a"})
    [b'a', None, b'b']
    """
    table: list[bytes | None] = [None] * (max(tokens, default=-1) + 1)
    for id, token in tokens.items():
        table[id] = token
    return table


def rank_table(tokens: Sequence[bytes | None]) -> bytes:
    """Returns the tokens as a .tiktoken file has them.

    >>> rank_table([b"a", b"ab"])
    b'YQ== 0\\nYWI= 1\\n'
    """
    return b"".join([b"%s %d\n" % (b64encode(token), id) for id, token in enumerate(tokens) if token is not None])


def fingerprint(tokens: Sequence[bytes | None], more: bytes = b"") -> str:
    """Returns the sha256 of the tokens as a .tiktoken file, and of `more`, which distinguishes two models."""
    return hashlib.sha256(rank_table(tokens) + more).hexdigest()
