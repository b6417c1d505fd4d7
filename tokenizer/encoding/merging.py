"""The merge loop of BPE: the lowest id that two neighbors become comes first, until no two become one."""

import heapq
from collections.abc import Callable, Iterator, Sequence

Joined = Callable[[int, int], int | None]  # the ids of two neighbors -> what they become


def merge_events(ids: Sequence[int], joined: Joined) -> Iterator[tuple[int, int, int]]:
    """Yields each merge: the places in `ids` where its two parts start, and the id of what they become.

    The lowest id comes first, and the leftmost of equals.

    >>> pairs = {(1, 1): 3, (1, 2): 4}
    >>> list(merge_events([1, 1, 1, 2], lambda *pair: pairs.get(pair)))
    [(0, 1, 3), (2, 3, 4)]
    """
    ids, end = list(ids), len(ids)
    before, after = list(range(-1, end - 1)), list(range(1, end + 1))
    new = [joined(left, right) for left, right in zip(ids, ids[1:], strict=False)] + [None]  # of a part and the next
    waiting = [(id, i) for i, id in enumerate(new) if id is not None]
    heapq.heapify(waiting)
    while waiting:
        id, i = heapq.heappop(waiting)
        if new[i] != id:
            continue  # one of the two has been merged with another
        j = after[i]
        yield i, j, id
        ids[i], new[j], after[i] = id, None, after[j]
        if after[i] < end:
            before[after[i]] = i
        for left, right in ((before[i], i), (i, after[i])):
            if left >= 0:
                new[left] = joined(ids[left], ids[right]) if right < end else None
                if new[left] is not None:
                    heapq.heappush(waiting, (new[left], left))


def merge_all(ids: Sequence[int], joined: Joined) -> list[tuple[int, int]]:
    """Returns the ids that are left when no two neighbors become one any more, with the places where they start.

    >>> pairs = {(1, 1): 3, (1, 2): 4}
    >>> merge_all([1, 1, 1, 2], lambda *pair: pairs.get(pair))
    [(0, 3), (2, 4)]
    """
    left: list[int | None] = list(ids)
    for i, j, id in merge_events(ids, joined):
        left[i], left[j] = id, None
    return [(place, id) for place, id in enumerate(left) if id is not None]
