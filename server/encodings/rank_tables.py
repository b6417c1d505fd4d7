"""What a page needs to encode a text without the server, compressed once and cached by the browser.

This is the packed rank table, and the characters of each category: a browser may have another version of Unicode.

A packed table has the number of ids (32 bits), six rows of one byte for each id, and the bytes of literal tokens, in
order of id. Rows 0 to 2 are one number, low byte first, and rows 3 to 5 another: the ids of two earlier tokens that
together are this one. A literal token has no such halves, or more than MAX_CUT_BYTES: its second number is LITERAL,
and the first is its length, 0 for an id without a token. Compressed, this is a quarter smaller than the bytes of all
tokens.
"""

import gzip
import json
from functools import cache
from importlib import metadata
from urllib.parse import quote
from weakref import WeakValueDictionary

import numpy as np

from server.encodings import encoding_store
from tokenizer import Encoding
from tokenizer.encoding.lru_cache import LruCache
from tokenizer.errors import TokenizerError
from tokenizer.i18n import mark, tr
from tokenizer.kinds.byte_bpe import RankModel, category_ranges
from tokenizer.split.dialects import CATEGORIES
from tokenizer.split.javascript import for_javascript

FORMAT = 3  # version of the packed form
UNICODE = f"{FORMAT}-{metadata.version('tiktoken')}"  # version of the categories
MAX_IDS = 300_000
MAX_TOKEN_BYTES = 65_535
OUT_OF_DATE = mark("This address is out of date. Load the page again.")
LITERAL = 0xFFFFFF
MAX_CUT_BYTES = 256  # longer tokens are literal: all their cuts would take time by the square of their length
MAX_CACHED_TABLES = 16  # each has up to 2 MB
COMPRESSION_LEVEL = 6  # of gzip: 9 takes twice the time and saves a hundredth


def page_encoder(key: str, encoding: Encoding, path: str) -> dict | None:
    """Returns what a page needs to encode by itself: the split pattern, and two addresses below `path`.

    One is that of the rank table, the other that of the characters of each category.

    Returns None if only the server can encode: the model is not byte-level BPE by ranks, or JavaScript may read
    the pattern differently.

    >>> from tokenizer import get_encoding
    >>> page_encoder("gpt2", get_encoding("gpt2"), "/api")["ranks"]
    '/api/ranks/gpt2?v=3-306cd27f03c1a714'
    """
    model = encoding.model
    if not isinstance(model, RankModel) or not model.safe_cuts or encoding.id_limit > MAX_IDS:
        return None
    if (pattern := for_javascript(model.pattern)) is None:
        return None
    return {
        "pattern": pattern,
        "ranks": f"{path}/ranks/{quote(key)}?v={_version(encoding)}",
        "categories": f"{path}/categories?v={UNICODE}",
    }


def _version(encoding: Encoding) -> str:
    return f"{FORMAT}-{encoding.fingerprint[:16]}"


def packed(encoding: Encoding) -> bytes:
    """Returns the packed rank table of an encoding; raises TokenizerError if a token has more than 65,535 bytes.

    >>> from tokenizer import get_encoding
    >>> table = packed(get_encoding("gpt2"))
    >>> int.from_bytes(table[:4], "little"), table[-256:][:3]
    (50256, b'!"#')
    """
    tokens = [token or b"" for token in encoding.model.tokens]
    if max(map(len, tokens), default=0) > MAX_TOKEN_BYTES:
        raise TokenizerError(
            tr(
                "A token of this encoding is longer than {most:,} bytes, so only the server can use the encoding.",
                most=MAX_TOKEN_BYTES,
            )
        )
    ids = {token: id for id, token in enumerate(tokens)}
    numbers = np.array([_halves(token, id, ids) or (len(token), LITERAL) for id, token in enumerate(tokens)], "<u4")
    rows = numbers.reshape(-1, 2).T.copy().view(np.uint8).reshape(2, -1, 4)[..., :3].transpose(0, 2, 1)
    literals = (token for token, (_, second) in zip(tokens, numbers.tolist(), strict=True) if second == LITERAL)
    return len(tokens).to_bytes(4, "little") + rows.tobytes() + b"".join(literals)


def _halves(token: bytes, id: int, ids: dict[bytes, int]) -> tuple[int, int] | None:
    """Returns the ids of two earlier tokens that together are this one, the first of them as long as possible."""
    if len(token) > MAX_CUT_BYTES:
        return None
    for cut in range(len(token) - 1, 0, -1):
        if (first := ids.get(token[:cut], id)) < id and (second := ids.get(token[cut:], id)) < id:
            return first, second
    return None


def category_steps(name: str) -> list[int]:
    """Returns the characters of a category as tiktoken knows them: steps from number to number, which are the first and
    the last code point of each run.

    >>> category_steps("Lt")[:4]
    [453, 0, 3, 0]
    """
    return np.diff(category_ranges(name), prepend=0).tolist()


def categories(version: str) -> bytes:
    """Returns the characters of each category that a pattern for pages may name, as JSON in gzip.

    Raises TokenizerError if the page has the address of another version.
    """
    if version != UNICODE:
        raise TokenizerError(tr(OUT_OF_DATE))
    return _categories()


@cache
def _categories() -> bytes:
    steps = {name: category_steps(name) for name in CATEGORIES}
    return gzip.compress(json.dumps(steps, separators=(",", ":")).encode(), mtime=0)


_encodings: WeakValueDictionary[str, Encoding] = WeakValueDictionary()  # by fingerprint, which several names share
_tables = LruCache(
    lambda fingerprint: gzip.compress(packed(_encodings[fingerprint]), COMPRESSION_LEVEL, mtime=0), MAX_CACHED_TABLES
)


def cached(key: str, version: str) -> bytes | None:
    """Returns the table that `compressed` has built before, None where there is none; raises what it raises."""
    fingerprint = _find(key, version).fingerprint if encoding_store.is_ready(key) else ""
    return _tables.get(fingerprint) if fingerprint in _tables else None


def compressed(key: str, version: str) -> bytes:
    """Returns the packed rank table of an encoding as gzip.

    Raises TokenizerError if only the server can encode, or if the page has the address of another version.
    """
    encoding = _find(key, version)
    if page_encoder(key, encoding, "") is None:
        raise TokenizerError(tr("Only the server can encode with this encoding."))
    return compressed_table(encoding)


def compressed_table(encoding: Encoding) -> bytes:
    """Returns the packed rank table of an encoding as gzip, from the cache; raises what `packed` raises."""
    _encodings[encoding.fingerprint] = encoding
    return _tables.get(encoding.fingerprint)


def _find(key: str, version: str) -> Encoding:
    encoding = encoding_store.find(key).encoding
    if version != _version(encoding):
        raise TokenizerError(tr(OUT_OF_DATE))
    return encoding
