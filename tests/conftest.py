"""What several test files need."""

import pytest


@pytest.fixture
def no_trainings_left():
    """Stops and forgets all trainings at the end of a test."""
    from ui.server import jobs, shelf

    yield
    for job in list(jobs._jobs.values()):
        job.stop("the test is over")
    jobs._jobs.clear()
    shelf._lately.clear()
