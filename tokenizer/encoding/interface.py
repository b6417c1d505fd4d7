"""What may be asked of any encoding, whatever its kind. Ask whether `merges` or `split` is None, never for a class."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from tokenizer.encoding.bpe import Merge, Ranks, recover_merges
from tokenizer.encoding.tokens import Tokens

Pairs = Mapping[tuple[int, int], int]  # two ids -> the id of the token they become; lower ids are merged first


class Split(NamedTuple):
    """The split pattern, and its name where it is one of ours."""

    pattern: str
    name: str | None


class Stage(NamedTuple):
    """What stands after one stage: "normalize", "split" or "model"."""

    name: str
    parts: list[str]


@dataclass(frozen=True, eq=False)
class Merges:
    """What merging starts from and what it makes: all that is needed to replay it.

    `learned` are the merges in their order, or None where only a rank table is known. Without `pairs`, two parts become
    the token that has their joined bytes, which is tiktoken's way.
    """

    alphabet: str  # "bytes" or "characters"
    base: Mapping[bytes, int]
    ranks: Ranks
    tokens: Sequence[bytes | None]  # by id
    learned: Sequence[Merge] | None = None
    pairs: Pairs | None = None

    def joined(self, left: int, right: int) -> int | None:
        """Returns the id that two neighbors become, which is its rank too, or None where no merge joins them."""
        if self.pairs is None:
            return self.ranks.get(self.tokens[left] + self.tokens[right])
        return self.pairs.get((left, right))

    def in_order(self) -> list[Merge]:
        """Returns the merges by id: those learned, or those that the ranks imply; raises NotMadeOfTwo.

        >>> from tokenizer import get_encoding
        >>> [(merge.rank, merge.token) for merge in get_encoding("gpt2").merges.in_order()[:2]]
        [(256, b' t'), (257, b' a')]
        """
        if self.learned is not None:
            return list(self.learned)
        halves = recover_merges(self.ranks)
        return [Merge(self.ranks[left + right], left, right, left + right, 0, 0) for left, right in halves]


class Encoding(Protocol):
    """A named, ready tokenizer.

    `special` says what the name of a special token is when a text contains it: "text" (ordinary text), "special" (the
    token itself) or "error" (SpecialTokenInText is raised).
    """

    name: str
    kind: str  # "bpe", "characters", "words"
    special_tokens: dict[str, int]
    unknown_id: int | None  # the token of what the vocabulary does not have
    split: Split | None  # None: a text is not split
    merges: Merges | None  # None: there is nothing to replay

    @property
    def fingerprint(self) -> str:
        """The sha256 of all tokens but the special ones, as a .tiktoken file has them, and of merges that say more."""

    @property
    def vocab_size(self) -> int:
        """How many tokens there are, special ones too."""

    @property
    def id_limit(self) -> int:
        """The largest id + 1; some ids below may stand for nothing."""

    @property
    def safe_cuts(self) -> bool:
        """Whether a text may be cut at SAFE_CUT and tokenized piece by piece, special tokens included."""

    def tokenize(self, text: str, special: str = "text") -> Tokens:
        """Returns the tokens of a text with the UTF-8 bytes that each covers."""

    def encode(self, text: str, special: str = "text") -> list[int]:
        """Returns the ids of a text."""

    def encode_array(self, text: str, special: str = "text") -> np.ndarray:
        """Returns the ids of a text as a uint32 array, made without a Python list."""

    def pre_tokens(self, text: str, special: str = "text") -> list[tuple[int, int]]:
        """Returns the spans, in UTF-8 bytes, of the stretches that no merge may cross; there may be gaps between."""

    def stages(self, text: str) -> list[Stage]:
        """Returns what becomes of a text, stage by stage; one that an encoding does not have is left out."""

    def spells_special(self, text: str) -> bool:
        """Whether the text contains the name of a special token."""

    def unknown_characters(self, text: str, special: str = "text") -> list[tuple[int, str]]:
        """Returns what became the unknown token, with its position in characters."""

    def decode(self, ids: Sequence[int]) -> str:
        """Returns the text of the ids; bytes that are not UTF-8 and unknown tokens become U+FFFD."""

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        """Returns the bytes of the ids, one after the other; raises UnknownTokenIds."""

    def token_bytes(self, id: int) -> bytes:
        """Returns the bytes that one token decodes to; raises UnknownTokenIds."""

    def bytes_of(self, id: int) -> bytes | None:
        """Returns the bytes that a token stands for; None for the unknown one, and for an id that is no token."""

    def byte_lengths(self, ids: np.ndarray) -> np.ndarray:
        """Returns how many bytes each of these ids decodes to; all must be known."""

    def piece(self, id: int) -> str:
        """Returns a token as the vocabulary spells it: `Ġhello`, `<unk>`; raises UnknownTokenIds."""

    def ids(self) -> Iterable[int]:
        """Returns the ids that stand for a token, in order."""

    def knows(self, id: object) -> bool:
        """Whether `id` is a token of this encoding."""

    def with_special_tokens(self, special_tokens: Mapping[str, int]) -> "Encoding":
        """Returns an encoding of the same name and tokens that knows these special tokens too."""


class Read(NamedTuple):
    """What a model makes of a text: ids; spans where they are not the tokens' own lengths side by side."""

    ids: np.ndarray
    lengths: np.ndarray | None = None
    starts: np.ndarray | None = None
    normalized: str | None = None


class Model(Protocol):
    """What differs from kind to kind; `Composed` makes an encoding of it. It knows nothing of special tokens."""

    kind: str
    engine: str  # what makes the ids, in words
    split: Split | None
    merges: Merges | None
    tokens: Sequence[bytes | None]  # by id; the unknown one has what it decodes to
    unknown_id: int | None
    unknown_name: str
    fingerprint: str
    safe_cuts: bool

    def encode(self, text: str) -> Read:
        """Returns the tokens of a text that is well-formed and holds no special tokens."""

    def pieces(self, text: str) -> Iterable[tuple[int, str]]:
        """Yields the stretches that are encoded one by one, each with its position in characters."""

    def normalize(self, piece: str) -> str:
        """Returns one stretch as the model reads it."""

    def spell(self, token: bytes) -> str:
        """Returns a token as the vocabulary spells it."""
