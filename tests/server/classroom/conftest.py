"""Rooms that no test leaves behind, and a clock that tests turn."""

from types import SimpleNamespace

import pytest

from server.classroom import rooms
from server.classroom.rooms import Scene


@pytest.fixture(autouse=True)
def no_rooms():
    """There are none before and after."""
    rooms._rooms.clear()
    rooms._over.clear()
    yield
    rooms._rooms.clear()
    rooms._over.clear()


@pytest.fixture
def clock(monkeypatch):
    """The time, as `clock.now` says."""
    found = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(rooms, "time", SimpleNamespace(monotonic=lambda: found.now))
    return found


@pytest.fixture
def opened():
    """A room that shows the first step of a lesson: its secret, and itself."""
    return rooms.new_room(Scene("token"))
