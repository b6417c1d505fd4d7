"""A page with trainings in a row, as a test drives it: open it, wait for their end."""

import time

import apps
from apps import ran
from streamlit.testing.v1 import AppTest


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
