"""Encodings made of merges: those that training yields, or that a file lists."""

import hashlib
from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from tokenizer.encoding.bpe import Ranks
from tokenizer.encoding.byte_bpe import LARGEST_ID, Encoding
from tokenizer.encoding.pair_merging import OwnEngine, Pairs, tiktoken_agrees
from tokenizer.encoding.tokens import Tokens
from tokenizer.errors import BadAlphabet, BadMerge
from tokenizer.text.well_formed import well_formed
from tokenizer.training.train import Merge

SINGLE_BYTES = {bytes([i]): i for i in range(256)}
UNKNOWN = "\ufffd".encode()  # what an unknown character becomes when it is decoded
LONGEST_TOKEN = 1_000_000  # bytes; merges of merges grow by doubling
MOST_BYTES = 100_000_000  # of all tokens together


def encoding_from_merges(
    merges: Iterable[Merge | tuple[bytes, bytes]],
    pattern: str | None = "cl100k_base",
    special_tokens: Iterable[str] | Mapping[str, int] = (),
    name: str = "trained",
    alphabet: str | Iterable[str] = "bytes",
) -> "TrainedEncoding":
    """Returns the encoding that these merges make; special tokens get the ids after them.

    `alphabet` is "bytes", "characters" (those in the merges, which must be all), or the characters themselves.

    >>> from tokenizer.training.train import train
    >>> enc = encoding_from_merges(train("aaabdaaabac", 259, None), None, ["<|end|>"], "toy")
    >>> enc.encode("aaab!<|end|>", special="special")
    [258, 33, 259]
    """
    merges = list(merges)
    base = base_symbols(alphabet, merges)
    merges = numbered(merges, base, range(len(base), len(base) + len(merges)))
    encoding = TrainedEncoding(name, pattern, base, merges, {})
    if not isinstance(special_tokens, Mapping):
        first = len(base) + len(merges)
        special_tokens = {token: first + i for i, token in enumerate(special_tokens)}
    return encoding.with_special_tokens(special_tokens) if special_tokens else encoding


class TrainedEncoding(Encoding):
    """An encoding that knows its merges: in training order, with what was counted where that is known.

    Where tiktoken would merge in another way, or the base symbols are characters, our own code does it.
    """

    def __init__(
        self,
        name: str,
        pattern: str | None,
        base: Mapping[bytes, int],
        merges: Sequence[Merge],
        special_tokens: Mapping[str, int],
        unknown_id: int | None = None,
    ):
        self.base, self.merges = dict(base), list(merges)  # base symbols with their ids
        self.alphabet = "bytes" if self.base.keys() == SINGLE_BYTES.keys() else "characters"
        self._tokens = {id: symbol for symbol, id in base.items()} | {merge.rank: merge.token for merge in self.merges}
        self._pairs = id_pairs(self.base, self.merges)
        self._agrees = self.alphabet == "bytes" and tiktoken_agrees(self._tokens, self._pairs)
        self.unknown_id = None
        if self.alphabet == "characters":
            self.unknown_id = max([*self._tokens, *special_tokens.values()]) + 1
        ranks: Ranks = {}
        for id, token in self._tokens.items():
            ranks.setdefault(token, id)
        super().__init__(name, pattern, ranks, special_tokens, rank_table_sha256(self._tokens))

    def with_special_tokens(self, special_tokens: Mapping[str, int]) -> "TrainedEncoding":
        """Returns an encoding of the same name and merges that knows these special tokens too."""
        for token, id in special_tokens.items():
            if id != self.unknown_id:  # that one moves behind them
                self._check_new_special_token(token, id, special_tokens)
        return TrainedEncoding(
            self.name,
            self.pattern_name or self.pattern,
            self.base,
            self.merges,
            self.special_tokens | dict(special_tokens),
        )

    def tokenize(self, text: str, special: str = "text") -> Tokens:
        """Returns the tokens of a text with the UTF-8 bytes that each covers."""
        tokens = super().tokenize(text, special)
        if self.unknown_id is None or not (unknown := tokens.id_array == self.unknown_id).any():
            return tokens
        lengths = self.byte_lengths(tokens.id_array)
        lengths[unknown] = [len(character.encode()) for _, character in self.unknown_characters(text, special)]
        return Tokens(tokens.text, tokens.id_array, lengths, self._special_ids, tokens.replaced)

    def unknown_characters(self, text: str, special: str = "text") -> list[tuple[int, str]]:
        """Returns the characters that have no token, with their positions; there are none if the alphabet is bytes.

        >>> encoding_from_merges([], None, alphabet="ab").unknown_characters("cab")
        [(0, 'c')]
        """
        if self.unknown_id is None:
            return []
        found, start = [], 0
        for stretch, is_special in self._stretches(well_formed(text)[0], special):
            known = is_special or set(stretch) <= self._tiktoken.base.keys()
            found += [] if known else [(start + i, c) for i, c in enumerate(stretch) if c not in self._tiktoken.base]
            start += len(stretch)
        return found

    @property
    def engine(self) -> str:
        """What makes the ids: all of it tiktoken, tiktoken's merging after our own splitting, or our own code alone."""
        return super().engine if self._agrees else "our own code"

    def _make_engine(self):
        if self._agrees:
            return super()._make_engine()
        self._splits_in_tiktoken = False
        tokens = self._tokens | {id: token.encode() for token, id in self.special_tokens.items()}
        if self.unknown_id is None:
            return OwnEngine(tokens, {symbol[0]: id for symbol, id in self.base.items()}, self._pairs, None)
        tokens[self.unknown_id] = UNKNOWN
        base = {symbol.decode(): id for symbol, id in self.base.items()}
        return OwnEngine(tokens, base, self._pairs, self.unknown_id)

    def _make_length_table(self) -> np.ndarray:
        table = super()._make_length_table()
        table[list(self._tokens)] = list(map(len, self._tokens.values()))
        if self.unknown_id is not None:
            table[self.unknown_id] = len(UNKNOWN)
        return table


