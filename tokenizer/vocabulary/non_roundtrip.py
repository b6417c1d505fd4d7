"""Tokens that are not what they seem: those that their own text does not give back, and those that are no text."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.i18n import mark
from tokenizer.measure.unreachable import unreachable_details
from tokenizer.vocabulary.facts import BYTE, ORDINARY, WHOLE, Facts

# Why a token's own text is read as others.
TWIN, UNKNOWN, CHANGED, PATTERN, MERGES, MODEL = "twin", "unknown", "changed", "pattern", "merges", "model"
REASONS = {
    TWIN: mark("another token has the same bytes"),
    UNKNOWN: mark("a character of it has no token where it stands"),
    CHANGED: mark("the text is changed before it is read"),
    PATTERN: mark("the text is cut before anything is merged"),
    MERGES: mark("other merges come first"),
    MODEL: mark("the model prefers other tokens"),
}


class NonRoundtrip(NamedTuple):
    """A token that its own text does not give back: the ids that this is read as, and why.

    `reason` is the first of these that holds: TWIN (its text is read as another token with the same bytes), UNKNOWN
    (a character of its text has no token where it stands), CHANGED (what is read is not its text: a space in front,
    another normal form), PATTERN (the split pattern, or what else splits, cuts its text), MERGES (within its text other
    merges come first), MODEL (the model prefers other tokens). `cuts` are the bytes of its text at which it is
    cut, where that is the reason.
    """

    id: int
    ids: list[int]
    reason: str
    cuts: list[int]


def non_roundtrip_tokens(encoding: Encoding) -> Iterator[NonRoundtrip]:
    """Yields the tokens of `unreachable`, each with the reason.

    >>> from tokenizer import get_encoding
    >>> [(one.id, one.reason, one.cuts) for one in non_roundtrip_tokens(get_encoding("o200k_base"))][:2]
    [(3413, 'pattern', [2]), (3914, 'pattern', [1])]
    """
    for id, text, ids in unreachable_details(encoding):
        yield _told(id, text, ids, encoding)


def explain_non_roundtrip(id: int, encoding: Encoding) -> NonRoundtrip:
    """Returns what a token's own text is read as, and why it is not the token; it must be one of `unreachable`."""
    text = encoding.decode([id])
    return _told(id, text, encoding.encode(text), encoding)


def _told(id: int, text: str, ids: list[int], encoding: Encoding) -> NonRoundtrip:
    read = [encoding.bytes_of(other) for other in ids]
    if read == [encoding.bytes_of(id)]:
        return NonRoundtrip(id, ids, TWIN, [])
    if None in read:
        return NonRoundtrip(id, ids, UNKNOWN, [])
    if b"".join(read) != text.encode():
        return NonRoundtrip(id, ids, CHANGED, [])
    if cuts := [end for _, end in encoding.pre_tokens(text)][:-1]:
        return NonRoundtrip(id, ids, PATTERN, cuts)
    return NonRoundtrip(id, ids, MERGES if encoding.kind.endswith("bpe") else MODEL, [])


def parts_of_characters(facts: Facts) -> np.ndarray:
    """Returns the rows of tokens whose bytes are no whole characters by themselves.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.vocabulary.facts import facts_of
    >>> len(parts_of_characters(facts_of(get_encoding("gpt2"))))
    344
    """
    return np.flatnonzero(((facts.role == ORDINARY) | (facts.role == BYTE)) & (facts.wholeness != WHOLE))
