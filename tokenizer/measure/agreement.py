"""Where encodings of one text agree: their boundaries are byte offsets, so encodings of any kind can be compared."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.tokens import Tokens
from tokenizer.errors import TokenizerError


class NothingToCompare(TokenizerError):
    """Agreement was asked for without any encoding."""

    def __init__(self):
        super().__init__("There are no boundaries to compare. Pass those of one encoding at least.")


class Agreement(NamedTuple):
    """How many boundaries there are, each offset once; `jaccard[i, j]` is what i and j share of what either has."""

    total: int
    shared: int  # all encodings have them
    disputed: int  # only some have them
    jaccard: np.ndarray


class Disagreements(NamedTuple):
    """The boundaries that not all share: their byte offsets, and a row for each that says which encodings have it."""

    offsets: np.ndarray
    has: np.ndarray


def boundaries(tokens: Tokens) -> np.ndarray:
    """Returns the byte offsets where a token begins or ends, in order: neither the text's start nor its end.

    >>> boundaries(Tokens("a b", np.array([64, 275]), np.array([1, 2]))).tolist()
    [1]
    """
    marks = np.zeros(len(tokens.text.encode()) + 1, dtype=bool)  # a mark for each byte: faster than sorting the offsets
    marks[tokens.starts] = marks[tokens.ends] = True
    marks[[0, -1]] = False
    return np.flatnonzero(marks)


def agreement(all_boundaries: Sequence[np.ndarray]) -> Agreement:
    """Returns how far encodings agree; two that have no boundary at all agree wholly, so their Jaccard index is 1.

    >>> found = agreement([np.array([1, 2, 4]), np.array([2, 4]), np.array([2])])
    >>> found.total, found.shared, found.disputed, found.jaccard[0].round(3).tolist()
    (3, 1, 2, [1.0, 0.667, 0.333])
    """
    offsets, has = _table(all_boundaries)
    shared = int(np.count_nonzero(has.all(axis=0)))
    sizes = np.count_nonzero(has, axis=1)
    both = np.array([[np.count_nonzero(one & other) for other in has] for one in has])
    either = sizes[:, None] + sizes - both
    jaccard = np.where(either == 0, 1.0, both / np.maximum(either, 1))
    return Agreement(len(offsets), shared, len(offsets) - shared, jaccard)


def disagreements(all_boundaries: Sequence[np.ndarray]) -> Disagreements:
    """Returns where some encodings have a boundary and others have none.

    >>> found = disagreements([np.array([1, 2]), np.array([2, 4])])
    >>> found.offsets.tolist(), found.has.tolist()
    ([1, 4], [[True, False], [False, True]])
    """
    offsets, has = _table(all_boundaries)
    disputed = ~has.all(axis=0)
    return Disagreements(offsets[disputed], has[:, disputed].T)


def _table(all_boundaries: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Every offset that is a boundary, in order, and a row for each encoding that says which of them it has."""
    if not len(all_boundaries):
        raise NothingToCompare
    arrays = [np.asarray(array, dtype=np.int64) for array in all_boundaries]
    size = 1 + max((int(array.max()) for array in arrays if len(array)), default=0)
    marks = np.zeros((len(arrays), size), dtype=bool)
    for row, array in zip(marks, arrays, strict=True):
        row[array] = True
    offsets = np.flatnonzero(marks.any(axis=0))
    return offsets, marks[:, offsets]
