"""A page with trainings in a row, as a test drives it: begin them, wait for their end, read what is said."""

import re
import time
from html import unescape

from paths import FRAME
from streamlit.testing.v1 import AppTest


def ran(app: AppTest) -> AppTest:
    """The app, which must not have failed."""
    assert not app.exception, app.exception
    return app


def opened(**query: str) -> AppTest:
    """The view of mixes on the Languages page, from an address."""
    app = AppTest.from_file(FRAME, default_timeout=60)
    for name, value in {"lens": "mix", **query}.items():
        app.query_params[name] = value
    return ran(app.run().switch_page("languages.py").run())


def pressed(app: AppTest, key: str) -> AppTest:
    """The app after its button was pressed."""
    return ran(app.button(key=key).click().run())


def ended(app: AppTest, key: str) -> AppTest:
    """The app after its trainings of that key are over."""
    end = time.monotonic() + 60
    while f"{key}_sweep" in app.session_state:
        assert time.monotonic() < end
        time.sleep(0.02)
        ran(app.run())
    return app


def keys(app: AppTest) -> set[str]:
    """The keys of the buttons that are there."""
    return {button.key for button in app.button}


def seen(app: AppTest) -> str:
    """The words of all HTML."""
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", html.value) for html in app.get("html")))
