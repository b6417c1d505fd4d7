"""What differs between kinds of encodings: how text is split, and what merges it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from tokenizer.encoding.bpe import Merge, Ranks, recover_merges
from tokenizer.text.well_formed import as_text

Pairs = Mapping[tuple[int, int], int]  # two ids -> the id of the token they become; lower ids are merged first


class Split(NamedTuple):
    """The split pattern, and its name where it is one of ours."""

    pattern: str
    name: str | None


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


class ModelOutput(NamedTuple):
    """What a model makes of a text: ids; spans where they are not the tokens' own lengths side by side."""

    ids: np.ndarray
    lengths: np.ndarray | None = None
    starts: np.ndarray | None = None
    normalized: str | None = None
    kinds: np.ndarray | None = None  # where they say more than which are unknown


class Stage(NamedTuple):
    """One step from a text to its tokens: its name, what comes out of it piece by piece, and what it changed."""

    name: str  # "split", "model"; of a pipeline "normalizer", "pre-tokenizer", "model", "post-processor", "decoder"
    output: list[str]
    says: str = ""  # one plain sentence; nothing where it changed nothing


class Model(Protocol):
    """What differs from kind to kind; `Encoding` makes an encoding of it.

    Most models know nothing of special tokens. One that `finds` some takes two options more for a text: `special`,
    whether it reads those as special tokens, and `is_inside`, whether the text follows a special token.
    """

    kind: str
    engine: str  # what makes the ids, in English words
    split: Split | None
    merges: Merges | None
    tokens: Sequence[bytes | None]  # by id; the unknown one has what it decodes to
    unknown_id: int | None
    unknown_name: str
    fingerprint: str
    safe_cuts: bool
    treats_start_specially: (
        bool  # whether the beginning of a text is read, or decoded, in another way than what follows
    )
    runs_in_library: bool  # whether another program's code reads the text, by a file that anybody may have made
    capabilities: Collection[str]  # names of methods that only this kind has
    native_special_tokens: Mapping[
        str, int
    ]  # special tokens that it finds in a text by itself, if `encode` and `pieces` are told to
    notes: Sequence[str]  # what its file says, or does not, in plain sentences of the language that is spoken

    def encode(self, text: str) -> ModelOutput:
        """Returns the tokens of a well-formed text; without options, names of special tokens in it are text."""

    def pieces(self, text: str) -> Iterable[tuple[int, str]]:
        """Yields the stretches that are encoded one by one, each with its position in characters."""

    def piece(self, id: int) -> str:
        """Returns a token as the vocabulary spells it."""

    def text_of(self, ids: Sequence[int]) -> str | None:
        """Returns what the ids decode to, where that is not their bytes side by side; else None."""

    def prefetch(self, texts: Sequence[str]) -> None:
        """Hears which texts `encode` will be asked for next, one by one."""

    def reencode(self, ids: Sequence[int]) -> Iterable[tuple[str, list[int]] | None]:
        """Returns the text of each of these tokens alone, and what that is read as; None where there is no text."""

    def stages(self, text: str) -> list[Stage] | None:
        """Returns each step from a text to its tokens, where there are more than a split and the merges; else None."""


class LocalModel:
    """A model that answers where it is asked."""

    treats_start_specially = False
    native_special_tokens: Mapping[str, int] = {}
    lazy_notes: Sequence[Callable[[], str]] = ()  # each says a sentence of `notes`, in the language that is spoken then

    @property
    def notes(self) -> Sequence[str]:
        return [say() for say in self.lazy_notes]

    def prefetch(self, texts: Sequence[str]) -> None:
        pass

    def reencode(self, ids: Sequence[int]) -> Iterable[tuple[str, list[int]] | None]:
        return [(text, self.ids_of(text)) if (text := self._own_text(id)) else None for id in ids]

    def ids_of(self, text: str) -> list[int]:
        """Returns the ids of a text alone."""
        return self.encode(text).ids.tolist()

    def _own_text(self, id: int) -> str | None:
        if (text := as_text(self.tokens[id] or b"")) is None:
            return None
        return text if (found := self.text_of([id])) is None else found


class BytewiseModel(LocalModel):
    """What most models are: a text becomes pieces, these become tokens, and their bytes side by side are the text."""

    runs_in_library = False
    capabilities = frozenset()

    def text_of(self, ids: Sequence[int]) -> str | None:
        return None

    def stages(self, text: str) -> list[Stage] | None:
        return None
