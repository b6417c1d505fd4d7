"""What several test files need."""

import pytest


@pytest.fixture
def no_trainings_left():
    """Stops and forgets all trainings at the end of a test."""
    from ui import shelf, training

    yield
    for job in list(training._jobs.values()):
        job.stop("the test is over")
    training._jobs.clear()
    shelf._lately.clear()
