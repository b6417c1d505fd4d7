"""What is kept: made once for all who ask, as good as made anew, and never more bytes than there is room for."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ui.kit import cache


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    cache.clear()
    monkeypatch.setattr(cache, "MOST_KEPT", 10_000)
    yield
    cache.clear()


def test_many_who_ask_together_have_it_made_once():
    made, together = [], threading.Barrier(8)

    @cache.once
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
        cache.kept(fails, "key")
    assert cache.kept(lambda: 3, "key") == 3 == cache.kept(fails, "key")


def test_who_changes_an_answer_changes_it_for_nobody_else():
    cache.kept(lambda: [1], "key").append(2)
    cache.kept(lambda: [1], "key").append(2)
    assert cache.kept(lambda: [1], "key") == [1]


def test_all_that_is_kept_stays_below_the_bound_and_the_oldest_goes():
    for i in range(30):
        cache.kept(lambda: b"x" * 1_000, i)
        cache.kept(list, "used again and again")
        assert sum(map(len, cache._kept.values())) <= 10_000
    asked = []
    cache.kept(lambda: asked.append("new"), 29), cache.kept(lambda: asked.append("old"), 0)
    cache.kept(lambda: asked.append("used"), "used again and again")
    assert asked == ["old"]
    assert cache.kept(lambda: b"x" * 20_000, "too large") == b"x" * 20_000
    assert sum(map(len, cache._kept.values())) <= 10_000
