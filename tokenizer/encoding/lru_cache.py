"""A cache of large objects that builds missing entries and evicts the least recently used one."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LruCache(Generic[Value]):
    """Builds the value of a key at its first lookup, one value at a time; lookups of cached keys do not wait.

    `functools.lru_cache` would build one value twice when two threads ask for it at once.

    >>> cache = LruCache(str.upper, max_size=2)
    >>> [cache.get(key) for key in "abac"], [key for key in "abc" if key in cache]
    (['A', 'B', 'A', 'C'], ['a', 'c'])
    """

    def __init__(self, build: Callable[[str], Value], max_size: int):
        self._build, self._max_size = build, max_size
        self._values: OrderedDict[str, Value] = OrderedDict()
        self._lock, self._building = threading.Lock(), threading.Lock()

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: str) -> Value:
        """Returns the value of a key and builds it if it is missing; raises what building it raises."""
        with suppress(KeyError):
            return self._cached(key)
        with self._building:
            with suppress(KeyError):
                return self._cached(key)
            value = self._build(key)
            with self._lock:
                self._values[key] = value
                if len(self._values) > self._max_size:
                    self._values.popitem(last=False)
        return value

    def _cached(self, key: str) -> Value:
        with self._lock:
            self._values.move_to_end(key)
            return self._values[key]
