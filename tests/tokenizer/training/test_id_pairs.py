"""Counts and merges of pairs in a sequence of ids, against the two functions of minbpe."""

from hypothesis import given
from hypothesis import strategies as some

from tokenizer.training.id_pairs import count_pairs, merge_pair

IDS = some.lists(some.integers(0, 4) | some.integers(0, 999_999_999), max_size=80)
PAIRS = some.tuples(some.integers(0, 4), some.integers(0, 4))


def counted_by_hand(ids):
    """Returns counts of pairs in the order in which they first occur, as minbpe's `get_stats` does."""
    counts = {}
    for pair in zip(ids, ids[1:], strict=False):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def merged_by_hand(ids, pair, new):
    """Returns the ids after a merge, as minbpe's `merge` does."""
    found, i = [], 0
    while i < len(ids):
        is_pair = tuple(ids[i : i + 2]) == pair
        found.append(new if is_pair else ids[i])
        i += 1 + is_pair
    return found


@given(IDS)
def test_counts_equal_those_of_a_loop_and_ties_keep_their_order(ids):
    counts = counted_by_hand(ids)
    found = count_pairs(ids)
    assert [(one.pair, one.count) for one in found] == sorted(counts.items(), key=lambda one: -one[1])
    for one in found:
        assert tuple(ids[one.first : one.first + 2]) == one.pair


@given(IDS, PAIRS, some.integers(0, 300))
def test_merge_equals_that_of_a_loop(ids, pair, new):
    found = merge_pair(ids, pair, new)
    assert found.ids == merged_by_hand(ids, pair, new)
    assert len(found.ids) == len(ids) - len(found.places)
    for place in found.places:
        assert tuple(ids[place : place + 2]) == pair


def test_merges_of_the_courses():
    assert merge_pair([5, 6, 6, 7, 9, 1], (6, 7), 99).ids == [5, 6, 99, 9, 1]
    assert merge_pair([1, 2, 3, 4, 3, 2, 3], (2, 3), 9).ids == [1, 9, 4, 3, 9]
    assert merge_pair([1] * 61, (1, 1), 2).ids == [2] * 30 + [1]
