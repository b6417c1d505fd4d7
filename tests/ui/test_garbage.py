"""Garbage collections of the server: the memory of a session comes back after its visitor has left."""

import asyncio
import gc
import weakref
from contextlib import suppress

import pytest

from ui import garbage


class Session:
    """An object that only a full collection frees, as Streamlit's sessions are."""

    def __init__(self):
        self.itself = self


@pytest.fixture(autouse=True)
def no_automatic_collection(monkeypatch, small_heap):
    monkeypatch.setattr(garbage, "INTERVAL_SECONDS", 0)
    gc.disable()
    yield
    gc.enable()


def collect_for_looks(*looks: list[str]) -> None:
    """Runs the task until it has asked for the sessions this often, and once more for the last."""
    answers = iter([*looks, looks[-1]])

    async def run() -> None:
        with suppress(RuntimeError):  # a coroutine cannot raise StopIteration
            await garbage.collect_ended_sessions(lambda: next(answers))

    asyncio.run(run())


def test_memory_of_an_ended_session_is_freed():
    session = Session()
    memory = weakref.ref(session)
    del session
    assert memory() is not None  # the reference is a cycle
    collect_for_looks(["a", "b"], ["b"])
    assert memory() is None


def test_no_collection_while_all_sessions_last():
    session = Session()
    memory = weakref.ref(session)
    del session
    collect_for_looks(["a"], ["a", "b"], ["a", "b"])
    assert memory() is not None
    gc.collect()


def test_full_collections_become_rare():
    *usual, ratio = gc.get_threshold()
    garbage.make_full_collections_rare()
    assert gc.get_threshold() == (*usual, garbage.FULL_COLLECTION_RATIO)
    assert ratio < garbage.FULL_COLLECTION_RATIO
    gc.set_threshold(*usual, ratio)
