"""`Model`: what differs between kinds of encodings, such as splitting and merging."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from tokenizer.encoding.bpe import Merge, Ranks, recover_merges
from tokenizer.text.well_formed import as_text

Pairs = Mapping[tuple[int, int], int]  # two ids -> the id of the token they become; lower ids are merged first


class Split(NamedTuple):
    """The split pattern, its name if it is a known one, and whether text that it does not match has no tokens."""

    pattern: str
    name: str | None
    drops_unmatched: bool = False


@dataclass(frozen=True, eq=False)
class Merges:
    """All that a replay of merges needs: base symbols, ranks and tokens.

    `learned` are the merges in order, or None if only a rank table is known. Without `pairs`, two parts become the
    token that has their joined bytes, as in tiktoken.
    """

    alphabet: str  # "bytes" or "characters"
    base: Mapping[bytes, int]
    ranks: Ranks
    tokens: Sequence[bytes | None]  # by id
    learned: Sequence[Merge] | None = None
    pairs: Pairs | None = None

    def joined(self, left: int, right: int) -> int | None:
        """Returns the id, which is also the rank, of the merge of two neighbors; None if no merge joins them."""
        if self.pairs is None:
            return self.ranks.get(self.tokens[left] + self.tokens[right])
        return self.pairs.get((left, right))

    def in_order(self) -> list[Merge]:
        """Returns the merges by id, learned or recovered from the ranks; raises NotMadeOfTwo.

        >>> from tokenizer import get_encoding
        >>> [(merge.rank, merge.token) for merge in get_encoding("gpt2").merges.in_order()[:2]]
        [(256, b' t'), (257, b' a')]
        """
        if self.learned is not None:
            return list(self.learned)
        halves = recover_merges(self.ranks)
        return [Merge(self.ranks[left + right], left, right, left + right, 0, 0) for left, right in halves]


class ModelOutput(NamedTuple):
    """The tokens of one text; spans in bytes are None if the tokens' bytes, joined, are the text."""

    ids: np.ndarray
    lengths: np.ndarray | None = None
    starts: np.ndarray | None = None
    normalized: str | None = None
    kinds: np.ndarray | None = None  # if there are kinds besides NORMAL and UNKNOWN


class Stage(NamedTuple):
    """One step from a text to its tokens: its name, its output in pieces, and a sentence on what it changed."""

    name: str  # "split", "model"; of a pipeline "normalizer", "pre-tokenizer", "model", "post-processor", "decoder"
    output: list[str]
    description: str = ""  # empty if it changed nothing


class Model(Protocol):
    """The interface of a kind of encoding; `Encoding` adds special tokens, spans and decoding.

    Most models have no special tokens. A model with `native_special_tokens` takes two more options in `encode` and
    `pieces`: `special` (whether it reads those as special tokens) and `is_inside` (whether the text follows one).
    """

    kind: str
    engine: str  # the code that makes the ids, in English; translated by `tr`
    split: Split | None
    merges: Merges | None
    tokens: Sequence[bytes | None]  # bytes by id; the unknown token has what it decodes to
    unknown_id: int | None
    unknown_name: str
    fingerprint: str
    safe_cuts: bool
    treats_start_specially: bool  # in encoding or decoding, such as by a dummy prefix
    runs_in_library: bool  # whether a library encodes the text, from a tokenizer file
    capabilities: Collection[str]  # names of methods that only this kind has, such as "sample"
    native_special_tokens: Mapping[str, int]  # that it finds in a text with special=True
    notes: Sequence[str]  # sentences on its file, in the current language
    ignored_settings: Mapping[str, object]  # of its file: they would change the ids, but have no effect here
    shared_id: tuple[str, str, int] | None  # two tokens of its file with one id
    moved_id: tuple[str, object, int] | None  # a token whose id in the file is not its id here: its name, and both ids
    extends: tuple | None  # the encoding that it continues, and the merges that follow

    def encode(self, text: str) -> ModelOutput:
        """Returns the tokens of a well-formed text; without options, special names are read as text."""

    def pieces(self, text: str) -> Iterable[tuple[int, str]]:
        """Yields the pieces that are encoded one by one, each with its position in characters."""

    def piece(self, id: int) -> str:
        """Returns a token as the vocabulary spells it."""

    def text_of(self, ids: Sequence[int]) -> str | None:
        """Returns the decoded text of the ids, or None if it is their joined bytes."""

    def prefetch(self, texts: Sequence[str]) -> None:
        """Prepares for calls of `encode` with each of these texts."""

    def reencode(self, ids: Sequence[int]) -> Iterable[tuple[str, list[int]] | None]:
        """Returns for each id its text alone and the ids of that text; None if it is not text."""

    def stages(self, text: str) -> list[Stage] | None:
        """Returns each step from a text to its tokens; None if these are just a split and the merges."""


class LocalModel:
    """A model that runs in this process."""

    treats_start_specially = False
    native_special_tokens: Mapping[str, int] = {}
    ignored_settings: Mapping[str, object] = {}
    shared_id = moved_id = extends = None
    lazy_notes: Sequence[Callable[[], str]] = ()  # each returns a sentence of `notes` in the current language

    @property
    def notes(self) -> Sequence[str]:
        return [note() for note in self.lazy_notes]

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
    """A model whose tokens' bytes, joined, are the text."""

    runs_in_library = False
    capabilities = frozenset()

    def text_of(self, ids: Sequence[int]) -> str | None:
        return None

    def stages(self, text: str) -> list[Stage] | None:
        return None
