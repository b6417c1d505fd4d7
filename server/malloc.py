"""Tunes malloc of the GNU C library to return free memory to the system."""

import ctypes
from contextlib import suppress

LARGE_BYTES = 256_000  # an allocation of this size is returned by itself
TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # of mallopt(3)
NUM_ARENAS = 2  # heaps, shared by all threads: free memory in the heap of one thread is of no use to another


def tune_malloc() -> None:
    """Sets the options; by default the library keeps up to 64 MB of free memory, and all memory below used memory."""
    with suppress(AttributeError, OSError, TypeError):  # another C library
        library = ctypes.CDLL(None)
        for option, value in ((TRIM_THRESHOLD, LARGE_BYTES), (MMAP_THRESHOLD, LARGE_BYTES), (ARENA_MAX, NUM_ARENAS)):
            library.mallopt(option, value)
