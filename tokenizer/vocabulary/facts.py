"""The facts of all tokens of a vocabulary as columns, with one row for each id, including unused ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.i18n import mark
from tokenizer.measure.census import SPECIAL_TOKEN
from tokenizer.text.anatomy import CATEGORIES, category
from tokenizer.text.scripts import (
    NEVER_IN_UTF8,
    PART_OF_CHARACTER,
    WITH_PART_OF_CHARACTER,
    WITHOUT_LETTERS,
    script,
    script_of_letter,
)
from tokenizer.text.well_formed import as_text, code_points

# Roles of rows.
UNUSED, ORDINARY, BYTE, SPECIAL, UNKNOWN = range(5)
ROLES = ("unused", "ordinary", "byte", "special", "unknown")

# Wholeness of bytes: whole characters, part of one, whole ones and a part, or invalid UTF-8.
WHOLENESS = (mark("whole characters"), PART_OF_CHARACTER, WITH_PART_OF_CHARACTER, NEVER_IN_UTF8)
WHOLE_CHARACTERS = 0

CATEGORY_NAMES = tuple(CATEGORIES)
_BIT = {name: 1 << i for i, name in enumerate(CATEGORY_NAMES)}


@dataclass(frozen=True, eq=False)
class Facts:
    """The columns of a vocabulary: arrays of `len(facts)` rows, where row and id are the same.

    `num_bytes` and `num_characters` (code points) are the lengths of the decoded token, or of the name of a special
    one; a token that is not text by itself has 0 characters. `role` is one of ROLES, `wholeness` one of WHOLENESS.
    `script` is an index of `scripts`, which are values of `text.scripts.script`. `categories` has one bit for each
    general category of CATEGORY_NAMES that any of its characters has. `leading_space` is whether it begins with U+0020.
    An unused id has 0 in every column.
    """

    encoding: Encoding
    texts: Sequence[str | None]  # None if the bytes are not text, and for an unused id
    num_bytes: np.ndarray
    num_characters: np.ndarray
    role: np.ndarray
    wholeness: np.ndarray
    script: np.ndarray
    scripts: Sequence[str]
    categories: np.ndarray
    leading_space: np.ndarray

    def __len__(self) -> int:
        return len(self.role)

    def bytes_of(self, row: int) -> bytes:
        """Returns the bytes of a token; those of the name for a special one, empty for an unused id."""
        return self.encoding.table[row] or b""

    def script_of(self, row: int) -> str:
        """Returns the name of a token's script, or of its kind of characters; "" for an unused id."""
        return self.scripts[self.script[row]]

    def categories_of(self, row: int) -> list[str]:
        """Returns the general categories of a token's characters, in Unicode's order.

        >>> from tokenizer import get_encoding
        >>> facts_of(get_encoding("gpt2")).categories_of(262)  # " the"
        ['Ll', 'Zs']
        """
        return [name for name, bit in _BIT.items() if self.categories[row] & bit]

    @cached_property
    def rows(self) -> dict[bytes, int]:
        """The rows by bytes, without special tokens; the first one for equal bytes."""
        table, found = self.encoding.table, {}
        for row in np.flatnonzero((self.role == ORDINARY) | (self.role == BYTE)).tolist():
            found.setdefault(table[row], row)
        return found

    @cached_property
    def data(self) -> np.ndarray:
        """The bytes of all rows, concatenated."""
        return np.frombuffer(b"".join(token or b"" for token in self.encoding.table), np.uint8)

    @cached_property
    def starts(self) -> np.ndarray:
        """The offset of each row in `data`, and the end of the last one."""
        return np.concatenate([[0], np.cumsum(self.num_bytes, dtype=np.int64)])

    @cached_property
    def folded(self) -> tuple[np.ndarray, np.ndarray]:
        """`data` and `starts` with case folded; bytes that are not text are unchanged."""
        tokens = [
            self.bytes_of(row) if text is None else text.casefold().encode() for row, text in enumerate(self.texts)
        ]
        return np.frombuffer(b"".join(tokens), np.uint8), np.cumsum([0, *map(len, tokens)])

    @cached_property
    def alphabetical(self) -> np.ndarray:
        """The position of each row in the order of bytes, which for text is that of code points."""
        places = np.empty(len(self), np.int64)
        places[sorted(range(len(self)), key=[token or b"" for token in self.encoding.table].__getitem__)] = np.arange(
            len(self)
        )
        return places


