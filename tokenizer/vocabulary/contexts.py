"""Search for a text in which a token appears, by encoding candidate texts."""

import codecs
from collections.abc import Iterator, Sequence
from itertools import chain, islice, product
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.i18n import mark
from tokenizer.split.pattern_reachability import can_contain
from tokenizer.text.well_formed import as_text

MAX_TRIED_TEXTS = 3_000  # texts

# Neighbors of a token: none first, then characters that matter to split patterns, normalizers and merges.
SIDES = ["", *" \n.a1A'/(-_\"", "\r\n", "\t", "  ", *list("stSTé’กあ한漢ا😀ǅʰ"), "\u0301", "\u200d", "\u00a0"]
SIDES += ["ll", "re", "ve", "LL", "RE", "VE", "the", "THE"]

_FOLLOWING = [bytes([byte]) for byte in range(0x80, 0xC0)]  # the bytes after the first one of a character
_FIRST = [[bytes([byte]) for byte in range(first, 0xF5)] for first in (0xC2, 0xE0, 0xF0)]  # of two bytes or more, …
_SIZES = ((b"\xf0", 4), (b"\xe0", 3), (b"\xc2", 2))  # of a character in bytes, by the first of them
_decoder = codecs.getincrementaldecoder("utf-8")


class Context(NamedTuple):
    """A text in which a token appears, and the byte (UTF-8) of it at which it starts."""

    text: str
    start: int


# Proofs that no text contains a token.
BYTES, SPLIT = "bytes", "split"
PROOFS = {
    BYTES: mark("the byte sequence of this token never occurs in UTF-8"),
    SPLIT: mark("the split pattern always splits the bytes of this token"),
}


class ContextSearch(NamedTuple):
    """The result of a search: a context if one was found, and the number of texts tried.

    Without a context, `proof` is the key in PROOFS of why there is none, or empty if none is known.
    """

    context: Context | None
    tried: int
    proof: str = ""


def find_context(id: int, encoding: Encoding, max_texts: int = MAX_TRIED_TEXTS) -> ContextSearch:
    """Returns a text in which a token appears, if one of `max_texts` candidates has it; special names are read as text.

    >>> from tokenizer import get_encoding
    >>> find_context(3413, get_encoding("o200k_base")).context
    Context(text=" I'S", start=0)
    """
    if not encoding.runs_in_library and not can_contain(encoding.pattern, as_text(encoding.table[id] or b"") or ""):
        return ContextSearch(None, 0, SPLIT)
    tried = 0
    for text in islice(texts_with(encoding.table[id] or b""), max_texts):
        tried += 1
        tokens = encoding.tokenize(text)
        if len(places := np.flatnonzero(tokens.id_array == id)):
            return ContextSearch(Context(text, int(tokens.starts[places[0]])), tried)
    return ContextSearch(None, tried, "" if tried else BYTES)


def texts_with(token: bytes) -> Iterator[str]:
    """Yields texts that contain these bytes: alone, or completed to whole characters; then with neighbors.

    >>> list(islice(texts_with(b"a"), 3)), list(islice(texts_with("ก".encode()[:2]), 3))
    (['a', 'a ', ' a'], ['\\u0e00', 'ก', 'ข'])
    """
    first = list(islice(completions(token), 1))  # not searched anew for each pair of neighbors: finding none takes long
    for before, after in sorted(product(range(len(SIDES)), repeat=2), key=sum) if first else ():
        for middle in completions(token) if before == after == 0 else first:
            yield SIDES[before] + middle + SIDES[after]


def completions(token: bytes) -> Iterator[str]:
    """Yields the token's bytes completed to whole characters, in evenly chosen ways.

    >>> list(completions(b"a")), list(completions(b"\\xff")), next(completions("ก".encode()[1:]))
    (['a'], [], 'ก')
    """
    if (text := as_text(token)) is not None:
        yield text
        return
    for before in _possible_prefixes(token):
        if (missing := _missing(before + token)) is not None:
            for after in _following(missing, 16 if before else 4_096):
                if (text := as_text(before + token + after)) is not None:
                    yield text


def _possible_prefixes(token: bytes) -> Iterator[bytes]:
    """The bytes that can precede a token that starts inside a character."""
    if not 0x80 <= token[0] < 0xC0:
        return iter([b""])
    return chain.from_iterable(
        (first + more for first in firsts for more in _following(size, 64)) for size, firsts in enumerate(_FIRST)
    )


def _missing(data: bytes) -> int | None:
    """The number of bytes that the last character lacks; None if the bytes before it are not text."""
    try:
        (decoder := _decoder()).decode(data)
    except UnicodeDecodeError:
        return None
    begun, _ = decoder.getstate()
    return next(size for first, size in _SIZES if begun >= first) - len(begun) if begun else 0


def _following(size: int, max_sequences: int) -> Sequence[bytes]:
    """Evenly chosen sequences of `size` continuation bytes."""
    found = [b"".join(row) for row in product(_FOLLOWING[:: 4 if size == 3 else 1], repeat=size)]
    return found[:: -(-len(found) // max_sequences)]
