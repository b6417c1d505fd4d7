"""Runs the app without a browser, and reads what it shows."""

import json
import re
import time
from collections.abc import Callable, Sequence
from html import unescape
from pathlib import Path

from google.protobuf.message import Message
from paths import FRAME
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx
from streamlit.testing.v1 import AppTest

from ui.session.import_page import RunningImport, read_file
from ui.session.visitor_state import KEY, TextPush, VisitorState

COMPONENTS = BidiComponentManager()  # one for all runs, as in a server


def new_app(script: Path | Callable, *args: object, on_desk: str | None = None, **query: str) -> AppTest:
    """Returns an app of a script, or of a function with arguments, at this address; it has not run.

    `on_desk` is the visitor's text, by default the first example.
    """
    app = AppTest.from_file(script) if isinstance(script, Path) else AppTest.from_function(script, args=args)
    app.default_timeout = 60
    app._bidi_component_manager = COMPONENTS
    app.query_params.update(query)
    if on_desk is not None:
        app.session_state[KEY] = VisitorState(last_push=TextPush(on_desk))
    return app


def run_app(script: Path | Callable, *args: object, on_desk: str | None = None, **query: str) -> AppTest:
    """The same, after a first run."""
    return ran(new_app(script, *args, on_desk=on_desk, **query).run())


def open_page(page: str, on_desk: str | None = None, **query: str) -> AppTest:
    """Opens a page in its frame at this address."""
    return ran(new_app(FRAME, on_desk=on_desk, **query).switch_page(page).run())


def interrupt() -> None:
    """Sends the current run a message of the browser: Streamlit ends the run at its next element."""
    context = get_script_run_ctx()
    context.script_requests.request_rerun(RerunData(page_script_hash=context.page_script_hash))


def interrupted_once(function: Callable) -> tuple[Callable, list[tuple]]:
    """Returns the function, during whose first call a message comes, and the list of the arguments of its calls."""
    calls = []

    def interrupted(*args: object) -> object:
        calls.append(args)
        if len(calls) == 1:
            interrupt()
        return function(*args)

    return interrupted, calls


def ran(app: AppTest) -> AppTest:
    """Returns the app, whose run must not have failed."""
    assert not app.exception, app.exception
    return app


def until(condition: Callable[[], bool], seconds: float = 60):
    """Waits until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"false after {seconds:g} s"
        time.sleep(0.01)


def ended(job):
    """Waits until a job is over; returns it."""
    until(lambda: job.over)
    return job


def widget_states(*lists: tuple[Message, Sequence[str]]) -> WidgetStates:
    """The message of a browser with the labels that are selected in these widgets."""
    states = WidgetStates()
    for element, words in lists:
        one = states.widgets.add(id=element.id)
        if element.DESCRIPTOR.name in ("Selectbox", "Radio"):
            [one.string_value] = words
        else:
            one.string_array_value.data.extend(words)
    return states


def click(app: AppTest, key: str) -> AppTest:
    """Clicks a button and returns the app."""
    return ran(app.button(key=key).click().run())


def train_on_page(app: AppTest) -> AppTest:
    """Presses Train and waits until the training is over."""
    click(app, "train")
    return finish_training(app)


def finish_training(app: AppTest) -> AppTest:
    """Waits until the training that the page has begun is over, and runs the page."""
    if "training" in app.session_state:
        until(lambda: app.session_state.training["job"].over)
    return ran(app.run())


def visitor_of(app: AppTest) -> VisitorState:
    """The server's state of the visitor of an app."""
    return app.session_state[KEY]


def acknowledge(app: AppTest) -> None:
    """The browser acknowledges all values that the server gave to widgets."""
    visitor_of(app).widgets.pending.clear()


def saved_page(page: str, **facts: object) -> str:
    """The text of a file of this page."""
    return json.dumps({"tokenloupe": "page", "version": 1, "page": page, **facts})


def open_saved(app: AppTest, page: str, **facts: object) -> AppTest:
    """Opens a file of this page."""
    visitor_of(app).imports.under_way = RunningImport(read_file(saved_page(page, **facts)))
    return ran(app.run())


def param(app: AppTest, name: str) -> str | None:
    """The value of a parameter in the address."""
    value = app.query_params.get(name)
    return value[-1] if isinstance(value, list) else value


def button_keys(app: AppTest, start: str = "") -> set[str]:
    """The keys of the buttons that begin with `start`."""
    return {button.key for button in app.button if (button.key or "").startswith(start)}


def alerts(app: AppTest) -> list[str]:
    """The texts of the alerts of a page."""
    return [plain_text(one.value) for one in app.html if 'role="alert"' in one.value]


def alert_text(app: AppTest) -> str:
    return " ".join(alerts(app))


def text_of(app: AppTest) -> str:
    """The text of all HTML of a page."""
    return " ".join(plain_text(one.value) for one in app.html)


def captions(app: AppTest) -> str:
    """The text of all captions."""
    return "\n".join(one.value for one in app.caption)


def plain_text(html: str) -> str:
    """HTML without its tags and styles."""
    return unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", html, flags=re.DOTALL))
