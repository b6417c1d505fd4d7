"""The server's habits that ui/kit/quirks.py undoes stay undone."""

import asyncio
import gc
import inspect
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from unittest.mock import MagicMock, Mock

import pytest
from apps import until
from streamlit import config, net_util
from streamlit.components.v2.bidi_component import serialization
from streamlit.components.v2.bidi_component.serialization import BidiComponentSerde, deserialize_trigger_list
from streamlit.elements.arrow import DataframeSelectionSerde
from streamlit.elements.vega_charts import VegaLiteStateSerde
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequestType
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.watcher import local_sources_watcher
from streamlit.watcher.local_sources_watcher import LocalSourcesWatcher

from ui.kit import quirks


@pytest.fixture(autouse=True)
def undone(monkeypatch):
    monkeypatch.setattr(net_util, "get_external_ip", net_util.get_external_ip)
    monkeypatch.setattr(SafeSessionState, "__init__", SafeSessionState.__init__)
    monkeypatch.setattr(ScriptRunner, "_run_script", ScriptRunner._run_script)
    monkeypatch.setattr(ScriptRunner, "_run_script_thread", ScriptRunner._run_script_thread)
    monkeypatch.setattr(ScriptRunner, "_on_script_finished", ScriptRunner._on_script_finished)
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun)
    monkeypatch.setattr(AppSession, "handle_backmsg", AppSession.handle_backmsg)
    monkeypatch.setattr(AppSession, "_call_soon_on_event_loop", AppSession._call_soon_on_event_loop)
    monkeypatch.setattr(Runtime, "_enqueued_some_message", Runtime._enqueued_some_message)
    monkeypatch.setattr(SessionState, "_dispatch_trigger_callbacks", SessionState._dispatch_trigger_callbacks)
    for name in ("register_widget", "_remove_stale_widgets", "_widget_changed"):
        monkeypatch.setattr(SessionState, name, getattr(SessionState, name))
    monkeypatch.setattr(MemorySessionStorage, "save", MemorySessionStorage.save)
    monkeypatch.setattr(LocalSourcesWatcher, "update_watched_modules", LocalSourcesWatcher.update_watched_modules)
    monkeypatch.setattr(quirks, "leave_out_what_stays", lambda: None)
    monkeypatch.setattr(serialization, "handle_deserialize", serialization.handle_deserialize)
    for serde in quirks.SERDES:
        monkeypatch.setattr(serde, "deserialize", serde.deserialize)
    usual = gc.get_threshold()
    quirks.undo()
    yield
    gc.set_threshold(*usual)


def test_what_a_script_says_while_the_loop_is_on_its_way_goes_along(monkeypatch):
    """A hundred threads say ten things each: all is heard, each thread's in order, and the loop is seldom called."""
    calls, heard, failed = [], [], []
    monkeypatch.setattr(quirks, "call_soon", lambda session, call: (calls.append(1), loop.call_soon_threadsafe(call)))
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda loop, context: failed.append(context["exception"]))
    session = Mock(AppSession, _event_loop=loop)

    def say(k):
        for n in range(10):
            AppSession._call_soon_on_event_loop(session, lambda n=n: heard.append((k, n)) if n != 5 else 1 / 0)

    async def come():
        with ThreadPoolExecutor(100) as crowd:
            list(crowd.map(say, range(100)))  # the loop is busy until all have spoken
        await asyncio.sleep(0)
        AppSession._call_soon_on_event_loop(session, lambda: heard.append("later"))
        await asyncio.sleep(0.01)

    loop.run_until_complete(come())
    loop.close()
    assert heard.pop() == "later" and len(calls) == 2 and not quirks._called
    said = {k: [n for one, n in heard if one == k] for k in range(100)}
    assert all(found == [0, 1, 2, 3, 4, 6, 7, 8, 9] for found in said.values())
    assert len(failed) == 100 and isinstance(failed[0], ZeroDivisionError)


