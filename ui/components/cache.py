"""A process-wide LRU cache of computed values, bounded by their total size in bytes."""

import marshal
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import TypeVar
from weakref import WeakValueDictionary

from tokenizer.i18n import language

T = TypeVar("T")

MAX_TOTAL_BYTES = 100_000_000  # beyond it the least recently used values are evicted

_values: OrderedDict[bytes, bytes] = OrderedDict()  # pickled: the size is known, and no caller can change a value
_computing: WeakValueDictionary[bytes, threading.Lock] = WeakValueDictionary()  # one lock per key
_lock = threading.RLock()


def get_or_compute(compute: Callable[[], T], *key: object) -> T:
    """Returns the value of a key, computed once for all callers and for each language; raises what `compute` raises.

    A key consists of plain values, as `marshal` takes them. Its format version 2 writes equal values the same way.

    >>> get_or_compute(lambda: [1], "list"), get_or_compute(lambda: [2], "list")
    ([1], [1])
    """
    name = sha256(marshal.dumps((language(), *key), 2)).digest()  # a value may contain translated sentences
    with _lock:
        own = _computing.setdefault(name, threading.Lock())
    with own:
        with _lock:
            if data := _values.get(name):
                _values.move_to_end(name)
        if data:
            return pickle.loads(data)
        value = compute()
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        with _lock:
            _values[name] = data
            excess = total_bytes() - MAX_TOTAL_BYTES
            while excess > 0:
                excess -= len(_values.popitem(last=False)[1])
    return value


def cached(function: Callable[..., T]) -> Callable[..., T]:
    """Decorates a function of plain values, so that each combination of arguments is computed once.

    >>> cached(len)("text")
    4
    """

    @wraps(function)
    def call(*args: object) -> T:
        return get_or_compute(lambda: function(*args), function.__module__, function.__qualname__, *args)

    return call


def total_bytes() -> int:
    """Returns the size of all cached values."""
    with _lock:
        return sum(map(len, _values.values()))


def clear() -> None:
    with _lock:
        _values.clear()
