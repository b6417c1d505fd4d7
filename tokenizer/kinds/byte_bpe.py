"""Byte-level BPE by a rank table, with exactly the ids of tiktoken."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property

import numpy as np
import tiktoken

from tokenizer.encoding.bpe import Merge, Ranks
from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.model import BytewiseModel, Merges, ModelOutput
from tokenizer.encoding.spelling import spell
from tokenizer.encoding.splitting import pieces_of, split_by
from tokenizer.encoding.vocabulary import by_id, fingerprint
from tokenizer.i18n import mark
from tokenizer.split.patterns import has_safe_cuts
from tokenizer.text.well_formed import code_points

ONE_PRE_TOKEN = r"[\s\S]+"  # a split pattern for tiktoken with a single pre-token


def byte_bpe(
    name: str,
    pattern: str | None,
    ranks: Ranks,
    special_tokens: Mapping[str, int] = {},
    rank_table_sha256: str | None = None,
) -> Encoding:
    """Returns the encoding that a rank table makes.

    `pattern` is a known name, a regular expression, or None: then the whole text is one pre-token. Text that the
    pattern does not match is a pre-token of its own (tiktoken drops it).

    >>> toy = byte_bpe("toy", r"\\w+", {bytes([i]): i for i in range(256)} | {b"ab": 256})
    >>> toy.encode("ab abc"), toy.engine
    ([256, 32, 256, 99], 'Tokenloupe (splits), tiktoken (merges)')
    """
    return Encoding(name, RankModel(pattern, ranks, rank_table_sha256), special_tokens)


@cache
def category_ranges(category: str) -> list[int]:
    """Returns the first and the last code point of each run of characters of a category, as tiktoken classifies them.

    >>> category_ranges("Lt")[:6]
    [453, 453, 456, 456, 459, 459]
    """
    every = np.arange(0x110000, dtype="<u4").tobytes().decode("utf-32-le", "ignore")  # without surrogates
    bytewise = {bytes([i]): i for i in range(256)}
    found = tiktoken.Encoding("", pat_str=rf"\p{{{category}}}", mergeable_ranks=bytewise, special_tokens={})
    points = code_points(found.decode(found.encode_ordinary(every))).astype(np.int64)  # it drops all others
    ends = np.flatnonzero(np.diff(points, append=-1) != 1)
    starts = np.concatenate([[0], ends[:-1] + 1])
    return np.stack([points[starts], points[ends]], axis=1).ravel().tolist()


class RankModel(BytewiseModel):
    """Merges by joined bytes with tiktoken's code."""

    kind, unknown_id, unknown_name = "bpe", None, ""

    def __init__(
        self,
        pattern: str | None,
        ranks: Ranks,
        rank_table_sha256: str | None = None,
        learned: Sequence[Merge] | None = None,
    ):
        self.split, self.ranks, self.learned = split_by(pattern), ranks, learned
        self.pattern = self.split and self.split.pattern
        # tiktoken has no timeout, so it only gets patterns that are known to be fast
        self.safe_cuts = self.splits_in_tiktoken = has_safe_cuts(self.pattern)
        self.engine = "tiktoken" if self.splits_in_tiktoken else mark("Tokenloupe (splits), tiktoken (merges)")
        self.tiktoken = self._engine(self.pattern) if self.splits_in_tiktoken else self._whole
        self._sha256 = rank_table_sha256

    def _engine(self, pattern: str) -> tiktoken.Encoding:
        # unused, but without any special token tiktoken would search the empty name at every byte
        never = {"\uffff" * 8: 2**31}
        return tiktoken.Encoding("", pat_str=pattern, mergeable_ranks=self.ranks, special_tokens=never)

    @cached_property
    def _whole(self) -> tiktoken.Encoding:
        return self._engine(ONE_PRE_TOKEN)

    def encode(self, text: str) -> ModelOutput:
        if self.splits_in_tiktoken:
            try:
                return ModelOutput(self.tiktoken.encode_to_numpy(text, disallowed_special=()))
            except ValueError:
                # tiktoken's regex engine runs out of stack on some texts, such as a million spaces and a letter.
                # encode_to_numpy raises ValueError then; encode_ordinary panics, so no text goes there unsplit.
                pass
        return ModelOutput(np.array(self.encode_in_pieces(text), dtype=np.uint32))

    def encode_in_pieces(self, text: str) -> list[int]:
        """Returns the same ids more slowly for any text: `regex` splits, tiktoken merges."""
        ids: list[int] = []
        for _, pre_token in self.pieces(text):
            ids += self.encode_pre_token(pre_token)
        return ids

    def encode_pre_token(self, pre_token: str) -> list[int]:
        """Returns the ids of a text that is not split any further."""
        return self._whole.encode_ordinary(pre_token)  # releases the GIL; a million spaces take 0.5 s

    def pieces(self, text: str) -> Iterator[tuple[int, str]]:
        return pieces_of(text, self.pattern)

    def piece(self, id: int) -> str:
        return spell(self.tokens[id])

    @cached_property
    def tokens(self) -> list[bytes | None]:
        return by_id({id: token for token, id in self.ranks.items()})

    @cached_property
    def merges(self) -> Merges:
        base = {token: id for token, id in self.ranks.items() if len(token) == 1}
        return Merges("bytes", base, self.ranks, self.tokens, self.learned)

    @cached_property
    def fingerprint(self) -> str:
        return self._sha256 or fingerprint(self.tokens)
