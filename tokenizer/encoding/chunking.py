"""Chunking: a text cut between graphemes into chunks with a bounded number of tokens."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr, trn
from tokenizer.text.units import grapheme_ends
from tokenizer.text.well_formed import well_formed

MAX_EXTRA_GRAPHEMES = 64  # by which a chunk is extended when its first grapheme alone has too many tokens


class CannotSplit(TokenizerError):
    """A text cannot be cut into chunks of this size."""


class Chunk(NamedTuple):
    """A chunk of a text: its first byte (UTF-8) in the text, and its number of tokens when it is encoded alone."""

    text: str
    start: int
    tokens: int


def split_into_chunks(text: str, encoding: Encoding, size: int, overlap: int = 0) -> Iterator[Chunk]:
    """Yields chunks of a text that have at most `size` tokens each when encoded alone, cut between graphemes.

    A chunk can have other tokens alone than within the text, so each is encoded by itself. Without an overlap the
    chunks join to the text. With one, a chunk starts with the end of the previous chunk, as much of it as has at most
    `overlap` tokens alone, unless that leaves no room for new text. Raises CannotSplit.

    >>> from tokenizer import get_encoding
    >>> [tuple(chunk) for chunk in split_into_chunks("one two three four", get_encoding("gpt2"), 3, overlap=1)]
    [('one two three', 0, 3), (' three four', 7, 2)]
    """
    if size < 1 or not 0 <= overlap < size:
        raise CannotSplit(
            tr(
                "The size of chunks must be at least 1 token, and the overlap must be at least 0 tokens and smaller"
                " than that size."
            )
        )
    text = well_formed(text)[0]
    chunker = Chunker(text, encoding)
    start, begin = 0, 0  # of the next chunk, and of the text that no chunk has yet
    while begin < len(chunker.data):
        end, tokens = chunker.reach(start, size)
        if end <= begin:  # the overlap leaves no room for new text
            start = begin
            continue
        yield Chunk(chunker.data[start:end].decode(), start, tokens)
        begin, start = end, chunker.back(start, end, overlap)


class Chunker:
    """Finds the ends of chunks in one text, in bytes of UTF-8."""

    def __init__(self, text: str, encoding: Encoding):
        self.data, self.encoding = text.encode(), encoding
        self.cuts = np.concatenate([[0], grapheme_ends(text)]).astype(np.int64)
        self.ends = encoding.tokenize(text).ends  # of the tokens within the whole text: the first guess

    def count(self, start: int, end: int) -> int:
        """Returns the number of tokens of `data[start:end]` when it is encoded alone."""
        return len(self.encoding.encode_array(self.data[start:end].decode()))

    def reach(self, start: int, size: int) -> tuple[int, int]:
        """Returns the end of the chunk from `start` on, and its number of tokens; raises CannotSplit."""
        first = int(np.searchsorted(self.cuts, start, side="right"))
        k = int(np.searchsorted(self.ends, start, side="right")) + size - 1
        target = int(self.ends[k]) if k < len(self.ends) else len(self.data)
        at = max(first, int(np.searchsorted(self.cuts, target, side="right")) - 1)
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
                "The grapheme {grapheme!r} alone has {n:,} token in {encoding}, more than the chunk size of"
                " {size:,}. Choose a chunk size of at least {n:,} token.",
                "The grapheme {grapheme!r} alone has {n:,} tokens in {encoding}, more than the chunk size of"
                " {size:,}. Choose a chunk size of at least {n:,} tokens.",
                least,
                grapheme=grapheme[:20],
                encoding=self.encoding.name,
                size=size,
            )
        )

    def _shorter(self, start: int, end: int, size: int) -> int:
        """The last cut within the first `size` tokens of the chunk alone; a longer chunk usually has more tokens."""
        ends = self.encoding.tokenize(self.data[start:end].decode()).ends
        return int(np.searchsorted(self.cuts, start + int(ends[size - 1]), side="right")) - 1

    def back(self, start: int, end: int, overlap: int) -> int:
        """Returns the start of the next chunk, so that its overlap with this one has at most `overlap` tokens."""
        if not overlap:
            return end
        starts = self.encoding.tokenize(self.data[start:end].decode()).starts
        target = start + int(starts[-overlap]) if overlap <= len(starts) else start + 1
        at = int(np.searchsorted(self.cuts, max(target, start + 1)))
        while (begin := int(self.cuts[at])) < end and self.count(begin, end) > overlap:
            at += 1
        return begin
