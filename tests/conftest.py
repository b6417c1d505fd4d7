"""What several test files need."""

import pytest


@pytest.fixture
def no_trainings_left():
    """Stops and forgets all trainings at the end of a test."""
    from ui.server import jobs as training
    from ui.server import shelf

    yield
    for job in list(training._jobs.values()):
        job.stop("the test is over")
    training._jobs.clear()
    shelf._lately.clear()
