"""However quickly a visitor says things: each press is heard, once and in order, and all runs that is to."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from textwrap import dedent
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from apps import until
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType, _coalesce_widget_states
from streamlit.runtime.session_manager import SessionClient
from streamlit.runtime.state import SafeSessionState

from ui.kit import hearing, quirks

PAGE = """
    import notes
    import streamlit as st
    from ui.kit import presses

    def hear(name):
        st.session_state.setdefault("heard", [])
        notes.during(name)
        st.session_state.heard.append(name)  # before this line Streamlit looks whether it is to stop
        notes.heard.append(name)

    def chosen():
        hear(st.session_state.choice)

    @st.fragment
    def part():
        st.button("in the part", key="part", on_click=hear, args=("part",))
        notes.drawn.append("part")

    if "brought" in st.session_state:
        with notes.whole():
            found = st.session_state.pop("brought")
            notes.during("put")
            st.session_state.place = found
    for name in ("first", "second"):
        st.button(name, key=name, on_click=hear, args=(name,))
    st.selectbox("choice", ["none", "one"], key="choice", on_change=chosen)
    part()
    notes.during("page")
    notes.drawn.append(st.session_state.choice)
    if st.button("seen", key="seen"):
        notes.drawn.append("seen")
    if presses.button("kept", key="kept"):
        notes.drawn.append("kept")
    presses.forget()
"""


class Visitor:
    """Somebody in whose browser a page stands; what the page has heard and drawn."""

    def __init__(self, page: str):
        self.notes = sys.modules["notes"] = SimpleNamespace(
            heard=[], drawn=[], during=lambda name: None, whole=hearing.whole
        )
        self.loop, self.choice = asyncio.new_event_loop(), "none"
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.runtime = Runtime(RuntimeConfig(page, Mock(stats_families=()), Mock(stats_families=())))
        self.on_loop(self.runtime.start)
        self.session = self.on_loop(self.open)
        self.say()
        self.idle()

    async def open(self) -> AppSession:
        """Opens the page."""
        found = self.runtime.connect_session(Mock(SessionClient), {})
        return self.runtime._session_mgr.get_session_info(found).session

    def on_loop(self, does, *given):
        """Does something on the server's loop, and returns what comes of it."""
        return asyncio.run_coroutine_threadsafe(does(*given), self.loop).result(10)

    def say(self, *pressed: str, part: bool = False) -> None:
        """Says what a browser says where these are pressed, of the page or of its part alone."""
        self.on_loop(self._say, pressed, part)

    def turn(self) -> None:
        """Says what a browser says where the visitor turns to another page."""
        self.on_loop(self._turn)

    async def _turn(self) -> None:
        message = BackMsg()
        message.rerun_script.page_script_hash = "another"
        self.session.handle_backmsg(message)

    async def _say(self, pressed: tuple[str, ...], part: bool) -> None:
        message, state = BackMsg(), self.session.session_state
        message.rerun_script.SetInParent()
        said = message.rerun_script.widget_states.widgets
        for one in pressed:
            said.add(id=state.get_widget_id_from_key(one), trigger_value=True)
        if self.choice != "none":
            said.add(id=state.get_widget_id_from_key("choice")).string_value = self.choice
        if part:
            message.rerun_script.fragment_id = state.get_widget_metadata(said[0].id).fragment_id
        self.session.handle_backmsg(message)

    def idle(self) -> None:
        """Waits until nothing runs."""
        until(lambda: not any(one.name == "ScriptRunner.scriptThread" for one in threading.enumerate()))
        for _ in range(3):  # and till the loop knows: what it imports gets a logger while pytest lists all
            self.on_loop(asyncio.sleep, 0)

    def close(self) -> None:
        """Closes the page, and ends the server."""
        self.loop.call_soon_threadsafe(self.runtime.stop)
        until(lambda: self.runtime.state.name == "STOPPED")
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()
        del sys.modules["notes"]