def test_the_loop_does_not_call_itself():
    async def come():
        loop = Mock(wraps=asyncio.get_running_loop())
        its = Mock(eventloop=asyncio.get_running_loop(), need_send_data=asyncio.Event())
        its.eventloop.call_soon_threadsafe = loop.call_soon_threadsafe
        runtime = Mock(Runtime, _get_async_objs=lambda: its)
        Runtime._enqueued_some_message(runtime)
        assert its.need_send_data.is_set() and not loop.call_soon_threadsafe.called
        its.need_send_data.clear()
        await asyncio.to_thread(Runtime._enqueued_some_message, runtime)
        await asyncio.wait_for(its.need_send_data.wait(), 1)

    asyncio.run(come())


def test_all_that_lasts_is_looked_through_seldom():
    assert gc.get_threshold()[2] == quirks.SELDOM > 10


@pytest.mark.parametrize(("watch", "is_looked_for"), [("none", False), ("poll", True)])
def test_modules_are_looked_for_only_where_files_are_watched(monkeypatch, watch, is_looked_for):
    looked_for = []
    monkeypatch.setattr(local_sources_watcher, "get_module_paths", lambda module: looked_for.append(module) or set())
    usual = config.get_option("server.fileWatcherType")
    config.set_option("server.fileWatcherType", watch)
    try:
        watcher = LocalSourcesWatcher(PagesManager(__file__))
        watcher.update_watched_modules()
        watcher.close()
    finally:
        config.set_option("server.fileWatcherType", usual)
    assert bool(looked_for) is is_looked_for


def test_nobody_is_asked_for_our_address(monkeypatch):
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda *_, **__: pytest.fail("a request went out"))
    assert net_util.get_external_ip() is None


def test_of_two_runs_of_a_visitor_one_has_the_state_at_a_time():
    state = SessionState()
    first, second, stranger = (
        SafeSessionState(one, yield_callback=lambda: None) for one in (state, state, SessionState())
    )
    with ThreadPoolExecutor() as others, first.query_params():
        assert not others.submit(second._lock.acquire, blocking=False).result()
        assert others.submit(stranger._lock.acquire, blocking=False).result()
    second["mine"] = 1
    assert first["mine"] == 1


def test_of_a_crowd_one_script_runs_at_a_time_and_one_that_takes_long_holds_up_nobody(monkeypatch):
    begun, go_on = threading.Semaphore(0), threading.Semaphore(0)

    def script(runner: ScriptRunner, asked: str) -> None:
        begun.release()
        go_on.acquire()

    monkeypatch.setattr(quirks, "run", script)
    monkeypatch.setattr(quirks, "ALONE", 60)
    monkeypatch.setattr(quirks, "hear_before", lambda runner, asked: asked)
    runner = Mock(_session_state=Mock(_state=SessionState()))
    with ThreadPoolExecutor(4) as crowd:
        for _ in range(3):
            crowd.submit(ScriptRunner._run_script, runner, "asked")
        assert begun.acquire(timeout=10) and not begun.acquire(timeout=0.2)
        go_on.release()
        assert begun.acquire(timeout=10) and not begun.acquire(timeout=0.2)
        go_on.release()
        assert begun.acquire(timeout=10)
        monkeypatch.setattr(quirks, "ALONE", 0.1)
        crowd.submit(ScriptRunner._run_script, runner, "asked")
        assert begun.acquire(timeout=10)
        go_on.release(4)


def test_a_run_that_is_to_stop_by_its_turn_does_not_begin(monkeypatch):
    ran = []
    monkeypatch.setattr(quirks, "run", lambda runner, asked: ran.append(asked))
    monkeypatch.setattr(quirks, "hear_before", lambda runner, asked: asked)
    for state in ScriptRequestType:
        parts = {"_requests": Mock(_state=state), "_session_state": Mock(_state=SessionState())}
        ScriptRunner._run_script(Mock(**parts), state)
    assert ran == [ScriptRequestType.CONTINUE, ScriptRequestType.RERUN]


