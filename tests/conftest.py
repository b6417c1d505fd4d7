"""Fixtures for several test files."""

import gc
import io
import os
import sys
from types import SimpleNamespace

import limits
import pytest
from amounts import QUICK, examples
from hypothesis import settings

pytest.register_assert_rewrite("apps", "e2e.desk", "e2e.languages", "e2e.trainer", "oracles")

# a proxy is for other machines; the tests only connect to this one
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "*"

settings.register_profile("tokenloupe", examples(100), deadline=None)
settings.load_profile("tokenloupe")


gc.disable()  # until the test files are loaded: collections of garbage take a third of that time


def pytest_configure(config):
    config.pluginmanager.register(limits)


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


def pytest_sessionfinish():
    """Leaves little to the five collections of garbage that pytest makes at its end."""
    gc.freeze()


@pytest.hookimpl(trylast=True)  # after slow cases are deselected
def pytest_collection_modifyitems(config, items):
    """Keeps only the first case of each test where TESTS=quick."""
    if not QUICK:
        return
    first_cases = {}
    for item in items:
        first_cases.setdefault(item.nodeid.partition("[")[0], item)
    config.hook.pytest_deselected(items=list(set(items) - set(first_cases.values())))
    items[:] = first_cases.values()


@pytest.fixture
def fake_ctok(monkeypatch):
    """Replaces the package ctok, even if it is installed: each word is a token. It counts in this process."""
    from server.encodings import reconstructed_counts
    from tokenizer.kinds import counters
    from ui.components import cache

    frames = {one.version: one.frame for one in counters.COUNTERS}
    fake = SimpleNamespace(token_count=lambda text, version: len(text.split()) + frames[version])
    monkeypatch.setitem(sys.modules, "ctok", fake)
    monkeypatch.setattr(counters, "is_installed", lambda: True)
    monkeypatch.setattr(
        reconstructed_counts, "worker", SimpleNamespace(run=lambda function, *values: function(*values))
    )
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def no_trainings_left():
    """Stops and deletes all trainings before and after a test, and clears loaded encodings after it."""
    from server.encodings import encoding_store
    from server.training import jobs

    jobs.reset()
    yield
    jobs.reset()
    encoding_store.reset()


@pytest.fixture
def no_rooms():
    """Clears all rooms of classes before and after a test."""
    from server.classroom import rooms

    rooms.reset()
    yield
    rooms.reset()


class InlineProcess(io.BytesIO):
    """Replaces a training's process and its input: closing the input runs the training."""

    def __init__(self, *_, **__):
        super().__init__()
        self.stdin, self.stdout = self, io.BytesIO()

    def close(self):
        from tokenizer.training.worker import serve

        self.close = super().close
        self.seek(0)
        serve(self, self.stdout)
        self.stdout.seek(0)

    def kill(self):
        """Does nothing: the training has ended."""


@pytest.fixture
def inline_trainings(monkeypatch, no_trainings_left):
    """Runs trainings in threads of this process; tests/server tests them in their own processes."""
    from server.training import jobs

    monkeypatch.setattr(jobs, "workers", SimpleNamespace(start=InlineProcess, SHARES=jobs.workers.SHARES))


@pytest.fixture
def run_trainings(monkeypatch):
    """Makes trainings wait until the fixture's value is called."""
    from server.training import jobs

    at_once = jobs.MAX_RUNNING_JOBS
    monkeypatch.setattr(jobs, "MAX_RUNNING_JOBS", 0)

    def go(turns=at_once):
        jobs.MAX_RUNNING_JOBS = turns
        jobs.start_waiting()

    return go
