"""Memory: how much there is, when Python looks for what can go, and that it goes back to the system at once."""

import ctypes
import gc
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

LARGE = 256_000  # bytes: such a piece is given back by itself
UNKNOWN = 4_000_000_000  # bytes that a laptop has at least
CONTAINERS = Path("/sys/fs/cgroup/memory.max")  # the bytes that a container may use, or "max"
TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8  # of mallopt(3)
RESIDENT = Path("/proc/self/statm")
LOOK, EVERY, MUCH = 1, 60, 64_000_000  # seconds, and bytes
NEVER = 1_000_000
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


def look_through(is_over: threading.Event | None = None) -> threading.Thread:
    """Has Python look through all that lasts every minute, or when there is much more of it, and not more often.

    It takes 0.1 to 0.4 s, in which nobody's key is answered, and by itself Python does it whenever so many objects are
    new: where fifty have been at work for a while, every few seconds. What is new it goes on looking through by itself.
    """
    gc.set_threshold(*gc.get_threshold()[:2], NEVER)
    looking = threading.Thread(target=_look_through, args=[is_over or threading.Event()], name="garbage", daemon=True)
    looking.start()
    return looking


def _look_through(is_over: threading.Event) -> None:
    looked_at, held = time.monotonic(), resident()
    while not is_over.wait(LOOK):
        if time.monotonic() > looked_at + EVERY or resident() > held + MUCH:
            gc.collect()
            looked_at, held = time.monotonic(), resident()


def resident() -> int:
    """Returns how many bytes of memory this process has, 0 where the system does not tell."""
    with suppress(OSError, ValueError, AttributeError, IndexError):
        return int(RESIDENT.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0
