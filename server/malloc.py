"""Returns memory to the system as soon as it is free."""

import ctypes
from contextlib import suppress

LARGE = 256_000  # bytes: such a piece is given back by itself
TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # of mallopt(3)
ARENAS = 2  # heaps, which threads share: with one for each, what is free in one is of no use to another


def tune_malloc() -> None:
    """Lets the C library give back what was large and is free: by itself it keeps up to 64 MB, and what lies below."""
    with suppress(AttributeError, OSError, TypeError):  # another C library than GNU's
        library = ctypes.CDLL(None)
        for option, value in ((TRIM_THRESHOLD, LARGE), (MMAP_THRESHOLD, LARGE), (ARENA_MAX, ARENAS)):
            library.mallopt(option, value)
