"""What was used lately, and is large: a few stay, and the one used longest ago makes room."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class LruCache(Generic[Made]):
    """Makes something for each key when it is first asked for, one at a time; those that are there do not wait.

    >>> made = LruCache(str.upper, most=2)
    >>> [made.get(key) for key in "abac"], [key for key in "abc" if key in made]
    (['A', 'B', 'A', 'C'], ['a', 'c'])
    """

    def __init__(self, make: Callable[[str], Made], most: int):
        self._make, self._most = make, most
        self._made: OrderedDict[str, Made] = OrderedDict()
        self._lock, self._making = threading.Lock(), threading.Lock()

    def __contains__(self, key: str) -> bool:
        return key in self._made

    def __len__(self) -> int:
        return len(self._made)

    def get(self, key: str) -> Made:
        """Returns what belongs to a key; raises what making it raises."""
        if found := self._used(key):
            return found
        with self._making:
            if found := self._used(key):
                return found
            made = self._make(key)
            with self._lock:
                self._made[key] = made
                if len(self._made) > self._most:
                    self._made.popitem(last=False)
        return made

    def _used(self, key: str) -> Made | None:
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
            return self._made.get(key)
