"""A page with trainings in a row, as a test drives it: open it, wait for their end."""

import time

import apps
from apps import ran
from streamlit.testing.v1 import AppTest

from ui.server import jobs


def opened(**query: str) -> AppTest:
    """The view of mixes on the Languages page, from an address."""
    return apps.opened("languages.py", **{"lens": "mix", **query})


def ended(app: AppTest, key: str) -> AppTest:
    """The app after its trainings of that key are over."""
    end = time.monotonic() + 60
    while f"{key}_sweep" in app.session_state:
        assert time.monotonic() < end
        time.sleep(0.02)
        ran(app.run())
    return app


def one_more(app: AppTest, key: str, no_turns) -> AppTest:
    """The app after the training that it waits for, and no other, had its turn."""
    job, end = app.session_state[f"{key}_sweep"]["job"], time.monotonic() + 60
    no_turns(1)
    jobs.AT_ONCE = 0
    while not job.over:
        assert time.monotonic() < end
        time.sleep(0.01)
    return ran(app.run())