@pytest.fixture(params=["as Streamlit", "here"])
def is_mended(request, monkeypatch) -> bool:
    """What Streamlit does is tried, too: so these tests tell when it does otherwise."""
    monkeypatch.setattr(ScriptRunner, "_run_script", quirks.run_in_turn)
    monkeypatch.setattr(AppSession, "handle_backmsg", quirks.heed_what_pages_say)
    monkeypatch.setattr(quirks, "leave_out_what_stays", lambda: None)
    monkeypatch.setattr(quirks, "ALONE", 60)
    if request.param == "here":
        monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", hearing.hear)
    else:
        monkeypatch.setattr(quirks, "hear_before", lambda runner, asked: asked)
        monkeypatch.setattr(hearing.Unheard, "add", lambda self, said, page: None)
    return request.param == "here"


@pytest.fixture
def is_whole(request, monkeypatch) -> bool:
    """Whether `whole` does something."""
    if not request.param:
        monkeypatch.setattr(hearing, "whole", nullcontext)
    return request.param


@pytest.fixture
def visitor(tmp_path, is_mended) -> Iterator[Visitor]:
    page = tmp_path / "app.py"
    page.write_text(dedent(PAGE))
    usual = config.get_option("server.fileWatcherType")
    config.set_option("server.fileWatcherType", "none")
    one = Visitor(str(page))
    try:
        yield one
    finally:
        one.close()
        Runtime._instance = None
        config.set_option("server.fileWatcherType", usual)


def test_each_press_is_heard_once_and_in_order_and_the_last_choice(visitor, is_mended):
    visitor.notes.drawn.clear()
    with quirks.runs.taken():  # others are before him
        visitor.say("first")
        visitor.say("seen")
        visitor.say("first")
        visitor.choice = "one"
        visitor.say()
        visitor.say("second")
    visitor.idle()
    assert visitor.notes.heard == (["first", "first", "second", "one"] if is_mended else ["second", "one"])
    assert visitor.notes.drawn == (["part", "one", "seen"] if is_mended else ["part", "one"])
    visitor.say()
    visitor.idle()
    assert len(visitor.notes.heard) == (4 if is_mended else 2)
    assert visitor.notes.drawn.count("seen") == is_mended


def test_what_is_chosen_just_before_a_turn_of_the_page_is_heard(visitor, is_mended):
    with quirks.runs.taken():
        visitor.say("first")
        visitor.choice = "one"
        visitor.say()
        visitor.turn()
    visitor.idle()
    assert visitor.notes.heard == (["first", "one"] if is_mended else [])


def test_who_has_begun_to_hear_is_not_stopped_at_it(visitor, is_mended):
    begun, go_on = threading.Event(), threading.Event()
    visitor.notes.during = lambda name: name == "first" and (begun.set(), go_on.wait(10))
    visitor.say("first")
    assert begun.wait(10)
    visitor.say("second")
    go_on.set()
    visitor.idle()
    assert visitor.notes.heard == (["first", "second"] if is_mended else ["second"])


def test_what_is_pressed_in_a_part_while_the_page_is_drawn_is_heard_though_more_is_said(visitor, is_mended):
    begun, go_on = threading.Event(), threading.Event()
    visitor.notes.during = lambda name: name == "first" and (begun.set(), go_on.wait(10))
    visitor.say("first")
    assert begun.wait(10)
    visitor.say("part", part=True)
    visitor.say("second")
    go_on.set()
    visitor.idle()
    assert visitor.notes.heard == (["first", "part", "second"] if is_mended else ["second"])


def test_a_press_in_a_part_runs_the_part_alone(visitor):
    for _ in range(2):
        visitor.notes.drawn.clear()
        visitor.say("part", part=True)
        visitor.idle()
        assert visitor.notes.drawn == ["part"]
    assert visitor.notes.heard == ["part", "part"]


