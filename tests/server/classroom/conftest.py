"""Fixtures: empty rooms before and after each test, and a clock that tests set."""

from types import SimpleNamespace

import pytest

from server.classroom import rooms
from server.classroom.rooms import Scene


@pytest.fixture(autouse=True)
def empty_rooms(no_rooms):
    """Each test begins without rooms."""


@pytest.fixture
def clock(monkeypatch):
    """The clock of rooms; `clock.now` is its time in seconds."""
    found = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(rooms, "time", SimpleNamespace(monotonic=lambda: found.now))
    return found


@pytest.fixture
def opened():
    """The secret of a room that shows the first step of a lesson, and the room."""
    return rooms.new_room(Scene("token"))