def test_who_has_all_run_very_often_leaves_as_much_time_to_others(monkeypatch):
    clock, paused = [0.0], []

    def last(seconds: float) -> None:
        clock[0] += seconds

    monkeypatch.setattr(quirks, "time", Mock(monotonic=lambda: clock[0], sleep=paused.append))
    monkeypatch.setattr(quirks, "run", lambda runner, asked: last(asked))
    monkeypatch.setattr(quirks, "hear_before", lambda runner, asked: asked)
    often, other = (Mock(_session_state=Mock(_state=SessionState())) for _ in range(2))
    for _ in range(quirks.AT_ONCE):
        quirks.run_in_turn(often, 0.001)
    assert paused == []
    for took in (0.01, 0.02, 0.4):
        quirks.run_in_turn(often, took)
    quirks.run_in_turn(other, 0.01)
    assert paused == pytest.approx([0.01, 0.02, quirks.LONGEST])
    last(60)
    quirks.run_in_turn(often, 0.01)
    assert len(paused) == 3


def test_who_comes_later_does_not_go_before_who_waits():
    turn, came = quirks.Turn(), []

    def come(number: int) -> None:
        with turn.taken():
            came.append(number)

    with ThreadPoolExecutor(5) as crowd:
        with turn.taken():
            for number in range(5):
                crowd.submit(come, number)
                until(lambda number=number: len(turn._line) > number)
        come(5)
    assert came == [*range(6)]


def test_a_script_that_fails_leaves_its_turn():
    turn = quirks.Turn()
    with pytest.raises(ValueError), turn.taken():
        raise ValueError
    with turn.taken():
        pass


def test_what_was_said_goes_when_all_has_run(monkeypatch):
    said, heard = WidgetStates(), []
    before = sys.getrefcount(said)
    monkeypatch.setattr(quirks, "run", lambda runner, asked: heard.append(asked.widget_states is said))
    parts = {part: MagicMock() for part in inspect.signature(ScriptRunner).parameters}
    loop = asyncio.new_event_loop()
    state = {"session_state": SessionState(), "initial_rerun_data": RerunData(widget_states=said), "event_loop": loop}
    parts |= {part: state[part] for part in parts.keys() & state}
    runner = ScriptRunner(**parts)
    del parts, state
    runner.start()
    runner._script_thread.join(10)
    loop.close()
    assert heard == [True]
    assert not runner.request_rerun(RerunData(widget_states=said))
    assert sys.getrefcount(said) == before


def rerun(**numbers: int) -> BackMsg:
    message = BackMsg()
    for _ in range(numbers.get("widgets", 0)):
        message.rerun_script.widget_states.widgets.add()
    message.rerun_script.cached_message_hashes.extend(["hash"] * numbers.get("known", 0))
    message.rerun_script.query_string = "a" * numbers.get("query", 0)
    return message


def upload(names: int) -> BackMsg:
    message = BackMsg()
    message.file_urls_request.file_names.extend(["a.txt"] * names)
    return message


@pytest.mark.parametrize(
    ("message", "is_heeded"),
    [
        (rerun(widgets=quirks.MOST_WIDGETS, known=quirks.MOST_KNOWN), True),
        (rerun(widgets=quirks.MOST_WIDGETS + 1), False),
        (rerun(known=quirks.MOST_KNOWN + 1), False),
        (rerun(query=quirks.LONGEST_QUERY), True),
        (rerun(query=quirks.LONGEST_QUERY + 1), False),
        (upload(quirks.MOST_NAMES), True),
        (upload(quirks.MOST_NAMES + 1), False),
        (BackMsg(stop_script=True), True),
        (BackMsg(clear_cache=True), False),
        (BackMsg(load_git_info=True), False),
        (BackMsg(set_run_on_save=True), False),
        (BackMsg(), False),
    ],
)
def test_what_our_pages_do_not_say_is_not_heeded(monkeypatch, message, is_heeded):
    heard = []
    monkeypatch.setattr(quirks, "heed", lambda session, said: heard.append(said))
    parts = {"_pages_manager": Mock(current_page_script_hash="a"), "_session_state": SessionState()}
    AppSession.handle_backmsg(Mock(AppSession, **parts), message)
    assert heard == [message] * is_heeded


