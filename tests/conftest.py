"""What several test files need, and what `make quick` leaves to `make test`."""

import pytest
from amounts import QUICK
from hypothesis import settings

settings.register_profile("tokenloupe", deadline=None, max_examples=10 if QUICK else 100)
settings.load_profile("tokenloupe")


def pytest_collection_modifyitems(config, items):
    """Leaves out tests that are marked slow, and those in a browser, in `make quick`."""
    left_out = [item for item in items if QUICK and (item.get_closest_marker("slow") or "e2e" in item.path.parts)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


@pytest.fixture
def no_trainings_left():
    """Stops and forgets all trainings at the end of a test."""
    from ui.server import jobs, shelf

    yield
    for job in list(jobs._jobs.values()):
        job.stop("the test is over")
    jobs._jobs.clear()
    jobs._served.clear()
    shelf._lately.clear()


@pytest.fixture
def no_turns(monkeypatch):
    """Trainings wait for ever, until the fixture's value is called."""
    from ui.server import jobs

    at_once = jobs.AT_ONCE
    monkeypatch.setattr(jobs, "AT_ONCE", 0)

    def go(turns=at_once):
        jobs.AT_ONCE = turns
        with jobs._lock:
            jobs._start()

    return go
