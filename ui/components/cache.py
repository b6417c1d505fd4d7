"""The one door to what is computed once and kept for everybody: plain values in and out, bounded by all their bytes."""

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

MOST_KEPT = 100_000_000  # bytes of all values together; what was asked for longest ago makes room

_kept: OrderedDict[bytes, bytes] = OrderedDict()  # pickled: their size is known, and nobody can change them
_under_way: WeakValueDictionary[bytes, threading.Lock] = WeakValueDictionary()
_lock = threading.Lock()


def get_or_compute(make: Callable[[], T], *key: object) -> T:
    """Returns what `make` returned for this key before, or makes it now, once for all who ask meanwhile.

    A key is of plain values, as `marshal` takes them; as its second version writes them, what is equal is the same.

    >>> get_or_compute(lambda: [1], "list"), get_or_compute(lambda: [2], "list")
    ([1], [1])
    """
    name = sha256(marshal.dumps((language(), *key), 2)).digest()  # what is made may have words in it
    with _lock:
        own = _under_way.setdefault(name, threading.Lock())
    with own:
        with _lock:
            if found := _kept.get(name):
                _kept.move_to_end(name)
        if found:
            return pickle.loads(found)
        made = make()
        data = pickle.dumps(made, pickle.HIGHEST_PROTOCOL)
        with _lock:
            _kept[name] = data
            size = sum(map(len, _kept.values()))
            while size > MOST_KEPT:
                size -= len(_kept.popitem(last=False)[1])
    return made


def cached(function: Callable[..., T]) -> Callable[..., T]:
    """Decorates a function of plain values that is called with the same ones again.

    >>> cached(len)("text")
    4
    """

    @wraps(function)
    def found(*args: object) -> T:
        return get_or_compute(lambda: function(*args), function.__module__, function.__qualname__, *args)

    return found


def clear() -> None:
    """Forgets everything."""
    with _lock:
        _kept.clear()
