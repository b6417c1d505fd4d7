"""Agreement of encodings on one text: boundaries are byte offsets, so encodings of any kind can be compared."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tokenizer.encoding.tokens import Tokens
from tokenizer.errors import TokenizerError
from tokenizer.i18n import tr


class NothingToCompare(TokenizerError):
    """Agreement needs at least one encoding."""

    def __init__(self):
        super().__init__(tr("There are no token boundaries to compare. Pass the boundaries of at least one encoding."))


class Agreement(NamedTuple):
    """Numbers of distinct boundaries; `jaccard[i, j]` is the intersection of i and j over their union."""

    total: int
    shared: int  # in all encodings
    disputed: int  # only in some
    jaccard: np.ndarray


def boundaries(tokens: Tokens) -> np.ndarray:
    """Returns the byte offsets of token boundaries, ascending, without the start and end of the text.

    >>> boundaries(Tokens("a b", np.array([64, 275]), np.array([1, 2]))).tolist()
    [1]
    """
    marks = np.zeros(len(tokens.text.encode()) + 1, dtype=bool)  # a mark for each byte: faster than sorting the offsets
    marks[tokens.starts] = marks[tokens.ends] = True
    marks[[0, -1]] = False
    return np.flatnonzero(marks)


def agreement(all_boundaries: Sequence[np.ndarray]) -> Agreement:
    """Returns the agreement of encodings; two without any boundary have the Jaccard index 1.

    >>> found = agreement([np.array([1, 2, 4]), np.array([2, 4]), np.array([2])])
    >>> found.total, found.shared, found.disputed, found.jaccard[0].round(3).tolist()
    (3, 1, 2, [1.0, 0.667, 0.333])
    """
    if not len(all_boundaries):
        raise NothingToCompare
    size = 1 + max((int(array.max()) for array in all_boundaries if len(array)), default=0)
    has_boundary = np.zeros((len(all_boundaries), size), dtype=bool)
    for row, array in zip(has_boundary, all_boundaries, strict=True):
        row[array] = True
    has_boundary = has_boundary[:, has_boundary.any(axis=0)]
    total, shared = has_boundary.shape[1], int(np.count_nonzero(has_boundary.all(axis=0)))
    sizes = np.count_nonzero(has_boundary, axis=1)
    both = np.array([[np.count_nonzero(one & other) for other in has_boundary] for one in has_boundary])
    either = sizes[:, None] + sizes - both
    jaccard = np.where(either == 0, 1.0, both / np.maximum(either, 1))
    return Agreement(total, shared, total - shared, jaccard)
