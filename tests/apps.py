"""The app run without a browser: opened at an address, used, and what it then says."""

import re
import time
from collections.abc import Callable, Sequence
from html import unescape
from pathlib import Path

from google.protobuf.message import Message
from paths import FRAME
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest

COMPONENTS = BidiComponentManager()  # as a server has one; each run would else read what every installed package says


def made(script: Path | Callable, *args: object, **query: str) -> AppTest:
    """A script, or a function with arguments, at an address and not yet run."""
    app = AppTest.from_file(script) if isinstance(script, Path) else AppTest.from_function(script, args=args)
    app.default_timeout = 60
    app._bidi_component_manager = COMPONENTS
    app.query_params.update(query)
    return app


def started(script: Path | Callable, *args: object, **query: str) -> AppTest:
    """The same, run."""
    return ran(made(script, *args, **query).run())


def opened(page: str, **query: str) -> AppTest:
    """A page in its frame, from an address."""
    return ran(made(FRAME, **query).switch_page(page).run())


def ran(app: AppTest) -> AppTest:
    """The app, which must not have failed."""
    assert not app.exception, app.exception
    return app


def until(condition: Callable[[], bool], seconds: float = 60):
    """Waits for what must come true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def told(*lists: tuple[Message, Sequence[str]]) -> WidgetStates:
    """What a browser says of lists, by their elements: the words of what is chosen in each."""
    said = WidgetStates()
    for element, words in lists:
        one = said.widgets.add(id=element.id)
        if element.DESCRIPTOR.name in ("Selectbox", "Radio"):
            [one.string_value] = words
        else:
            one.string_array_value.data.extend(words)
    return said


def pressed(app: AppTest, key: str) -> AppTest:
    """The app after its button was pressed."""
    return ran(app.button(key=key).click().run())


def asked(app: AppTest, name: str) -> str | None:
    """What the address says."""
    value = app.query_params.get(name)
    return value[-1] if isinstance(value, list) else value


def keys(app: AppTest, start: str = "") -> set[str]:
    """The keys of the buttons that are there, of those that begin so."""
    return {button.key for button in app.button if (button.key or "").startswith(start)}


def alerts(app: AppTest) -> list[str]:
    """What the page says of things that went wrong, one by one, as a reader sees it."""
    return [words(one.value) for one in app.html if 'role="alert"' in one.value]


def said(app: AppTest) -> str:
    """The same in one."""
    return " ".join(alerts(app))


def seen(app: AppTest) -> str:
    """The words of all HTML."""
    return " ".join(words(one.value) for one in app.html)


def captions(app: AppTest) -> str:
    """All small print."""
    return "\n".join(one.value for one in app.caption)


def words(html: str) -> str:
    """HTML without its tags and styles."""
    return unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", html, flags=re.DOTALL))
