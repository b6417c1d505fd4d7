"""Tokens with the bytes they cover, and what of them can be drawn: segments and pieces of whole graphemes."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from tokenizer.i18n import tr
from tokenizer.notebook_repr import NotebookRepr
from tokenizer.text.units import grapheme_ends
from tokenizer.text.well_formed import well_formed

MAX_GRAPHEME_BYTES = 200  # read after a cut: a grapheme of people has some 30
NORMAL, SPECIAL, UNKNOWN, BYTE = range(4)  # kinds of tokens; BYTE: one byte of a character that has no token


class Token(NamedTuple):
    """One token: its id and the UTF-8 bytes of the text it covers, which may be none."""

    id: int
    start: int
    end: int
    special: bool = False


class Tokens(NotebookRepr, Sequence[Token]):
    """The tokens of a text, kept as arrays; a Token is made on request.

    A token covers `lengths` bytes of `text` from `starts` on; without `starts`, each begins where the one before ends.
    Between two tokens there may be a gap, but none begins before the one before it ends.

    >>> tokens = Tokens("a b", np.array([64, 275]), np.array([1, 2]))
    >>> tokens[1]
    Token(id=275, start=1, end=3, special=False)
    """

    def __init__(
        self,
        text: str,
        id_array: np.ndarray,
        lengths: np.ndarray,
        starts: np.ndarray | None = None,
        kinds: np.ndarray | None = None,
        normalized: str | None = None,
    ):
        self.text = text  # well-formed: the spans refer to this one
        self.normalized = text if normalized in (None, text) else normalized  # what the model read
        self.replaced = 0  # how many lone surrogates became U+FFFD
        self.encoding = ""  # the name of the one that made them, where one did
        self.id_array = id_array
        self.ends = lengths.cumsum(dtype=np.int64) if starts is None else starts + lengths
        self.starts = self.ends - lengths if starts is None else starts
        self.kinds = np.zeros(len(id_array), np.uint8) if kinds is None else kinds

    @classmethod
    def joined(cls, parts: "Sequence[Tokens]") -> "Tokens":
        """Returns the tokens of adjacent texts as those of one text."""
        sizes = [len(part.text.encode()) for part in parts]
        starts = [part.starts + at for part, at in zip(parts, accumulate(sizes, initial=0), strict=False)]
        lengths, kinds = [part.ends - part.starts for part in parts], [part.kinds for part in parts]
        arrays = map(np.concatenate, ([part.id_array for part in parts], lengths, starts, kinds))
        return cls("".join(part.text for part in parts), *arrays, "".join(part.normalized for part in parts))

    def beginning(self, max_tokens: int) -> "Tokens":
        """Returns the first tokens, at most `max_tokens`: as many as end where a grapheme ends.

        >>> tokens = Tokens("a👍b", np.array([64, 9468, 239, 235, 65]), np.array([1, 2, 1, 1, 1]))
        >>> [tokens.beginning(most).text for most in (5, 4, 3, 0)]
        ['a👍b', 'a👍', 'a', '']
        """
        if len(self) <= max_tokens:
            return self
        end = int(self.ends[max_tokens - 1]) if max_tokens else 0
        text = self.text.encode()[: end + MAX_GRAPHEME_BYTES].decode(errors="ignore")  # a grapheme may end later
        ends_grapheme = np.isin(self.ends[:max_tokens], grapheme_ends(text))
        count = int(np.flatnonzero(ends_grapheme)[-1]) + 1 if ends_grapheme.any() else 0
        end = int(self.ends[count - 1]) if count else 0
        starts, text = self.starts[:count], self.text.encode()[:end].decode()
        first = Tokens(text, self.id_array[:count], self.ends[:count] - starts, starts, self.kinds[:count])
        first.encoding = self.encoding
        return first

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
        return Token(id, start, end, bool(self.kinds[position] == SPECIAL))

    def __iter__(self) -> Iterator[Token]:
        special = (self.kinds == SPECIAL).tolist()
        return map(Token, self.ids, self.starts.tolist(), self.ends.tolist(), special)

    def __repr__(self) -> str:
        return f"<{len(self)} tokens of a text of {len(self.text)} characters>"


class Piece(NamedTuple):
    """What can be drawn: a run of whole graphemes of one token, or one grapheme that several tokens share.

    Text that no token covers is a piece with `last` before `first`, the token that comes next; a token that covers
    nothing is a piece without text.
    """

    text: str
    first: int  # index of the first token that has bytes in it
    last: int


def pieces(tokens: Tokens) -> Iterator[Piece]:
    """Yields the pieces of a text in order; their texts join to it.

    >>> from tokenizer import get_encoding
    >>> [tuple(piece) for piece in pieces(get_encoding("gpt2").tokenize("a ที่"))]
    [('a', 0, 0), (' ', 1, 1), ('ที่', 2, 7)]
    >>> [tuple(piece) for piece in pieces(Tokens("a b", np.array([0, 5, 1]), np.array([1, 0, 1]), np.array([0, 1, 2])))]
    [('a', 0, 0), ('', 1, 1), (' ', 2, 1), ('b', 2, 2)]
    """
    data = tokens.text.encode()
    ends, firsts, lasts = _with_gaps(tokens, len(data))
    cuts = grapheme_ends(tokens.text).tolist()
    start = at = 0  # a byte; a token, or a gap, that has not been drawn to its end
    for cut, next_cut in pairwise([0, *cuts, len(data) + 1]):
        first = at
        while at < len(ends) and ends[at] < cut:
            at += 1
        if start < cut and (first < at or next_cut > ends[at]):  # shared, or the last that this token has whole
            yield Piece(data[start:cut].decode(), firsts[first], lasts[at])
            start = cut
        at += cut > 0 and ends[at] == cut
        while at < len(ends) and ends[at] == cut:  # those that cover nothing
            yield Piece("", firsts[at], lasts[at])
            at += 1


def _with_gaps(tokens: Tokens, size: int) -> tuple[list[int], list[int], list[int]]:
    """Where tokens and the gaps between them end, and the first and last token of each: none for a gap."""
    index = np.arange(len(tokens) + 1)
    gaps = np.flatnonzero(np.append(tokens.starts, size) > np.concatenate([[0], tokens.ends]))
    ends = np.insert(tokens.ends, gaps, np.append(tokens.starts, size)[gaps])
    firsts = np.insert(index[:-1], gaps, gaps)
    return ends.tolist(), firsts.tolist(), np.insert(index[:-1], gaps, gaps - 1).tolist()


class Segment(NamedTuple):
    """The shortest run of tokens that covers whole graphemes, and its text; a gap has no tokens."""

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
    if well_formed(text)[0] != tokens.text:
        raise ValueError(tr("These tokens are not the tokens of this text. Pass the text that was tokenized."))
    found: list[Piece] = []
    for piece in pieces(tokens):
        if found and found[-1].first <= piece.first <= found[-1].last:  # of a token that the last one has a part of
            piece = Piece(found[-1].text + piece.text, found.pop().first, piece.last)
        found.append(piece)
    all_tokens, ends = list(tokens), np.cumsum([0, *(len(piece.text.encode()) for piece in found)]).tolist()
    return [
        Segment(piece.text, all_tokens[piece.first : piece.last + 1], start, end)
        for piece, start, end in zip(found, ends, ends[1:], strict=False)
    ]
