"""Tokens that do not round-trip: encoding a token's text gives other tokens, or the token is not text."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.i18n import mark
from tokenizer.measure.unreachable import unreachable_details
from tokenizer.vocabulary.facts import BYTE, ORDINARY, WHOLE_CHARACTERS, Facts

# Why a token's text is encoded as other tokens.
TWIN, UNKNOWN, CHANGED, PATTERN, MERGES, MODEL = "twin", "unknown", "changed", "pattern", "merges", "model"
REASONS = {
    TWIN: mark("another token has the same bytes"),
    UNKNOWN: mark("a character of the text has no token where it stands, such as inside a word"),
    CHANGED: mark("the tokenizer changes the text before it encodes it"),
    PATTERN: mark("the text is split into several pre-tokens"),
    MERGES: mark("other merges come first, or no merge makes the token"),
    MODEL: mark("the tokenizer prefers other tokens"),
}


class NonRoundtrip(NamedTuple):
    """A token whose text is encoded as other ids: these `ids`, and why.

    `reason` is the first of these that holds: TWIN (another token has the same bytes), UNKNOWN (a character of its text
    has no token), CHANGED (the text is changed first: a dummy prefix, a normal form), PATTERN (the split pattern or
    another pre-tokenizer cuts its text), MERGES (other merges come first, or none makes the token), MODEL
    (the tokenizer prefers other tokens). `cuts` are the byte offsets of the cuts, if the reason is PATTERN.
    """

    id: int
    ids: list[int]
    reason: str
    cuts: list[int]


def non_roundtrip_tokens(encoding: Encoding) -> Iterator[NonRoundtrip]:
    """Yields the tokens of `measure.unreachable`, each with the reason.

    >>> from tokenizer import get_encoding
    >>> [(one.id, one.reason, one.cuts) for one in non_roundtrip_tokens(get_encoding("o200k_base"))][:2]
    [(3413, 'pattern', [2]), (3914, 'pattern', [1])]
    """
    for id, text, ids in unreachable_details(encoding):
        yield _details(id, text, ids, encoding)


def explain_non_roundtrip(id: int, encoding: Encoding) -> NonRoundtrip:
    """Returns the ids of a token's text, and why they are not the token; it must be one of `unreachable`."""
    text = encoding.decode([id])
    return _details(id, text, encoding.encode(text), encoding)


def _details(id: int, text: str, ids: list[int], encoding: Encoding) -> NonRoundtrip:
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
    """Returns the rows of tokens whose bytes are not whole characters, an int64 array.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.vocabulary.facts import facts_of
    >>> len(parts_of_characters(facts_of(get_encoding("gpt2"))))
    344
    """
    return np.flatnonzero(((facts.role == ORDINARY) | (facts.role == BYTE)) & (facts.wholeness != WHOLE_CHARACTERS))
