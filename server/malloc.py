"""Tunes malloc of the GNU C library to return free memory to the system."""

import ctypes
from contextlib import suppress

MIN_MMAP_BYTES = 256_000  # from this size on, freed memory returns to the system
TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # of mallopt(3)
NUM_ARENAS = 2  # heaps, shared by all threads: free memory in the heap of one thread is of no use to another


def tune_malloc() -> None:
    """Sets the options; by default the library keeps up to 64 MB of free memory, and all memory below used memory."""
    with suppress(AttributeError, OSError, TypeError):  # another C library
        library = ctypes.CDLL(None)
        for option, value in (
            (TRIM_THRESHOLD, MIN_MMAP_BYTES),
            (MMAP_THRESHOLD, MIN_MMAP_BYTES),
            (ARENA_MAX, NUM_ARENAS),
        ):
            library.mallopt(option, value)
