"""Runs the pages' scripts one at a time: with fifty at once, the thread that answers a key waits for fifty others."""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

EXCLUSIVE_SECONDS = 1.0  # then the next script starts in parallel: the running one may be waiting for a process


class RunLock:
    """A first-in, first-out lock whose owner is exclusive for a limited time."""

    def __init__(self, exclusive_seconds: float = EXCLUSIVE_SECONDS):
        self._exclusive_seconds = exclusive_seconds
        self._lock, self._waiting = threading.Lock(), deque[threading.Condition]()
        self._owner: threading.Condition | None = None
        self._owned_since = 0.0

    @property
    def num_waiting(self) -> int:
        """How many runs wait until it is their turn."""
        return len(self._waiting)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Acquires the lock, and releases it at the end of the block or after `exclusive_seconds`.

        >>> lock = RunLock()
        >>> with lock.held():
        ...     "alone"
        'alone'
        """
        with self._lock:
            self._waiting.append(me := threading.Condition(self._lock))
            while self._waiting[0] is not me:
                me.wait()
            while self._owner and (left := self._owned_since + self._exclusive_seconds - time.monotonic()) > 0:
                me.wait(left)
            self._waiting.popleft()
            self._owner, self._owned_since = me, time.monotonic()
            self._wake_next()
        try:
            yield
        finally:
            with self._lock:
                if self._owner is me:
                    self._owner = None
                    self._wake_next()

    def _wake_next(self) -> None:
        if self._waiting:
            self._waiting[0].notify()


script_runs = RunLock()
