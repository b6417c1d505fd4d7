"""Tokens that are not what they seem: their own text is read as others; why, and a text in which they do appear."""

import codecs
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.measure.unreachable import unreachable
from tokenizer.text.well_formed import as_text
from tokenizer.vocabulary.facts import ORDINARY, WHOLE, Facts

# Why a token's own text is read as others.
PATTERN, MERGES, MODEL, CHANGED, NO_TEXT = "pattern", "merges", "model", "changed", "no text"

MOST_TRIED = 2_000  # texts in which a token is looked for
# What may stand beside a token: nothing, then what split patterns and merges care about.
_SIDES = [
    "",
    *" \n.a1A'",
    "’",
    "/",
    "\r\n",
    "s",
    "t",
    "LL",
    "ll",
    "RE",
    "re",
    "VE",
    "ve",
    "S",
    "T",
    "D",
    "M",
    "the",
    "THE",
]
_SIDES += [
    "é",
    "ก",
    "漢",
    "あ",
    "한",
    "ا",
    "\u0301",
    "-",
    "_",
    "(",
    "  ",
    "\t",
    "\u00a0",
    "😀",
    "\u200d",
    "0",
    "ǅ",
    "ʰ",
]

MOST_TAILS = 16  # that are tried with one head

_decoder = codecs.getincrementaldecoder("utf-8")
_SIZES = ((b"\xf0", 4), (b"\xe0", 3), (b"\xc2", 2))  # of a character in bytes, by the first of them


def _evenly(found: Sequence[bytes], most: int) -> Sequence[bytes]:
    return found[:: -(-len(found) // most)]


_CONTINUING = [bytes([byte]) for byte in range(0x80, 0xC0)]
_TAILS = [[b"".join(tail) for tail in product(_CONTINUING, repeat=size)] for size in range(3)]
_TAILS.append([first + tail for first in _CONTINUING for tail in _evenly(_TAILS[2], 16)])
_LEADS = [bytes([byte]) for byte in range(0xC2, 0xF5)]
_STARTS = [_LEADS, _LEADS[30:], _LEADS[46:]]  # of characters of two bytes or more, of three, of four
_HEADS = [lead + more for size, leads in enumerate(_STARTS) for lead in leads for more in _evenly(_TAILS[size], 64)]


class Context(NamedTuple):
    """A text in which a token appears, and the byte (UTF-8) of it at which it starts."""

    text: str
    start: int


class Seeming(NamedTuple):
    """A token that its own text does not give back: the ids that this is read as, and why.

    `reason` is PATTERN (the split pattern, or a pre-tokenizer, cuts its text), MERGES (other merges come first), MODEL
    (another way to read it scores higher), CHANGED (the text is changed before it is read) or NO_TEXT (its bytes are no
    whole characters; `ids` is empty then). `cuts` are the bytes at which its text is cut, where it is.
    """

    id: int
    ids: list[int]
    reason: str
    cuts: list[int]


def seemings(encoding: Encoding) -> Iterator[Seeming]:
    """Yields the tokens of `unreachable`, each with the reason.

    >>> from tokenizer import get_encoding
    >>> [(one.id, one.reason, one.cuts) for one in seemings(get_encoding("o200k_base"))][:2]
    [(3413, 'pattern', [2]), (3914, 'pattern', [1])]
    """
    for id in unreachable(encoding):
        yield seeming(id, encoding)


def seeming(id: int, encoding: Encoding) -> Seeming:
    """Returns what a token's own text is read as, and why it is not the token."""
    text = encoding.decode([id])
    tokens = encoding.tokenize(text)
    cuts = [end for _, end in encoding.pre_tokens(text)][:-1]
    if tokens.normalized != text:
        reason = CHANGED
    elif cuts:
        reason = PATTERN
    else:
        reason = MODEL if encoding.merges is None else MERGES
    return Seeming(id, tokens.ids, reason, cuts)


def context(id: int, encoding: Encoding, most: int = MOST_TRIED) -> tuple[Context | None, int]:
    """Returns a text in which a token appears, if one was found, and how many texts were tried.

    Around a text stand others that patterns and merges care about; bytes that are no text are made whole. That none is
    found proves nothing.

    >>> from tokenizer import get_encoding
    >>> context(3413, get_encoding("o200k_base"))[0]  # " I'"
    Context(text=" I'LL", start=0)
    """
    tried = 0
    for tried, (before, after) in enumerate(islice(around(encoding.table[id] or b""), most), 1):
        text = (before + (encoding.table[id] or b"") + after).decode()
        if id in (tokens := encoding.tokenize(text)).ids:
            return Context(text, int(tokens.starts[np.flatnonzero(tokens.id_array == id)[0]])), tried
    return None, tried


def around(token: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields what may stand before and after a token so that all is text; of a text, what stands near its top first.

    >>> list(islice(around(b"a"), 3)), list(islice(around("ก".encode()[1:]), 2))
    ([(b'', b''), (b'', b' '), (b' ', b'')], [(b'\xe0', b''), (b'\xe1', b'')])
    """
    if as_text(token) is None:
        yield from _whole(token)
    else:
        order = sorted(product(range(len(_SIDES)), repeat=2), key=sum)
        yield from ((_SIDES[i].encode(), _SIDES[j].encode()) for i, j in order)


def _whole(token: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields bytes that make whole characters of a token that is none: some of all that could, evenly chosen."""
    heads = [b""] if not 0x80 <= token[0] < 0xC0 else _HEADS
    for head in heads:
        try:
            (decoder := _decoder()).decode(head + token)
        except UnicodeDecodeError:
            continue
        pending, _ = decoder.getstate()
        missing = next((size for first, size in _SIZES if pending[:1] >= first), 1) - max(1, len(pending))
        for tail in _evenly(_TAILS[missing], MOST_TAILS if head else MOST_TRIED):
            if as_text(head + token + tail) is not None:
                yield head, tail


def parts_of_characters(facts: Facts) -> np.ndarray:
    """Returns the rows of tokens whose bytes are no whole characters by themselves.

        >>> from tokenizer import get_encoding
        >>> from tokenizer.text.well_formed import as_text
    from tokenizer.vocabulary.facts import facts_of
        >>> len(parts_of_characters(facts_of(get_encoding("gpt2"))))
        344
    """
    return np.flatnonzero((facts.role == ORDINARY) & (facts.wholeness != WHOLE))
