"""Lets the scripts of pages run one after the other: fifty that run at once give a key fifty threads to wait for."""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

EXCLUSIVE_SECONDS = 1.0  # after so long the next one begins beside the one before, which may wait for a process


class RunLock:
    """A lock that is given in the order in which it was asked for, and that nobody keeps from the next one for long."""

    def __init__(self, exclusive_seconds: float = EXCLUSIVE_SECONDS):
        self._exclusive_seconds = exclusive_seconds
        self._lock, self._waiting = threading.Lock(), deque[threading.Condition]()
        self._owner: threading.Condition | None = None
        self._owned_since = 0.0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Waits for the lock, and holds it to the end of the block, or until `exclusive_seconds` are over.

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
