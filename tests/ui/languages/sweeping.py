"""Helpers for a page that trains several tokenizers in turn."""

import apps
from apps import ran, until
from streamlit.testing.v1 import AppTest

from server.training import jobs


def opened(**query: str) -> AppTest:
    """Opens the mix view of the Languages page from an address."""
    return apps.open_page("languages.py", **{"lens": "mix", **query})


def ended(app: AppTest, key: str) -> AppTest:
    """Waits until the trainings of this key are over."""
    until(lambda: f"{key}_sweep" not in ran(app.run()).session_state)
    return app


def one_more(app: AppTest, key: str, run_trainings) -> AppTest:
    """Lets exactly one training run, the one that the app waits for."""
    job = app.session_state[f"{key}_sweep"]["job"]
    run_trainings(1)
    jobs.MAX_RUNNING_JOBS = 0
    until(lambda: job.over)
    return ran(app.run())
