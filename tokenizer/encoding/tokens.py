"""Tokens with the bytes they cover, and segments: runs of tokens that a reader can see whole."""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tokenizer.text.units import grapheme_ends
from tokenizer.text.well_formed import well_formed

__all__ = ["Segment", "Token", "Tokens", "segments", "well_formed"]


class Token(NamedTuple):
    """One token: its id and the UTF-8 bytes of the text it covers."""

    id: int
    start: int
    end: int
    special: bool = False


class Tokens(Sequence[Token]):
    """The tokens of a text, kept as arrays; a Token is made when one is asked for.

    >>> tokens = Tokens("a b", np.array([64, 275]), np.array([1, 2]))
    >>> tokens[1]
    Token(id=275, start=1, end=3, special=False)
    >>> tokens.ids
    [64, 275]
    """

    def __init__(
        self,
        text: str,
        id_array: np.ndarray,
        byte_lengths: np.ndarray,
        special_ids: Collection[int] = (),
        replaced: int = 0,
    ):
        self.text = text  # well-formed: the spans refer to this one
        self.replaced = replaced  # how many lone surrogates became U+FFFD
        self.id_array = id_array
        self.ends = np.cumsum(byte_lengths, dtype=np.int64)
        self.starts = self.ends - byte_lengths
        self._special_ids = special_ids

    @cached_property
    def ids(self) -> list[int]:
        """The ids alone."""
        return self.id_array.tolist()

    def __len__(self) -> int:
        return len(self.id_array)

    def __getitem__(self, position: int | slice) -> Token | list[Token]:
        if isinstance(position, slice):
            return [self[i] for i in range(*position.indices(len(self)))]
        id, start, end = (int(array[position]) for array in (self.id_array, self.starts, self.ends))
        return Token(id, start, end, id in self._special_ids)

    def __iter__(self) -> Iterator[Token]:
        special = map(self._special_ids.__contains__, self.ids)
        return map(Token, self.ids, self.starts.tolist(), self.ends.tolist(), special)

    def __repr__(self) -> str:
        return f"<{len(self)} tokens of a text of {len(self.text)} characters>"


class Segment(NamedTuple):
    """The shortest run of tokens that covers whole graphemes, and its text."""

    text: str
    tokens: list[Token]
    start: int
    end: int


def segments(text: str, tokens: Tokens) -> list[Segment]:
    """Groups tokens until a group ends where a grapheme ends, so that every group can be shown.

    >>> tokens = Tokens("a👍", np.array([64, 9468, 239, 235]), np.array([1, 2, 1, 1]))
    >>> [(segment.text, len(segment.tokens)) for segment in segments("a👍", tokens)]
    [('a', 1), ('👍', 3)]
    """
    data = well_formed(text)[0].encode()
    if len(data) != (tokens.ends[-1] if len(tokens) else 0):
        raise ValueError("These tokens are not the tokens of this text. Pass the text that was tokenized.")

    ends_grapheme = np.zeros(len(data) + 1, dtype=bool)
    ends_grapheme[grapheme_ends(text)] = True
    cuts = (np.flatnonzero(ends_grapheme[tokens.ends]) + 1).tolist()

    found, all_tokens, start = [], list(tokens), 0
    for first, after in zip([0, *cuts], cuts, strict=False):
        group = all_tokens[first:after]
        end = group[-1].end
        found.append(Segment(data[start:end].decode(), group, start, end))
        start = end
    return found
