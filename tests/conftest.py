"""What several test files need."""

import io
import os
import sys
from types import SimpleNamespace

import limits
import pytest
from amounts import examples
from hypothesis import settings

pytest.register_assert_rewrite("apps", "e2e.desk", "e2e.languages", "e2e.trainer", "oracles")

# where a proxy is set, it is for other machines; all that the tests ask is on this one
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "*"

settings.register_profile("tokenloupe", examples(100), deadline=None)
settings.load_profile("tokenloupe")


def pytest_configure(config):
    config.pluginmanager.register(limits)


@pytest.fixture
def fake_ctok(monkeypatch):
    """Stands for the package ctok, where it is installed too: each word is a token. It counts here, in no process."""
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
    """Stops and forgets all trainings, and what visitors loaded, at the end of a test."""
    from server.encodings import encoding_store
    from server.training import jobs

    yield
    jobs.reset()
    encoding_store.reset()


class Here(io.BytesIO):
    """Stands for a training's process and its input: the work is done when that is closed."""

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
        """It has ended when somebody could."""


@pytest.fixture
def trains_here(monkeypatch, no_trainings_left):
    """Trainings run in threads of this process; with one of their own each they are in tests/server."""
    from server.training import jobs

    monkeypatch.setattr(jobs, "workers", SimpleNamespace(start=Here, SHARES=jobs.workers.SHARES))


@pytest.fixture
def no_turns(monkeypatch):
    """Trainings wait for ever, until the fixture's value is called."""
    from server.training import jobs

    at_once = jobs.MAX_RUNNING
    monkeypatch.setattr(jobs, "MAX_RUNNING", 0)

    def go(turns=at_once):
        jobs.MAX_RUNNING = turns
        jobs.start_waiting()

    return go
