"""Memory: how much there is, and that it goes back to the system as soon as it is free."""

import ctypes
import os
from contextlib import suppress
from pathlib import Path

LARGE = 256_000  # bytes: such a piece is given back by itself
UNKNOWN = 4_000_000_000  # bytes that a laptop has at least
CONTAINERS = Path("/sys/fs/cgroup/memory.max")  # the bytes that a container may use, or "max"
TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # of mallopt(3)
ARENAS = 2  # heaps, which threads share: with one for each, what is free in one is of no use to another


def total() -> int:
    """Returns how many bytes of memory this machine has, or this container may use."""
    found = UNKNOWN
    with suppress(AttributeError, OSError, ValueError):  # not on every system
        found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError, ValueError):
        found = min(found, int(CONTAINERS.read_text()))
    return found


def give_back() -> None:
    """Lets the C library give back what was large and is free: by itself it keeps up to 64 MB, and what lies below."""
    with suppress(AttributeError, OSError, TypeError):  # another C library than GNU's
        library = ctypes.CDLL(None)
        for option, value in ((TRIM_THRESHOLD, LARGE), (MMAP_THRESHOLD, LARGE), (ARENA_MAX, ARENAS)):
            library.mallopt(option, value)
