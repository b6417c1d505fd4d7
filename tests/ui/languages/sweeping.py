"""A page with trainings in a row, as a test drives it: open it, wait for their end."""

import apps
from apps import ran, until
from streamlit.testing.v1 import AppTest

from server.training import jobs


def opened(**query: str) -> AppTest:
    """The view of mixes on the Languages page, from an address."""
    return apps.opened("languages.py", **{"lens": "mix", **query})


def ended(app: AppTest, key: str) -> AppTest:
    """The app after its trainings of that key are over."""
    until(lambda: f"{key}_sweep" not in ran(app.run()).session_state)
    return app


def one_more(app: AppTest, key: str, no_turns) -> AppTest:
    """The app after the training that it waits for, and no other, had its turn."""
    job = app.session_state[f"{key}_sweep"]["job"]
    no_turns(1)
    jobs.MAX_RUNNING = 0
    until(lambda: job.over)
    return ran(app.run())