def test_what_is_said_on_a_page_that_is_left_follows_to_the_next(monkeypatch):
    pages = Mock(current_page_script_hash="a")
    session, heard, queries = Mock(AppSession, _pages_manager=pages, _session_state=SessionState()), [], []

    def hear(session: AppSession, said: BackMsg) -> None:
        heard.append(said.rerun_script.page_script_hash)
        queries.append(said.rerun_script.query_string)

    monkeypatch.setattr(quirks, "heed", hear)

    def say(page: str, fragment: str = "", presses: bool = False) -> str:
        message = BackMsg()
        message.rerun_script.query_string = page
        message.rerun_script.page_script_hash, message.rerun_script.fragment_id = page, fragment
        if presses:
            message.rerun_script.widget_states.widgets.add(id="button", trigger_value=True)
        AppSession.handle_backmsg(session, message)
        return heard[-1]

    def come(page: str) -> None:
        pages.current_page_script_hash = page

    for said in ({"fragment": "part"}, {"presses": True}):
        say("a")
        come("a")
        assert say("a", **said) == "a"  # nothing is turned
        assert say("b") == "b"  # a link is pressed; the browser still shows the page before
        assert say("a", **said) == queries[-1] == "b"
        come("b")  # the page is there, and the browser has not heard of it
        assert say("a", **said) == "b"
        assert say("b", **said) == "b"
        come("c")  # a press has turned to another page
        assert say("b", **said) == "c"
        assert say("c", **said) == "c"
        come("a")  # or to the one from which this one came
        assert say("a", **said) == "a"
        say("c")
        say("a")  # and back, before that came
        assert say("a", **said) == "a"


@pytest.mark.parametrize("is_undone", [False, True])
def test_what_a_component_says_is_heard_and_not_spelled_again(monkeypatch, is_undone):
    if not is_undone:  # what Streamlit does, so that this test tells when it does otherwise
        monkeypatch.setattr(SessionState, "_dispatch_trigger_callbacks", quirks.call_back)
    monkeypatch.setattr(SessionState, "_execute_widget_callback", lambda self, votes, callback, *given: callback())
    heard, spelled, state, said = [], [], SessionState(), WidgetStates()
    state._set_widget_metadata(
        WidgetMetadata(
            "id",
            deserialize_trigger_list,
            lambda value: spelled.append(value) or json.dumps(value),
            "json_trigger_value",
            callbacks={name: partial(heard.append, name) for name in ("commit", "why", "made")},
        )
    )
    for value in (
        [{"event": "why", "value": 1}, {"event": "commit"}, {"event": "none"}, {"event": []}, 7],
        {"event": "made"},
        7,
    ):
        said.Clear()
        said.widgets.add(id="id", json_trigger_value=json.dumps(value))
        state.on_script_will_rerun(said)
    assert heard == ["why", "commit", "made"]
    assert bool(spelled) is not is_undone


@pytest.mark.parametrize(
    "reads",
    [
        deserialize_trigger_list,
        lambda said: BidiComponentSerde().deserialize(said),
        lambda said: DataframeSelectionSerde().deserialize(said),
        lambda said: VegaLiteStateSerde(["clicked"]).deserialize(said),
    ],
    ids=["trigger", "component", "table", "chart"],
)
def test_json_of_very_many_things_is_as_nothing_and_a_long_text_is_read(monkeypatch, reads):
    heard, loads = [], json.loads
    monkeypatch.setattr(json, "loads", lambda text: heard.append(len(text)) or loads(text))
    nothing, text = reads(None), json.dumps({"selection": {}, "text": "0," * 1_000_000})
    assert reads("[" + "0," * 1_000_000 + "0]") == reads("9" * 200_000) == nothing and not heard
    assert reads(text) != nothing and heard == [len(text)]
