"""What is kept: made once for all who ask, as good as made anew, and never more bytes than there is room for."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ui.components import cache


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    cache.clear()
    monkeypatch.setattr(cache, "MOST_KEPT", 10_000)
    yield
    cache.clear()


def test_many_who_ask_together_have_it_made_once():
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


def test_what_is_not_made_is_asked_for_again_and_holds_up_nobody():
    def fails():
        raise ValueError

    with pytest.raises(ValueError):
        cache.get_or_compute(fails, "key")
    assert cache.get_or_compute(lambda: 3, "key") == 3 == cache.get_or_compute(fails, "key")


def test_who_changes_an_answer_changes_it_for_nobody_else():
    cache.get_or_compute(lambda: [1], "key").append(2)
    cache.get_or_compute(lambda: [1], "key").append(2)
    assert cache.get_or_compute(lambda: [1], "key") == [1]


def test_all_that_is_kept_stays_below_the_bound_and_the_oldest_goes():
    for i in range(30):
        cache.get_or_compute(lambda: b"x" * 1_000, i)
        cache.get_or_compute(list, "used again and again")
        assert sum(map(len, cache._kept.values())) <= 10_000
    asked = []
    cache.get_or_compute(lambda: asked.append("new"), 29), cache.get_or_compute(lambda: asked.append("old"), 0)
    cache.get_or_compute(lambda: asked.append("used"), "used again and again")
    assert asked == ["old"]
    assert cache.get_or_compute(lambda: b"x" * 20_000, "too large") == b"x" * 20_000
    assert sum(map(len, cache._kept.values())) <= 10_000
