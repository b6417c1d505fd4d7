"""Sources of training corpora: two texts of our own, a mix of them, or files."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

from tokenizer.paths import ASSETS
from tokenizer.text.tables import has_fields, read, texts_of
from tokenizer.text.well_formed import well_formed

FOLDER = ASSETS / "corpora"


class CorpusFile(NamedTuple):
    """The texts of a file: `empty` ones were left out, `replaced` lone surrogates became U+FFFD."""

    texts: tuple[str, ...]
    empty: int = 0
    replaced: int = 0


class Mix(NamedTuple):
    """Paragraphs of two languages; `thai` of the `characters` belong to Thai ones."""

    text: str
    thai: int
    characters: int

    @property
    def share(self) -> float:
        """The actual share of Thai in percent."""
        return 100 * self.thai / max(1, self.characters)


@cache
def own_corpora() -> dict[str, str]:
    """Returns our own training texts by language.

    >>> own_corpora()["thai"][:9]
    'ตลาดริมน้'
    """
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt"))}


def mix(thai_share: int, corpora: Mapping[str, str] | None = None, characters: int | None = None) -> Mix:
    r"""Returns paragraphs of both texts that give this share of Thai, in percent, evenly interleaved.

    Only whole paragraphs are used, from the beginning of each text, so the actual share may differ slightly. There are
    as many as this share allows, or as many as come near to a number of characters. Empty lines between paragraphs are
    not counted.

    >>> mix(50, {"english": "one\n\ntwo\n\nthree", "thai": "สอง\n\nสี่"}, 6)
    Mix(text='one\n\nสอง', thai=3, characters=6)
    """
    texts = corpora or own_corpora()
    english, thai = paragraphs(texts["english"]), paragraphs(texts["thai"])
    if characters is None:
        num_english, num_thai = _nearest(english, thai, thai_share)
    else:
        num_english = _nearest_to(english, characters * (100 - thai_share) / 100)
        num_thai = _nearest_to(thai, characters * thai_share / 100)
    chosen = english[:num_english], thai[:num_thai]
    sizes = [sum(map(len, side)) for side in chosen]
    placed = [((i + 0.5) / len(side), text) for side in chosen for i, text in enumerate(side)]
    return Mix("\n\n".join(text for _, text in sorted(placed, key=itemgetter(0))), sizes[1], sum(sizes))


def paragraphs(text: str) -> list[str]:
    r"""Returns the parts of a text between empty lines.

    >>> paragraphs("one\n\n\ntwo,\nstill two\n")
    ['one', 'two,\nstill two']
    """
    return [paragraph for paragraph in re.split(r"\n\n+", text.strip("\n")) if paragraph]


def _nearest(english: Sequence[str], thai: Sequence[str], thai_share: int) -> tuple[int, int]:
    """Returns numbers of paragraphs: all of one text, and as many of the other as come nearest to the share."""
    sizes = [[0, *accumulate(map(len, side))] for side in (english, thai)]

    def misses(taken: tuple[int, int]) -> tuple[float, int]:
        num_english, num_thai = sizes[0][taken[0]], sizes[1][taken[1]]
        return abs(100 * num_thai / max(1, num_english + num_thai) - thai_share), -(num_english + num_thai)

    all_english = [(len(english), i) for i in range(len(thai) + 1)]
    all_thai = [(i, len(thai)) for i in range(len(english))]
    return min(all_english + all_thai, key=misses)


def _nearest_to(side: Sequence[str], characters: float) -> int:
    """Returns how many paragraphs of a text come nearest to a number of characters."""
    sizes = [0, *accumulate(map(len, side))]
    return min(range(len(sizes)), key=lambda i: abs(sizes[i] - characters))


def read_corpus_file(name: str, data: bytes, field: str) -> CorpusFile:
    r"""Returns the texts of a file: this field of each row of JSON lines and tables; other files are one text.

    Raises BadCorpusFile with the wrong line.

    >>> read_corpus_file("a.jsonl", b'{"id": 1, "text": "one"}\n{"id": 2, "text": ""}', "text")
    CorpusFile(texts=('one',), empty=1, replaced=0)
    """
    texts, empty, replaced = [], 0, 0
    for value in texts_of(name, data, field) if has_fields(name) else [read(name, data)]:
        text, num_surrogates = well_formed(value)
        replaced += num_surrogates
        if text:
            texts.append(text)
        else:
            empty += 1
    return CorpusFile(tuple(texts), empty, replaced)
