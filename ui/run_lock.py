"""Runs the pages' scripts one at a time: with fifty at once, the thread that answers a key waits for fifty others.

The next is one of the address that has used the least processor time, so one address cannot delay the pages of others.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from server.limits.fair_queue import FairOrder

EXCLUSIVE_SECONDS = 1.0  # then the next script starts in parallel: the running one may be waiting for a process


class RunLock:
    """A fair lock whose owner is exclusive for a limited time."""

    def __init__(self, exclusive_seconds: float = EXCLUSIVE_SECONDS):
        self._exclusive_seconds = exclusive_seconds
        self._lock, self._waiting = threading.Lock(), FairOrder()
        self._owner: threading.Event | None = None
        self._owned_since = 0.0

    @property
    def num_waiting(self) -> int:
        """How many runs wait until it is their turn."""
        return len(self._waiting)

    @contextmanager
    def held(self, *client: str) -> Iterator[None]:
        """Acquires the lock, and releases it at the end of the block or after `exclusive_seconds`.

        >>> lock = RunLock()
        >>> with lock.held("10.0.0.1", "a visitor"):
        ...     "alone"
        'alone'
        """
        with self._lock:
            self._waiting.add(client, me := threading.Event())
            left = self._serve()
        while not me.wait(left):
            with self._lock:
                left = self._serve()
        begin = time.thread_time()
        try:
            yield
        finally:
            with self._lock:
                self._waiting.charge(client, time.thread_time() - begin)
                if self._owner is me:
                    self._owner = None
                    self._serve()

    def _serve(self) -> float:
        """Gives the lock to the next client where its owner is no longer exclusive; returns the seconds until then."""
        now = time.monotonic()
        left = self._owned_since + self._exclusive_seconds - now if self._owner else 0
        if left <= 0 and self._waiting:
            _, self._owner = self._waiting.pop()
            self._owned_since, left = now, self._exclusive_seconds
            self._owner.set()
        return max(0, left)


script_runs = RunLock()
