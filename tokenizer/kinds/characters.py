"""Characters: the sorted set of a training text's characters, looked up one by one."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.encoding.model import BytewiseModel, ModelOutput
from tokenizer.encoding.vocabulary import fingerprint
from tokenizer.errors import NothingToTrainOn
from tokenizer.i18n import mark
from tokenizer.kinds.from_merges import base_symbols
from tokenizer.kinds.pair_merging import UNKNOWN_BYTES
from tokenizer.text.well_formed import code_points, utf8_lengths, well_formed


def train_characters(texts: str | Iterable[str], name: str = "characters") -> Encoding:
    """Returns the encoding of the characters in these texts, by code point; all others are unknown.

    >>> enc = train_characters("hello")
    >>> enc.encode("hole"), [enc.piece(id) for id in enc.ids()]
    ([1, 3, 2, 0], ['e', 'h', 'l', 'o', '<unk>'])
    """
    characters = {c for text in ([texts] if isinstance(texts, str) else texts) for c in well_formed(text)[0]}
    if not characters:
        raise NothingToTrainOn
    return characters_encoding(characters, {}, name)


def characters_encoding(characters: Iterable[str], special_tokens: Mapping[str, int], name: str) -> Encoding:
    """Returns the encoding of these characters; raises BadAlphabet."""
    model = CharacterModel(sorted(map(bytes.decode, base_symbols(characters, []))))
    return Encoding(name, model, {}).with_special_tokens(special_tokens)


class CharacterModel(BytewiseModel):
    """Looks characters up; the id after the last one stands for all others."""

    kind, engine, split, merges, safe_cuts = "characters", mark("Tokenloupe’s own code"), None, None, True
    unknown_name = "<unk>"

    def __init__(self, characters: list[str]):
        self.characters, self.unknown_id = characters, len(characters)
        self.tokens = [*(c.encode() for c in characters), UNKNOWN_BYTES]
        self._points = np.array([ord(c) for c in characters])

    def encode(self, text: str) -> ModelOutput:
        points = code_points(text)
        ids = np.minimum(np.searchsorted(self._points, points), self.unknown_id - 1)
        ids[self._points[ids] != points] = self.unknown_id
        return ModelOutput(ids.astype(np.uint32), utf8_lengths(points))

    def pieces(self, text: str) -> Iterator[tuple[int, str]]:
        yield from [(0, text)] if text else []

    def piece(self, id: int) -> str:
        return self.tokens[id].decode()

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint(self.tokens[:-1])
