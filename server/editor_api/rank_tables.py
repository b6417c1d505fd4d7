"""Rank tables for pages that encode what is typed by themselves: packed, compressed once, and cached by the browser.

A packed table has the number of ids (a little-endian 32-bit integer), the length of each token (a byte, 0 for an id
without a token), and the tokens' bytes, in order of id.
"""

import gzip
from urllib.parse import quote

from server.encodings import encoding_store
from tokenizer import Encoding
from tokenizer.encoding.lru_cache import LruCache
from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr
from tokenizer.kinds.byte_bpe import RankModel
from tokenizer.split.javascript import for_javascript

VERSION = 1  # of the packed form
MAX_IDS = 300_000
MAX_CACHED_TABLES = 8  # each has up to 2 MB
COMPRESSION_LEVEL = 6  # of gzip: 9 takes twice the time and saves a hundredth


def page_encoder(key: str, encoding: Encoding, path: str) -> dict | None:
    """Returns what a page needs to encode by itself: the split pattern and the address of the rank table below `path`.

    None if only the server can encode: the model is no byte-level BPE by ranks, or JavaScript may read the pattern
    differently.

    >>> from tokenizer import get_encoding
    >>> page_encoder("gpt2", get_encoding("gpt2"), "/api")["ranks"]
    '/api/ranks/gpt2?v=1&hash=306cd27f03c1a714'
    """
    model = encoding.model
    if not isinstance(model, RankModel) or not model.safe_cuts or len(model.tokens) > MAX_IDS:
        return None
    if (pattern := for_javascript(model.pattern)) is None:
        return None
    return {"pattern": pattern, "ranks": f"{path}/ranks/{quote(key)}?v={VERSION}&hash={encoding.fingerprint[:16]}"}


def packed(encoding: Encoding) -> bytes:
    """Returns the packed rank table of an encoding; raises ValueError if a token has more than 255 bytes.

    >>> from tokenizer import get_encoding
    >>> table = packed(get_encoding("gpt2"))
    >>> int.from_bytes(table[:4], "little"), table[4 : 4 + 3], table[4 + 50_256 :][:3]
    (50256, b'\\x01\\x01\\x01', b'!"#')
    """
    tokens = [token or b"" for token in encoding.model.tokens]
    return len(tokens).to_bytes(4, "little") + bytes(map(len, tokens)) + b"".join(tokens)


def compressed(key: str) -> bytes:
    """Returns the packed rank table of an encoding as gzip; raises TokenizerError if only the server can encode."""
    encoding = encoding_store.find(key).encoding
    if page_encoder(key, encoding, "") is None:
        raise TokenizerError(tr("Only the server can encode with this encoding."))
    try:
        return gzip.compress(packed(encoding), COMPRESSION_LEVEL)
    except ValueError:
        raise TokenizerError(tr("A token of this encoding is longer than 255 bytes, the limit of a table.")) from None


cached_tables = LruCache(compressed, MAX_CACHED_TABLES)
