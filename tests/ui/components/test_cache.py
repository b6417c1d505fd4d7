"""The cache computes a value once for all callers, returns copies, and stays below its bound in bytes."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ui.components import cache


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    cache.clear()
    monkeypatch.setattr(cache, "MAX_TOTAL_BYTES", 10_000)
    yield
    cache.clear()


def test_concurrent_callers_compute_a_value_once():
    made, together = [], threading.Barrier(8)

    @cache.cached
    def slow(number):
        made.append(number)
        return [number] * 3

    def ask(i):
        together.wait(10)
        return slow(i % 2)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [[0] * 3, [1] * 3] * 4
    assert sorted(made) == [0, 1]


def test_failed_computation_is_not_cached_and_does_not_block():
    def fails():
        raise ValueError

    with pytest.raises(ValueError):
        cache.get_or_compute(fails, "key")
    assert cache.get_or_compute(lambda: 3, "key") == 3 == cache.get_or_compute(fails, "key")


def test_changing_a_returned_value_does_not_change_the_cache():
    cache.get_or_compute(lambda: [1], "key").append(2)
    cache.get_or_compute(lambda: [1], "key").append(2)
    assert cache.get_or_compute(lambda: [1], "key") == [1]


def test_least_recently_used_values_are_evicted_above_the_limit():
    for i in range(30):
        cache.get_or_compute(lambda: b"x" * 1_000, i)
        cache.get_or_compute(list, "used again and again")
        assert cache.total_bytes() <= 10_000
    computed = []
    cache.get_or_compute(lambda: computed.append("new"), 29), cache.get_or_compute(lambda: computed.append("old"), 0)
    cache.get_or_compute(lambda: computed.append("used"), "used again and again")
    assert computed == ["old"]
    assert cache.get_or_compute(lambda: b"x" * 20_000, "too large") == b"x" * 20_000
    assert cache.total_bytes() <= 10_000
