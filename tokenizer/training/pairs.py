"""The corpus as one row of symbols, and the positions of every pair of neighbours in it."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

Pair = tuple[int, int]

GAP_SYMBOL = 0  # the symbol between two pre-tokens, and in the place of a right half that has been merged away
MAX_LOOPED_POSITIONS = 24  # up to this number of positions, plain loops are faster than vectors
# divides the bound when no pair reaches it any more; with 2, the row was searched too often
BOUND_DIVISOR = 16


class CountedPair(NamedTuple):
    """A pair with its exact count and its first position."""

    pair: Pair
    count: int
    first: int


class PairTable:
    """The positions of each pair of symbols, kept up to date while pairs are merged.

    The row holds a symbol's number where the symbol starts. One that covers `n` of the first symbols is followed by
    the one at its position + `n`, so the way to the right needs no links; the way to the left is `before`.

    All occurrences of a pair come into being in one step, the one that makes the younger of its two symbols, and
    after that they can only vanish. So a pair gets its array of positions once, and looking up which of them still
    hold the pair gives its exact count.

    Most pairs never become frequent enough to be merged. So only those that reach `least` are listed at first;
    `more_pairs` lowers that bound, and finds the others in the row as it is then.

    >>> table = PairTable(np.array([0, 1, 2, 1, 2, 0]), np.array([1, 1, 1, 1, 1, 1]), num_symbols=2, num_merges=1)
    >>> list(table.more_pairs(1))
    [CountedPair(pair=(1, 2), count=2, first=1), CountedPair(pair=(2, 1), count=1, first=2)]
    >>> saved, made = table.merge((1, 2), 3)
    >>> saved, list(made)
    (2, [CountedPair(pair=(3, 3), count=1, first=1)])
    """

    def __init__(self, row: np.ndarray, weights: np.ndarray, num_symbols: int, num_merges: int):
        # numpy sorts 16-bit numbers by radix, several times as fast as wider ones
        self.row = row.astype(np.uint16 if num_symbols + num_merges < 1 << 16 else np.int32)
        self.weights = weights.astype(np.int64)  # count of the pre-token at each position
        self.before = np.arange(-1, len(row) - 1, dtype=np.int32)
        self.lengths = [1] * (num_symbols + 1)
        self.positions: dict[Pair, np.ndarray | list[int]] = {}
        self.least = 1 << 62  # pairs that are not in `positions` occur less often than this
        # the same memory for plain loops: reading one number from a memoryview is thrice as fast as from an array
        self._row, self._weights, self._before = map(memoryview, (self.row, self.weights, self.before))

    def more_pairs(self, bound: int | None = None) -> Iterator[CountedPair]:
        """Lowers `least` to `bound` or a part of it, and yields the pairs that reach it and are not listed."""
        places = np.flatnonzero(self.row)
        symbols = self.row[places]
        rights = self.row[places + np.array(self.lengths)[symbols]]
        order = np.argsort(rights, kind="stable")
        order = order[np.argsort(symbols[order], kind="stable")]
        order = order[rights[order] != GAP_SYMBOL]
        places, symbols, rights = places[order].astype(np.int32), symbols[order], rights[order]
        starts = np.flatnonzero(np.append(True, (symbols[1:] != symbols[:-1]) | (rights[1:] != rights[:-1])))
        counts = np.add.reduceat(self.weights[places], starts) if len(places) else np.zeros(0, np.int64)
        if bound is None:
            bound = max(1, min(self.least, int(counts.max(initial=0))) // BOUND_DIVISOR)
        self.least = bound
        ends, listed = np.append(starts[1:], len(places)), counts >= self.least
        firsts = starts[listed]
        columns = symbols[firsts], rights[firsts], firsts, ends[listed], counts[listed]
        for left, right, start, end, count in zip(*(column.tolist() for column in columns), strict=True):
            if (left, right) not in self.positions:
                yield self._found((left, right), places[start:end], count)

    def count(self, pair: Pair) -> CountedPair:
        """Returns the pair's exact count and first position, and removes the positions it has lost."""
        (left, right), positions = pair, self.positions.get(pair, [])
        step = self.lengths[left]
        if len(positions) > MAX_LOOPED_POSITIONS:
            positions = positions[(self.row[positions] == left) & (self.row[positions + step] == right)]
            count = int(self.weights[positions].sum())
        else:
            row, weights, count = self._row, self._weights, 0
            positions = positions if isinstance(positions, list) else positions.tolist()
            positions = [p for p in positions if row[p] == left and row[p + step] == right]
            for p in positions:
                count += weights[p]
        self.positions[pair] = positions
        return CountedPair(pair, count, int(positions[0]) if count else 0)

    def merge(self, pair: Pair, new: int) -> tuple[int, Iterable[CountedPair]]:
        """Writes the symbol `new` wherever the pair stands.

        Returns how many symbols fewer the corpus has now, and the pairs that have come into being.
        The positions must be exact: `count` the pair first.
        """
        positions = self.positions.pop(pair, [])  # none is left of a pair that was merged although it stands nowhere
        self.lengths.append(self.lengths[pair[0]] + self.lengths[pair[1]])
        return (self._merge_few if isinstance(positions, list) else self._merge_many)(pair, new, positions)

    def _merge_few(self, pair: Pair, new: int, positions: list[int]) -> tuple[int, list[CountedPair]]:
        row, before, weights = self._row, self._before, self._weights
        (left, right), step, length = pair, self.lengths[pair[0]], self.lengths[new]
        merged, saved = [], 0
        for p in positions:
            if row[p] == left and row[p + step] == right:  # not so if the merge before took the left one: a run
                row[p], row[p + step], before[p + length] = new, GAP_SYMBOL, p
                saved += weights[p]
                merged.append(p)

        made: dict[Pair, list[int]] = {}
        for p in merged:
            symbol = row[before[p]]
            if symbol != GAP_SYMBOL and symbol != new:  # one that was merged too has this one after it
                made.setdefault((symbol, new), []).append(before[p])
            symbol = row[p + length]
            if symbol != GAP_SYMBOL:
                made.setdefault((new, symbol), []).append(p)
        listed = []
        for made_pair, places in made.items():
            count = weights[places[0]] if len(places) == 1 else sum([weights[p] for p in places])
            if count >= self.least:
                self.positions[made_pair] = places
                listed.append(CountedPair(made_pair, count, places[0]))
        return saved, listed

    def _merge_many(self, pair: Pair, new: int, positions: np.ndarray) -> tuple[int, Iterator[CountedPair]]:
        # the same as above, for all positions at once
        step, length = self.lengths[pair[0]], self.lengths[new]
        if pair[0] == pair[1]:
            positions = positions[every_other_of_a_run(positions, step)]
        self.row[positions] = new
        self.row[positions + step] = GAP_SYMBOL
        self.before[positions + length] = positions
        return int(self.weights[positions].sum()), self._new_neighbours(new, positions)

    def _new_neighbours(self, new: int, positions: np.ndarray) -> Iterator[CountedPair]:
        before = self.before[positions]
        for symbol, places, count in self._groups(self.row[before], before):
            if symbol != GAP_SYMBOL and symbol != new:
                yield self._found((symbol, new), places, count)
        for symbol, places, count in self._groups(self.row[positions + self.lengths[new]], positions):
            if symbol != GAP_SYMBOL:
                yield self._found((new, symbol), places, count)

    def _found(self, pair: Pair, positions: np.ndarray, count: int) -> CountedPair:
        self.positions[pair] = positions
        return CountedPair(pair, count, int(positions[0]))

    def _groups(self, symbols: np.ndarray, positions: np.ndarray) -> Iterator[tuple[int, np.ndarray, int]]:
        """Yields the symbols whose positions' weights sum up to `least`, with these, in their order, and the sum."""
        if not len(symbols):
            return
        order = np.argsort(symbols, kind="stable")
        symbols, positions = symbols[order], positions[order]
        starts = np.concatenate(([0], np.flatnonzero(symbols[1:] != symbols[:-1]) + 1))
        counts, ends = np.add.reduceat(self.weights[positions], starts), np.append(starts[1:], len(positions))
        listed = counts >= self.least
        columns = symbols[starts[listed]], starts[listed], ends[listed], counts[listed]
        for symbol, start, end, count in zip(*(column.tolist() for column in columns), strict=True):
            yield symbol, positions[start:end], count


def every_other_of_a_run(positions: np.ndarray, step: int) -> np.ndarray:
    """Returns which of these positions merge, left to right, where one starts at the end of another.

    >>> every_other_of_a_run(np.array([3, 4, 5, 9]), 1).tolist()
    [True, False, True, True]
    """
    index = np.arange(len(positions))
    starts_run = np.diff(positions, prepend=positions[0] - step - 1) != step
    return (index - np.maximum.accumulate(np.where(starts_run, index, 0))) % 2 == 0
