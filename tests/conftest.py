"""What several test files need, and what `make quick` leaves to `make test`."""

import pytest
from amounts import QUICK
from hypothesis import settings

settings.register_profile("tokenloupe", deadline=None, max_examples=10 if QUICK else 100)
settings.load_profile("tokenloupe")


def is_long(item) -> bool:
    """Whether a test is for `make test` alone."""
    trains = "no_trainings_left" in getattr(item, "fixturenames", ())
    return trains or "e2e" in item.path.parts or item.get_closest_marker("slow") is not None


def pytest_collection_modifyitems(config, items):
    """Leaves out tests that are marked slow, in a browser, or train in processes of their own, in `make quick`."""
    if QUICK and (left_out := [item for item in items if is_long(item)]):
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not is_long(item)]


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
