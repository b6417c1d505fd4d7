"""Quotas: what is under way is bounded for an address and for all, and given back."""

import pytest

from server.v1 import turns
from server.v1.problems import Problem
from server.v1.turns import Room


def test_what_is_held_is_bounded_and_given_back(monkeypatch):
    monkeypatch.setattr(turns, "MOST_HELD", 15)
    monkeypatch.setattr(turns, "MOST_HELD_EACH", 10)
    room = Room()
    with room.of("a") as a, room.of("b") as b:
        a.take(10)
        with pytest.raises(Problem) as refused, room.of("a") as more:
            more.take(1)
        assert refused.value.kind == "too-many"
        with pytest.raises(Problem) as refused:
            b.take(6)
        assert refused.value.kind == "busy"
    assert not room.held


def test_who_says_little_has_room_where_a_neighbour_fills_it():
    room = turns.Room()
    with room.of("class") as large, room.of("class") as small:
        with pytest.raises(Problem):
            large.hold(turns.MOST_HELD_EACH + 1)
        small.hold(turns.SMALL)
        with pytest.raises(Problem):
            small.hold(turns.SMALL + 1)
