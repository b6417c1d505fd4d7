"""One step of training on a sequence of ids: the counts of its pairs, and the merge of one of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tokenizer.training.pairs import GAP_SYMBOL, CountedPair, Pair, PairTable

FIRST_NEW_ID = 256  # of a training that starts with the 256 bytes


class MergedIds(NamedTuple):
    """A sequence after a merge; `places` are the positions in the sequence before it where a merged pair began."""

    ids: list[int]
    places: list[int]


def count_pairs(ids: Sequence[int]) -> list[CountedPair]:
    """Returns each pair of neighbors with its count and first position: the most frequent first, of ties the first.

    >>> count_pairs([5, 6, 6, 7, 6, 7])[:2]
    [CountedPair(pair=(6, 7), count=2, first=2), CountedPair(pair=(5, 6), count=1, first=0)]
    """
    table, known = _table(ids)
    found = [
        CountedPair((known[left - 1], known[right - 1]), count, first - 1)
        for (left, right), count, first in table.more_pairs(1)
    ]
    return sorted(found, key=lambda one: (-one.count, one.first))


def merge_pair(ids: Sequence[int], pair: Pair, new: int) -> MergedIds:
    """Replaces a pair by a new id wherever it occurs, from left to right.

    >>> merge_pair([5, 6, 6, 7, 9, 1], (6, 7), 99)
    MergedIds(ids=[5, 6, 99, 9, 1], places=[2])
    >>> merge_pair([6, 6, 6, 6, 6], (6, 6), 7).ids
    [7, 7, 6]
    """
    table, known = _table(ids)
    if not {*pair} <= {*known}:
        return MergedIds(list(ids), [])
    list(table.more_pairs(1))
    left, right = (known.index(id) + 1 for id in pair)
    table.merge((left, right), symbol := len(known) + 1)
    row = table.row.astype(np.int64)
    ids_of = np.array([*known, new])
    return MergedIds(ids_of[row[row != GAP_SYMBOL] - 1].tolist(), (np.flatnonzero(row == symbol) - 1).tolist())


def next_id(ids: Sequence[int]) -> int:
    """Returns the id of the next merge: one more than the largest, and at least the first after those of the bytes.

    >>> next_id([5, 6]), next_id([97, 256])
    (256, 257)
    """
    return max(FIRST_NEW_ID, max(ids) + 1)


def _table(ids: Sequence[int]) -> tuple[PairTable, list[int]]:
    """Returns the pairs of a sequence by symbols, and the id of each symbol from 1 on."""
    known, symbols = np.unique(np.array(ids, np.int64), return_inverse=True)
    row = np.concatenate(([GAP_SYMBOL], symbols + 1, [GAP_SYMBOL]))
    return PairTable(row, np.minimum(row, 1), len(known), 1), known.tolist()
