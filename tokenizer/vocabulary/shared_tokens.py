"""Set comparison of two vocabularies: shared tokens, tokens of one alone, and how much of a text they cover."""

from typing import NamedTuple

import numpy as np

from tokenizer.encoding.interface import Encoding
from tokenizer.vocabulary.facts import Facts
from tokenizer.vocabulary.id_ranges import text_rows


class SharedTokens(NamedTuple):
    """The rows of two vocabularies whose bytes the other one has, and those whose bytes it lacks.

    Special and unknown tokens are in none of the four arrays. Two tokens with the same bytes both count.
    """

    here: np.ndarray
    only_here: np.ndarray
    there: np.ndarray
    only_there: np.ndarray


def shared_tokens(here: Facts, there: Facts) -> SharedTokens:
    """Returns the tokens of two vocabularies that have the same bytes, and the others.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.vocabulary.facts import facts_of
    >>> gpt2, gpt4 = (facts_of(get_encoding(name)) for name in ("gpt2", "cl100k_base"))
    >>> [len(rows) for rows in shared_tokens(gpt2, gpt4)]
    [43066, 7190, 43066, 57190]
    """
    return SharedTokens(*_parts(here, there), *_parts(there, here))


def _parts(own: Facts, other: Facts) -> tuple[np.ndarray, np.ndarray]:
    rows, table, known = text_rows(own), own.encoding.table, other.rows
    is_shared = np.fromiter((table[row] in known for row in rows.tolist()), bool, len(rows))
    return rows[is_shared], rows[~is_shared]


class Coverage(NamedTuple):
    """The number of tokens of a text that are in a part of a vocabulary, and the bytes (UTF-8) that they cover."""

    tokens: int
    num_bytes: int


def coverage(text: str, encoding: Encoding, rows: np.ndarray) -> Coverage:
    """Returns how much of a text these tokens cover in its encoding; special names are read as text.

    >>> from tokenizer import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> coverage("the cat", gpt2, gpt2.encode(" cat"))
    Coverage(tokens=1, num_bytes=4)
    """
    tokens = encoding.tokenize(text)
    is_of_it = np.isin(tokens.id_array, rows)
    return Coverage(int(is_of_it.sum()), int((tokens.ends - tokens.starts)[is_of_it].sum()))