def test_a_press_that_the_page_answers_is_kept_though_more_is_said_before_it_does(visitor):
    begun, go_on = threading.Event(), threading.Event()
    visitor.notes.drawn.clear()
    visitor.notes.during = lambda name: name == "page" and (begun.set(), go_on.wait(10))
    visitor.say("seen", "kept")
    assert begun.wait(10)
    visitor.say()
    go_on.set()
    visitor.idle()
    visitor.say()
    visitor.idle()
    # what Streamlit alone knows of is lost, and nothing is seen twice
    assert [one for one in visitor.notes.drawn if one in ("seen", "kept")] == ["kept"]


def test_what_the_page_and_a_part_of_it_say_in_one_message_runs_all(visitor, is_mended):
    visitor.notes.drawn.clear()
    visitor.choice = "one"
    visitor.say("part", part=True)
    visitor.idle()
    assert sorted(visitor.notes.heard) == ["one", "part"]
    assert visitor.notes.drawn == (["part", "one"] if is_mended else ["part"])
    visitor.notes.drawn.clear()
    visitor.say("part", "seen", part=True)
    visitor.idle()
    assert sorted(visitor.notes.heard) == ["one", "part", "part"]
    assert visitor.notes.drawn == (["part", "one", "seen"] if is_mended else ["part"])


def test_of_messages_that_streamlit_puts_together_each_press_is_heard_once():
    unheard, said = hearing.Unheard(), [WidgetStates(), WidgetStates()]
    said[0].widgets.add(id="part", trigger_value=True)
    said[1].widgets.add(id="choice", string_value="one")
    for one in said:
        unheard.add(one, "page")
    together = _coalesce_widget_states(*said)
    assert {one.id for one in together.widgets} == {"part", "choice", hearing.NUMBER}
    assert [one.id for before in unheard.before(together) for one in before.widgets] == ["part"]
    assert [one.id for one in unheard.of(together).widgets] == ["choice"]


@pytest.mark.parametrize("is_whole", [False, True], indirect=True)
def test_what_is_brought_is_put_in_place_though_more_is_said_meanwhile(is_whole, is_mended, visitor):
    begun, go_on = threading.Event(), threading.Event()
    visitor.notes.during = lambda name: begun.set() or go_on.wait(10)
    visitor.session.session_state["brought"] = "text"
    visitor.say()
    assert begun.wait(10)
    visitor.say()
    go_on.set()
    visitor.idle()
    assert "brought" not in visitor.session.session_state
    assert ("place" in visitor.session.session_state) == is_whole


@pytest.mark.parametrize("size", [10, 100_000])
def test_of_many_presses_the_last_wait(size):
    unheard = hearing.Unheard()
    for number in range(1, 300):
        said = WidgetStates()
        said.widgets.add(id=f"{number}", string_trigger_value={"data": "x" * size})
        unheard.add(said, "page")
    assert len(unheard.waiting) == (hearing.MOST_WAITING if size == 10 else hearing.MOST_BYTES // (size + 20))
    said = WidgetStates()
    unheard.add(said, "page")
    assert [one.widgets[0].id for one in unheard.before(said)][-1] == "299"
    assert not unheard.of(said).widgets and not unheard.waiting


def test_one_that_is_larger_than_all_may_be_waits_alone():
    unheard = hearing.Unheard()
    for _ in range(2):
        said = WidgetStates()
        said.widgets.add(id="text", string_trigger_value={"data": "x" * (hearing.MOST_BYTES + 1)})
        unheard.add(said, "page")
    assert [*unheard.waiting] == [2]


@pytest.mark.parametrize("is_asked_to_stop", [False, True])
def test_a_run_after_which_another_has_begun_leaves_the_tidying_to_that(monkeypatch, is_asked_to_stop):
    finished = []
    monkeypatch.setattr(
        quirks, "finish", lambda runner, context, event, is_cut_short, run: finished.append(is_cut_short)
    )
    state = ScriptRequestType.STOP if is_asked_to_stop else ScriptRequestType.CONTINUE
    for is_cut_short in (False, True):
        quirks.finish_if_last(Mock(ScriptRunner, _requests=Mock(_state=state)), None, None, is_cut_short, None)
    assert finished == [is_asked_to_stop, True]
