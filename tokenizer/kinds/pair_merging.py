"""Merging by pairs of ids, for vocabularies that tiktoken, which merges by joined bytes, cannot represent."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np

from tokenizer.encoding.bpe import Merge
from tokenizer.encoding.merging import merge_all
from tokenizer.encoding.model import BytewiseModel, Merges, ModelOutput, Pairs
from tokenizer.encoding.spelling import spell
from tokenizer.encoding.splitting import pieces_of, split_by
from tokenizer.encoding.vocabulary import by_id, fingerprint
from tokenizer.i18n import mark
from tokenizer.split.patterns import has_safe_cuts

UNKNOWN_BYTES = "\ufffd".encode()  # the decoded unknown token


class PairModel(BytewiseModel):
    """Merges by pairs of ids, from single bytes or from characters; `is_words` makes it a model of lower-cased words.

    A character that is not in `base` becomes the unknown token; without one it is dropped, as Hugging Face does.
    With `drop_unmatched`, text that the pattern does not match has no token, as in minbpe.
    """

    engine = mark("Tokenloupe’s own code")

    def __init__(
        self,
        pattern: str | None,
        base: Mapping[bytes, int],
        learned: Sequence[Merge],
        pairs: Pairs,
        unknown_id: int | None,
        unknown_name: str = "<unk>",
        is_words: bool = False,
        unknown_text: bytes = UNKNOWN_BYTES,
        drop_unmatched: bool = False,
    ):
        self.split, self.pairs, self.is_words = split_by(pattern, drop_unmatched), pairs, is_words
        self.kind = "words" if is_words else "bpe"
        self.safe_cuts = is_words or has_safe_cuts(self.split and self.split.pattern)
        self.unknown_id, self.unknown_name = unknown_id, unknown_name
        is_bytes = base.keys() == {bytes([i]) for i in range(256)}
        self._spell = spell if is_bytes else bytes.decode
        self._units = {symbol[0] if is_bytes else symbol.decode(): id for symbol, id in base.items()}
        own = {id: symbol for symbol, id in base.items()} | {merge.rank: merge.token for merge in learned}
        self.tokens = by_id(own if unknown_id is None else own | {unknown_id: unknown_text})
        self._own = own
        ranks: dict[bytes, int] = {}
        for id, token in own.items():
            ranks.setdefault(token, id)
        self.merges = Merges("bytes" if is_bytes else "characters", base, ranks, self.tokens, learned, pairs)

    def encode(self, text: str) -> ModelOutput:
        found: dict[str, list[tuple[int, int, int]]] = {}
        rows, normalized, at, byte = [], [], 0, 0
        for position, piece in self.pieces(text):
            between = text[at:position]
            byte += len(between.encode())
            if piece not in found:
                found[piece] = self._encode_piece(piece)
            rows += [(id, byte + start, length) for id, start, length in found[piece]]
            normalized += [between, self.normalize(piece)]
            at, byte = position + len(piece), byte + len(piece.encode())
        ids, starts, lengths = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return ModelOutput(
            ids.astype(np.uint32), lengths, starts, "".join([*normalized, text[at:]]) if self.is_words else None
        )

    def encode_pre_token(self, pre_token: str) -> list[int]:
        """Returns the ids of a text that is not split any further."""
        return [id for id, _, _ in self._encode_piece(pre_token)]

    def _encode_piece(self, piece: str) -> list[tuple[int, int, int]]:
        """Returns for each token of a piece its id, its first byte in the piece, and its number of bytes."""
        units = self.normalize(piece) if self.merges.alphabet == "characters" else piece.encode()
        # if one letter becomes several, such as İ, the first has all its bytes and the others none
        sizes = (
            [1] * len(units)
            if isinstance(units, bytes)
            else [size for c in piece for size in [len(c.encode()), *[0] * (len(self.normalize(c)) - 1)]]
        )
        ends = list(accumulate(sizes))
        base = [(i, id) for i, unit in enumerate(units) if (id := self._units.get(unit, self.unknown_id)) is not None]
        left = merge_all([id for _, id in base], self.merges.joined)
        rows = []
        for (place, id), after in zip(left, [*(place for place, _ in left[1:]), len(base)], strict=False):
            first, last = base[place][0], base[after - 1][0]
            start = ends[first] - sizes[first]
            rows.append((id, start, ends[last] - start))
        return rows

    def pieces(self, text: str) -> Iterator[tuple[int, str]]:
        include_gaps = not (self.is_words or (self.split and self.split.drops_unmatched))
        return pieces_of(text, self.split and self.split.pattern, include_gaps)

    def piece(self, id: int) -> str:
        return self._spell(self.tokens[id])

    def normalize(self, piece: str) -> str:
        return piece.lower() if self.is_words else piece

    @cached_property
    def fingerprint(self) -> str:
        lines = [
            f"{self.kind} {self.unknown_id}",
            *(f"{left} {right} {id}" for (left, right), id in self.pairs.items()),
        ]
        return fingerprint(by_id(self._own), "\n".join(lines).encode())


def tiktoken_agrees(tokens: Mapping[int, bytes], pairs: Pairs) -> bool:
    r"""Whether merging by joined bytes, as tiktoken does, gives the same tokens as merging by pairs.

    It does if all tokens differ and single bytes merge to each token only through its own halves: no earlier merge may
    cross the middle. This holds for all merges that were learned from a text.

    >>> tokens = {i: bytes([i]) for i in range(256)}
    >>> tiktoken_agrees(tokens | {256: b"ab", 257: b"abc"}, {(97, 98): 256, (256, 99): 257})
    True
    >>> tiktoken_agrees(tokens | {256: b"bc", 257: b"ab", 258: b"abc"}, {(98, 99): 256, (97, 98): 257, (257, 99): 258})
    False
    """
    if len(set(tokens.values())) < len(tokens):
        return False
    halves = {new: pair for pair, new in pairs.items()}
    return len(halves) == len(pairs) and all(stays_apart(*pair, new, pairs, halves) for pair, new in pairs.items())


def stays_apart(left: int, right: int, limit: int, pairs: Pairs, halves: Mapping[int, tuple[int, int]]) -> bool:
    """Whether merges below `limit` turn the bytes of two adjacent tokens into exactly these two.

    Undoes their merges, the latest first, and checks each time whether an earlier merge would cross the middle.
    """
    while True:
        if pairs.get((left, right), limit) < limit:
            return False
        if left not in halves and right not in halves:
            return True
        if right not in halves or (left in halves and left > right):
            limit, left = left, halves[left][1]
        else:
            limit, right = (
                right + 1,
                halves[right][0],
            )  # + 1: a run is merged from left to right, across the middle first
