"""A text cut into parts of at most so many tokens, none inside a grapheme."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr, trn
from tokenizer.text.units import grapheme_ends
from tokenizer.text.well_formed import well_formed

MAX_EXTRA_GRAPHEMES = 64  # graphemes: so far a part may have to go on where its first grapheme alone is too much


class CannotSplit(TokenizerError):
    """A text cannot be cut into parts of so many tokens."""


class Chunk(NamedTuple):
    """A part of a text: where it begins, in bytes of UTF-8, and how many tokens it has when it is encoded alone."""

    text: str
    start: int
    tokens: int


def split_into_chunks(text: str, encoding: Encoding, size: int, overlap: int = 0) -> Iterator[Chunk]:
    """Yields parts of a text that have at most `size` tokens each when encoded alone, cut between graphemes.

    A part alone may have other tokens than it has within the text, so each is encoded and its own tokens count. Without
    an overlap the parts join to the text. With one, a part begins with the end of the one before: as much of it as has
    at most `overlap` tokens by itself, and nothing where no part could go on after it. Raises CannotSplit.

    >>> from tokenizer import get_encoding
    >>> [tuple(part) for part in split_into_chunks("one two three four", get_encoding("gpt2"), 3, overlap=1)]
    [('one two three', 0, 3), (' three four', 7, 2)]
    """
    if size < 1 or not 0 <= overlap < size:
        raise CannotSplit(tr("A part needs at least 1 token, and an overlap must be shorter than a part."))
    text = well_formed(text)[0]
    cutter = Chunker(text, encoding)
    start, begin = 0, 0  # where the part begins that is next, and where what no part has yet begins
    while begin < len(cutter.data):
        end, tokens = cutter.reach(start, size)
        if end <= begin:  # the overlap leaves no room for anything new
            start = begin
            continue
        yield Chunk(cutter.data[start:end].decode(), start, tokens)
        begin, start = end, cutter.back(start, end, overlap)


class Chunker:
    """A text and where its graphemes end, in bytes."""

    def __init__(self, text: str, encoding: Encoding):
        self.data, self.encoding = text.encode(), encoding
        self.cuts = np.concatenate([[0], grapheme_ends(text)]).astype(np.int64)
        self.ends = encoding.tokenize(text).ends  # of the tokens within the whole: where to try first

    def count(self, start: int, end: int) -> int:
        """Returns how many tokens a stretch has when it is encoded alone."""
        return len(self.encoding.encode_array(self.data[start:end].decode()))

    def reach(self, start: int, size: int) -> tuple[int, int]:
        """Returns where a part that begins there may end, and its tokens; raises CannotSplit."""
        first = int(np.searchsorted(self.cuts, start, side="right"))
        k = int(np.searchsorted(self.ends, start, side="right")) + size - 1
        wanted = int(self.ends[k]) if k < len(self.ends) else len(self.data)
        at = max(first, int(np.searchsorted(self.cuts, wanted, side="right")) - 1)
        while at >= first:
            end = int(self.cuts[at])
            if (tokens := self.count(start, end)) <= size:
                return end, tokens
            at = min(at - 1, self._shorter(start, end, size))
        for end in self.cuts[
            first + 1 : first + MAX_EXTRA_GRAPHEMES
        ].tolist():  # two graphemes may have fewer tokens than one
            if (tokens := self.count(start, end)) <= size:
                return end, tokens
        least, end = self.count(start, int(self.cuts[first])), int(self.cuts[first])
        grapheme = self.data[start:end].decode()
        raise CannotSplit(
            trn(
                "The grapheme {grapheme!r} alone has {n:,} token in {encoding}, so no part of {size:,} can hold it."
                " Choose parts of at least {n:,}.",
                "The grapheme {grapheme!r} alone has {n:,} tokens in {encoding}, so no part of {size:,} can hold it."
                " Choose parts of at least {n:,}.",
                least,
                grapheme=grapheme[:20],
                encoding=self.encoding.name,
                size=size,
            )
        )

    def _shorter(self, start: int, end: int, size: int) -> int:
        """The cut after the first `size` tokens that a part alone has: what is longer has more, as a rule."""
        ends = self.encoding.tokenize(self.data[start:end].decode()).ends
        return int(np.searchsorted(self.cuts, start + int(ends[size - 1]), side="right")) - 1

    def back(self, start: int, end: int, overlap: int) -> int:
        """Returns where the next part begins: so far before the end of this one that the rest has `overlap` tokens."""
        if not overlap:
            return end
        starts = self.encoding.tokenize(self.data[start:end].decode()).starts
        wanted = start + int(starts[-overlap]) if overlap <= len(starts) else start + 1
        at = int(np.searchsorted(self.cuts, max(wanted, start + 1)))
        while (begin := int(self.cuts[at])) < end and self.count(begin, end) > overlap:
            at += 1
        return begin