def base_symbols(alphabet: str | Iterable[str], merges: Sequence) -> dict[bytes, int]:
    """Returns the base symbols with their ids: 256 bytes, or characters by code point.

    >>> base_symbols("ba", [])
    {b'a': 0, b'b': 1}
    """
    if alphabet == "bytes":
        return SINGLE_BYTES
    if alphabet == "characters":
        try:
            seen = sorted({c for merge in merges for half in halves(merge) for c in half.decode()})
        except UnicodeDecodeError:
            raise BadAlphabet(alphabet, "the merges are of bytes, not of characters") from None
        ranks = [merge.rank for merge in merges[:1] if isinstance(merge, Merge)]
        if ranks and ranks[0] != len(seen):
            raise BadAlphabet(
                alphabet,
                f"the training had {ranks[0]:,} characters, of which the merges use {len(seen):,};"
                " pass the characters themselves, such as set(text)",
            )
        return {c.encode(): id for id, c in enumerate(seen)}
    characters = sorted(set(alphabet))
    if not characters or not all(
        isinstance(c, str) and len(c) == 1 and not "\ud800" <= c <= "\udfff" for c in characters
    ):
        raise BadAlphabet(alphabet, "it is neither 'bytes' nor 'characters' nor a collection of single characters")
    return {c.encode(): id for id, c in enumerate(characters)}


def halves(merge: Merge | tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """Returns the two tokens that a merge joins."""
    return (merge.left, merge.right) if isinstance(merge, Merge) else tuple(merge)


def numbered(merges: Sequence[Merge | tuple[bytes, bytes]], base: Collection[bytes], ids: Iterable[int]) -> list[Merge]:
    """Returns the merges as `Merge` with these ids; those given as pairs have not been counted: 0."""
    numbered, known, size = [], set(base), 0
    for position, (merge, id) in enumerate(zip(merges, ids, strict=True)):
        left, right = halves(merge)
        for half in (left, right):
            if half not in known:
                raise BadMerge(position, (left, right), f"{half!r} is neither a base symbol nor made by a merge before")
        size += (length := len(left) + len(right))
        if length > LONGEST_TOKEN or size > MOST_BYTES or id > LARGEST_ID:
            raise BadMerge(position, id, f"the vocabulary gets too large: a token of {length:,} bytes, {size:,} in all")
        known.add(left + right)
        count, saved = (merge.count, merge.saved) if isinstance(merge, Merge) else (0, 0)
        numbered.append(Merge(id, left, right, left + right, count, saved))
    return numbered


def id_pairs(base: Mapping[bytes, int], merges: Iterable[Merge]) -> Pairs:
    """Returns the two ids that each merge joins; where two tokens have the same bytes, the first of them is meant."""
    ids, pairs = dict(base), {}
    for position, merge in enumerate(merges):
        pair = ids[merge.left], ids[merge.right]
        if pair in pairs:
            raise BadMerge(position, (merge.left, merge.right), "a merge before is the same")
        pairs[pair] = merge.rank
        ids.setdefault(merge.token, merge.rank)
    return pairs


def rank_table(tokens: Mapping[int, bytes]) -> bytes:
    """Returns the tokens as a .tiktoken file has them.

    >>> rank_table({1: b"ab", 0: b"a"})
    b'YQ== 0\\nYWI= 1\\n'
    """
    return b"".join([b"%s %d\n" % (b64encode(token), id) for id, token in sorted(tokens.items())])


def rank_table_sha256(tokens: Mapping[int, bytes]) -> str:
    """Returns the sha256 of the tokens as a .tiktoken file has them."""
    return hashlib.sha256(rank_table(tokens)).hexdigest()