def facts_of(encoding: Encoding) -> Facts:
    """Returns the facts of all tokens of an encoding; 200,000 tokens take about a third of a second.

    >>> from tokenizer import get_encoding
    >>> facts = facts_of(get_encoding("gpt2"))
    >>> row = facts.rows[b" the"]
    >>> row, int(facts.num_characters[row]), bool(facts.leading_space[row]), facts.script_of(row)
    (262, 4, True, 'Latin')
    """
    table = encoding.table
    texts = [None if token is None else as_text(token) for token in table]
    role = _roles(encoding)
    scripts, names = _Names(), np.zeros(len(table), np.uint32)
    wholeness, categories = np.zeros(len(table), np.uint8), np.zeros(len(table), np.uint32)
    for row in (row for row, text in enumerate(texts) if text is None and table[row] is not None):
        name = script(table[row])
        names[row] = scripts[name]
        wholeness[row] = WHOLENESS.index(name)
    full = np.array([row for row, text in enumerate(texts) if text], np.int64)
    if len(full):
        names[full], categories[full] = _of_texts([texts[row] for row in full.tolist()], scripts)
    names[[row for row, text in enumerate(texts) if text == ""]] = scripts[WITHOUT_LETTERS[-1]]
    names[(role == SPECIAL) | (role == UNKNOWN)] = scripts[SPECIAL_TOKEN]
    return Facts(
        encoding,
        texts,
        encoding.byte_lengths(np.arange(len(table))),
        np.fromiter((len(text or "") for text in texts), np.int32, len(texts)),
        role,
        wholeness,
        names,
        list(scripts),
        categories,
        np.fromiter((token is not None and token.startswith(b" ") for token in table), bool, len(table)),
    )


class _Names(dict):
    """Numbers names in the order of their first use; 0 is the empty name."""

    def __init__(self):
        super().__init__({"": 0})

    def __missing__(self, name: str) -> int:
        self[name] = found = len(self)
        return found


def _roles(encoding: Encoding) -> np.ndarray:
    table = encoding.table
    role = np.fromiter((ORDINARY if token is not None else UNUSED for token in table), np.uint8, len(table))
    for id in (id for id, token in enumerate(table) if token is not None and len(token) == 1):
        if encoding.piece(id) == f"<0x{table[id][0]:02X}>":
            role[id] = BYTE
    role[list(encoding.special_tokens.values())] = SPECIAL
    if encoding.unknown_id is not None:
        role[encoding.unknown_id] = UNKNOWN
    return role


def _of_texts(texts: list[str], scripts: _Names) -> tuple[np.ndarray, np.ndarray]:
    """Returns the scripts of non-empty texts as numbers, and the bits of their categories."""
    points = code_points("".join(texts))
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    firsts = np.cumsum(lengths) - lengths
    letter, other, bits = np.zeros((3, 0x110000), np.uint32)
    for point in np.flatnonzero(np.bincount(points)).tolist():
        character = chr(point)
        if found := script_of_letter(character):
            letter[point] = scripts[found]
        else:
            other[point] = WITHOUT_LETTERS.index(script(character.encode()))
        bits[point] = _BIT[category(character)]
    of_letters = letter[points]
    most = np.maximum.reduceat(of_letters, firsts)
    least = np.minimum.reduceat(np.where(of_letters, of_letters, 0xFFFFFFFF), firsts)
    without = np.minimum.reduceat(other[points], firsts)
    names = np.where(most, most, np.array([scripts[name] for name in WITHOUT_LETTERS])[without])
    for i in np.flatnonzero((most > 0) & (least != most)).tolist():
        names[i] = scripts[script(texts[i].encode())]
    return names, np.bitwise_or.reduceat(bits[points], firsts)
