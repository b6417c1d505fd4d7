"""Distributes the bytes of a character over its tokens as ordered, non-overlapping spans."""

from collections.abc import Iterator, Sequence

MAX_LOOKAHEAD_TOKENS = 16  # of one character


def assign_byte_spans(
    data: bytes, starts: Sequence[int], ends: Sequence[int], own: Sequence[bytes]
) -> Iterator[tuple[int, int]]:
    r"""Yields the span of each token in `data`, without overlaps; `own` are the bytes of each token.

    Of overlapping tokens each gets the bytes that equal its own; if no token's bytes match, the first gets all.

    >>> list(assign_byte_spans("ก".encode(), [0, 0], [3, 3], [b"\xe0", b"\xb8\x81"]))
    [(0, 1), (1, 3)]
    >>> list(assign_byte_spans("½ a".encode(), [0, 0, 0, 2, 3], [2, 2, 2, 3, 4], [b"1", b"/", b"2", b" ", b"a"]))
    [(0, 2), (2, 2), (2, 2), (2, 3), (3, 4)]
    >>> list(assign_byte_spans(b"a", [0, 0], [1, 1], [b" ", b"a"]))  # the space is a dummy prefix
    [(0, 0), (0, 1)]
    """
    at = 0
    for i, (first, end) in enumerate(zip(starts, ends, strict=True)):
        start = max(first, at)
        at = max(start, end)
        if i + 1 < len(starts) and starts[i + 1] < at:
            size = len(own[i])
            if size <= at - start and data.startswith(own[i], start):
                at = start + size
            elif any(starts[j] < at and own[j] and data.startswith(own[j], start) for j in lookahead(i, len(starts))):
                at = start
        yield start, at


def lookahead(i: int, count: int) -> range:
    return range(i + 1, min(i + MAX_LOOKAHEAD_TOKENS, count))
