"""What nobody refers to any more goes, though Python does not look for it by itself."""

import gc
import sys
import threading
import weakref

import pytest
from apps import until

from ui.server import memory


class Ring:
    """Refers to itself, so that it is there until Python looks for it."""

    def __init__(self):
        self.itself = self


@pytest.fixture
def is_over():
    usual, over = gc.get_threshold(), threading.Event()
    yield over
    over.set()
    gc.set_threshold(*usual)


def lasting_ring():
    ring = Ring()
    gc.collect()  # now it is among what lasts
    return weakref.ref(ring)


@pytest.mark.parametrize(("every", "much"), [(0.05, 10**15), (1_000, -1)], ids=["in time", "much more memory"])
def test_what_lasted_and_is_not_used_any_more_goes(monkeypatch, is_over, every, much):
    for name, value in (("LOOK", 0.01), ("EVERY", every), ("MUCH", much)):
        monkeypatch.setattr(memory, name, value)
    ring = lasting_ring()
    memory.look_through(is_over)
    until(lambda: ring() is None)


@pytest.mark.skipif(sys.version_info[:2] == (3, 14), reason="this one looks through a little of all at a time")
def test_python_does_not_look_for_it_by_itself(monkeypatch, is_over):
    monkeypatch.setattr(memory, "LOOK", 0.01)
    ring = lasting_ring()
    looking = memory.look_through(is_over)
    kept = [[] for _ in range(200_000)]
    assert ring() and kept
    is_over.set()
    looking.join(5)
    assert not looking.is_alive() and ring()


def test_what_this_process_has_is_known_where_the_system_tells_it(monkeypatch, tmp_path):
    held = memory.resident()
    much = bytearray(b"x") * 50_000_000
    assert not held or memory.resident() > held + 40_000_000
    assert much
    monkeypatch.setattr(memory, "RESIDENT", tmp_path / "no such file")
    assert memory.resident() == 0
