"""Messages of a page in quick succession, over the ASGI socket of a real runtime: none is lost or repeated.

Tests that also run with "Streamlit alone" assert that it loses messages; they fail once a later release does not.
"""

import asyncio
import sys
import threading
import time
from collections.abc import Iterator
from textwrap import dedent
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from apps import until
from asgi import Sent, frame, repeats, socket
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.web.server.starlette.starlette_websocket import create_websocket_handler

from server.limits.fair_queue import Slots
from ui.streamlit_patches import internals, page_messages, page_socket
from ui.streamlit_patches.page_socket import PATH, PageSocket, PageSocketMiddleware

pytestmark = pytest.mark.usefixtures("no_component_packages")

PAGE = """
    import notes
    import streamlit as st
    from ui.session import pending_action
    from ui.streamlit_patches.visitors import draw_changed_page, uninterruptible

    def record(name):
        st.session_state.setdefault("recorded", [])
        notes.during(name)
        st.session_state.recorded.append(name)  # this access is a point where Streamlit may stop the run
        notes.called_back.append(name)

    def choose():
        record(st.session_state.choice)

    @st.fragment
    def fragment():
        notes.during("in the fragment")
        draw_changed_page()
        st.button("in the fragment", key="fragment", on_click=record, args=("fragment",))
        notes.drawn.append("fragment")

    if "brought" in st.session_state:
        with uninterruptible():
            found = st.session_state.pop("brought")
            notes.during("put")
            st.session_state.place = found
    for name in ("first", "second"):
        st.button(name, key=name, on_click=record, args=(name,))
    st.selectbox("choice", ["none", "one"], key="choice", on_change=choose)
    fragment()
    notes.during("page")
    notes.drawn.append(st.session_state.choice)
    if pending_action.button("kept", key="kept"):
        notes.drawn.append("kept")
    if st.button("plain", key="plain"):
        notes.drawn.append("plain")
    pending_action.clear()
"""


class Visitor:
    """A browser on the page, with notes of the page's callbacks and draws."""

    def __init__(self, page: str, has_middleware: bool):
        self.notes = sys.modules["notes"] = SimpleNamespace(called_back=[], drawn=[], during=lambda name: None)
        self.loop, self.choice, self.sent = asyncio.new_event_loop(), "none", Sent()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.runtime = Runtime(RuntimeConfig(page, Mock(stats_families=()), Mock(stats_families=())))
        self.num_sent, self.handled = 0, []
        handle = self.runtime.handle_backmsg
        self.runtime.handle_backmsg = lambda *given, **named: self.handled.append(handle(*given, **named))
        self.app = Starlette(routes=[WebSocketRoute(PATH, create_websocket_handler(self.runtime))])
        if has_middleware:
            self.app = PageSocketMiddleware(self.app, page_messages.load())
        self.on_loop(self.open)
        self.page = ""
        self.send()
        self.idle()
        [info] = self.runtime._session_mgr.list_sessions()
        self.session = info.session
        self.page = self.session._pages_manager.current_page_script_hash

    async def open(self) -> None:
        """Starts the runtime and connects the page's socket."""
        await self.runtime.start()
        self.incoming = asyncio.Queue()
        self.incoming.put_nowait({"type": "websocket.connect"})
        headers = [(b"host", b"localhost"), (b"sec-websocket-protocol", b"streamlit")]
        scope = socket(PATH, ("127.0.0.1", 1), headers) | {"subprotocols": ["streamlit"]}
        self.socket = asyncio.create_task(self.app(scope, self.incoming.get, self.sent))

    def on_loop(self, does, *given):
        """Runs a coroutine function on the server's event loop and returns its result."""
        return asyncio.run_coroutine_threadsafe(does(*given), self.loop).result(10)

    def send(self, *pressed: str, in_fragment: bool = False, page: str | None = None) -> None:
        """Sends the message of a browser where these buttons are pressed, on the page or in its fragment."""
        self.send_raw(self.message(*pressed, in_fragment=in_fragment, page=page))

    def message(self, *pressed: str, in_fragment: bool = False, page: str | None = None) -> bytes:
        """Returns this message."""
        message = BackMsg()
        message.rerun_script.page_script_hash = self.page if page is None else page
        widgets = message.rerun_script.widget_states.widgets
        for one in pressed:
            widgets.add(id=self.session.session_state.get_widget_id_from_key(one), trigger_value=True)
        if self.choice != "none":
            widgets.add(id=self.session.session_state.get_widget_id_from_key("choice")).string_value = self.choice
        if in_fragment:
            metadata = self.session.session_state.get_widget_metadata(widgets[0].id)
            message.rerun_script.fragment_id = metadata.fragment_id
        return message.SerializeToString()

    def send_raw(self, data: bytes) -> None:
        """Sends bytes as one message."""
        self.num_sent += 1
        self.loop.call_soon_threadsafe(self.incoming.put_nowait, frame(data))

    def reach(self) -> None:
        """Waits until Streamlit has handled all messages; its script may still run."""
        until(lambda: len(self.handled) == self.num_sent)

    def idle(self) -> None:
        """Waits until all messages have arrived and no script runs."""

        def is_idle() -> bool:
            async def look() -> bool:
                await asyncio.sleep(0.02)
                return self.incoming.empty() and not any(
                    one.name == "ScriptRunner.scriptThread" for one in threading.enumerate()
                )

            return all(self.on_loop(look) for _ in range(3))

        until(is_idle)

    @property
    def drawn(self) -> list[str]:
        """The types of the messages to the browser that draw the page or end a run."""
        types = (ForwardMsg.FromString(one["bytes"]).WhichOneof("type") for one in self.sent if "bytes" in one)
        return [one for one in types if one in ("delta", "script_finished")]

    @property
    def closed(self) -> list[int]:
        """The codes with which the server closed the socket."""
        return [one["code"] for one in self.sent if one["type"] == "websocket.close"]

    def close(self) -> None:
        """Closes the page and stops the server."""
        self.loop.call_soon_threadsafe(self.incoming.put_nowait, {"type": "websocket.disconnect", "code": 1001})
        until(self.socket.done)
        self.loop.call_soon_threadsafe(self.runtime.stop)
        until(lambda: self.runtime.state.name == "STOPPED")
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()
        del sys.modules["notes"]


ordered = pytest.mark.parametrize("is_ordered", ["with the middleware"], indirect=True)


@pytest.fixture(params=["with the middleware", "Streamlit alone"])
def is_ordered(request) -> bool:
    return request.param == "with the middleware"


@pytest.fixture
def visitor(tmp_path, is_ordered) -> Iterator[Visitor]:
    page = tmp_path / "app.py"
    page.write_text(dedent(PAGE))
    options = {"server.fileWatcherType": "none", "runner.fastReruns": False}
    usual = {name: config.get_option(name) for name in options}
    for name, value in options.items():
        config.set_option(name, value)
    one = Visitor(str(page), is_ordered)
    try:
        yield one
    finally:
        one.close()
        Runtime._instance = None
        for name, value in usual.items():
            config.set_option(name, value)


def held_in(visitor: Visitor, name: str) -> tuple[threading.Event, threading.Event]:
    """Pauses the script once at this note; returns events for the pause and for continuing."""
    begun, go_on = threading.Event(), threading.Event()
    visitor.notes.during = lambda at: at == name and not begun.is_set() and (begun.set(), go_on.wait(10))
    return begun, go_on


def test_presses_in_a_burst_are_called_back_once_and_in_order(visitor, is_ordered):
    begun, go_on = held_in(visitor, "first")
    visitor.send("first")
    assert begun.wait(10)
    for _ in range(2):
        visitor.send("second")
    visitor.choice = "one"
    visitor.send()
    visitor.send("first")
    if not is_ordered:
        visitor.reach()
    go_on.set()
    visitor.idle()
    assert (visitor.notes.called_back == ["first", "second", "second", "one", "first"]) is is_ordered
    number = len(visitor.notes.called_back)
    visitor.send()
    visitor.idle()
    assert len(visitor.notes.called_back) == number


def test_next_message_does_not_stop_a_callback(visitor, is_ordered):
    begun, go_on = held_in(visitor, "first")
    visitor.send("first")
    assert begun.wait(10)
    visitor.send("second")
    if not is_ordered:
        visitor.reach()
    go_on.set()
    visitor.idle()
    assert visitor.notes.called_back == (["first", "second"] if is_ordered else ["second"])


@ordered
def test_next_message_stops_the_drawing_of_a_page(visitor):
    begun, go_on = held_in(visitor, "page")
    visitor.notes.drawn.clear()
    visitor.send("first")
    assert begun.wait(10)
    visitor.choice = "one"
    visitor.send()
    visitor.reach()
    go_on.set()
    visitor.idle()
    assert visitor.notes.drawn == ["fragment", "fragment", "one"]
    assert visitor.notes.called_back == ["first", "one"]


@ordered
def test_fragment_press_while_the_page_is_drawn_is_called_back(visitor):
    begun, go_on = held_in(visitor, "page")
    visitor.send("first")
    assert begun.wait(10)
    visitor.send("fragment", in_fragment=True)
    visitor.send("second")
    go_on.set()
    visitor.idle()
    assert visitor.notes.called_back == ["first", "fragment", "second"]


@pytest.mark.slow
def test_fragment_press_while_a_run_ends_removes_nothing_from_the_page(visitor, is_ordered):
    visitor.sent.clear()
    visitor.send()
    visitor.idle()
    visitor.send("fragment", in_fragment=True)
    visitor.idle()
    usual = visitor.drawn
    visitor.sent.clear()
    begun, go_on = held_in(visitor, "page")
    visitor.send()
    assert begun.wait(10)
    until(lambda: visitor.drawn)  # the callbacks are done

    def end_run_then_press() -> None:  # the run ends while the event loop is busy, just before it handles the press
        visitor.loop.call_soon(lambda: (go_on.set(), time.sleep(0.5)))
        visitor.incoming.put_nowait(press)

    press = frame(visitor.message("fragment", in_fragment=True))
    visitor.num_sent += 1
    visitor.loop.call_soon_threadsafe(end_run_then_press)
    visitor.idle()
    assert (visitor.drawn == usual) is is_ordered
    assert usual.count("script_finished") == 2


@ordered
def test_fragment_press_while_a_page_is_drawn_slowly_is_held_no_longer_than_the_limit(visitor, monkeypatch):
    monkeypatch.setattr(page_socket, "MAX_END_HOLD_SECONDS", 0.2)
    begun, go_on = held_in(visitor, "page")
    visitor.send()
    assert begun.wait(10)
    visitor.send("fragment", in_fragment=True)
    visitor.reach()
    go_on.set()


@ordered
def test_fragment_press_reruns_only_the_fragment(visitor):
    for _ in range(2):
        visitor.notes.drawn.clear()
        visitor.send("fragment", in_fragment=True)
        visitor.idle()
        assert visitor.notes.drawn == ["fragment"]
    assert visitor.notes.called_back == ["fragment", "fragment"]


@ordered
@pytest.mark.parametrize("is_off", [False, True])
def test_change_outside_of_a_fragment_in_its_message_draws_the_page(visitor, monkeypatch, is_off):
    """As a browser sends what changes in the same moment."""
    if is_off:
        monkeypatch.setenv(internals.PATCHES_VARIABLE, "off")
    for pressed, choice, drawn in (
        (("first",), "none", ["none"]),
        ((), "one", ["one"]),
        (("kept",), "one", ["one", "kept"]),
        (("plain",), "one", ["one", "plain"]),
    ):
        visitor.choice = choice
        for one in (visitor.notes.called_back, visitor.notes.drawn):
            one.clear()
        visitor.send("fragment", *pressed, in_fragment=True)
        visitor.idle()
        assert visitor.notes.drawn == (["fragment"] if is_off else ["fragment", *drawn])
        assert [one for one in visitor.notes.called_back if one not in ("fragment", "one")] == [
            one for one in pressed if one == "first"
        ]
    visitor.notes.drawn.clear()
    visitor.send("fragment", in_fragment=True)
    visitor.idle()
    assert visitor.notes.drawn == ["fragment"]


@ordered
def test_page_drawn_for_a_fragments_message_does_not_cancel_a_page_change(visitor):
    begun, go_on = held_in(visitor, "in the fragment")
    visitor.send("fragment", "first", in_fragment=True)
    assert begun.wait(10)
    visitor.send(page="another")
    visitor.reach()
    go_on.set()
    visitor.idle()
    assert visitor.session._client_state.page_script_hash == "another"


@ordered
def test_value_of_a_wrong_type_in_a_fragments_message_does_not_stop_the_patch(visitor):
    """Any visitor may send one, and a patch that has raised once is off for all."""
    internals.reported.clear()
    forged = BackMsg.FromString(visitor.message("fragment", "first", in_fragment=True))
    id = visitor.session.session_state.get_widget_id_from_key("choice")
    forged.rerun_script.widget_states.widgets.add(id=id, int_value=1)
    visitor.notes.drawn.clear()
    visitor.send_raw(forged.SerializeToString())
    visitor.idle()
    assert not internals.reported and len(visitor.notes.drawn) == 2  # the fragment and the page


@ordered
def test_pending_action_survives_an_interrupted_run(visitor):
    begun, go_on = held_in(visitor, "page")
    visitor.notes.drawn.clear()
    visitor.send("kept")
    assert begun.wait(10)
    visitor.send()
    visitor.reach()
    go_on.set()
    visitor.idle()
    visitor.send()
    visitor.idle()
    assert visitor.notes.drawn.count("kept") == 1


@pytest.mark.parametrize("is_off", [False, True])
def test_uninterruptible_change_is_completed(visitor, monkeypatch, is_off):
    if is_off:
        monkeypatch.setenv("TOKENLOUPE_PATCHES", "off")
    begun, go_on = held_in(visitor, "put")
    visitor.session.session_state["brought"] = "text"
    visitor.send()
    assert begun.wait(10)
    visitor.session.request_rerun(visitor.session._client_state)
    go_on.set()
    visitor.idle()
    assert "brought" not in visitor.session.session_state
    assert ("place" in visitor.session.session_state) is not is_off


def test_press_on_the_previous_page_does_not_cancel_a_page_change(visitor, is_ordered):
    begun, go_on = held_in(visitor, "page")
    visitor.send()
    assert begun.wait(10)
    visitor.send(page="another")
    visitor.send("first")  # the browser still shows the previous page
    until(visitor.incoming.empty)
    go_on.set()
    visitor.idle()
    assert visitor.notes.called_back == ["first"]
    requested = visitor.session._client_state.page_script_hash
    assert requested == ("another" if is_ordered else visitor.page)


@ordered
def test_fragment_press_on_the_previous_page_draws_the_whole_next_page(visitor):
    press = visitor.message("fragment", in_fragment=True)
    visitor.notes.drawn.clear()
    visitor.send(page="another")
    visitor.send_raw(press)
    visitor.idle()
    assert visitor.notes.called_back == ["fragment"]
    assert visitor.notes.drawn == ["fragment", "none"] * 2


@ordered
def test_message_is_held_no_longer_than_the_limit(visitor, monkeypatch):
    monkeypatch.setattr(page_socket, "MAX_FRAGMENT_HOLD_SECONDS", 0.2)
    monkeypatch.setattr(page_socket, "MAX_HOLD_SECONDS", 60)
    message = BackMsg()
    message.rerun_script.fragment_id = "a removed fragment, for which Streamlit starts no run"
    visitor.send_raw(message.SerializeToString())
    visitor.send("first")
    until(lambda: visitor.notes.called_back == ["first"], 20)


def test_streamlit_that_announces_no_runs_is_waited_for_once(monkeypatch, caplog):
    internals.reported.clear()
    monkeypatch.setattr(page_socket, "MAX_HOLD_SECONDS", 0.2)
    message = frame(BackMsg(rerun_script={"page_script_hash": "a"}).SerializeToString())
    holds = []

    async def app(scope, receive, send):
        loop = asyncio.get_running_loop()
        for _ in range(3):
            begin = loop.time()
            assert await receive() == message
            holds.append(loop.time() - begin > 0.1)

    async def run():
        middleware = PageSocketMiddleware(app, page_messages.load())
        for _ in range(2):
            await middleware(socket(PATH), repeats(message), Sent())

    asyncio.run(run())
    assert holds == [False, True, False, False, False, False] and len(caplog.records) == 1


@pytest.mark.parametrize("name", ["read", "is_rerun", "has_trigger", "step"])
def test_messages_pass_unchanged_where_the_patch_fails(name, caplog):
    internals.reported.clear()

    def fail(*_):
        raise AttributeError("a name of a later release")

    async def run():
        messages = Mock(page_messages.load(), wraps=page_messages.load(), **{name: fail})
        page = PageSocket(repeats(message), sent, messages, Slots(1), Slots(1))
        await page.send(answer)
        return [await page.receive() for _ in range(3)]

    message = frame(BackMsg(rerun_script={"page_script_hash": "a"}).SerializeToString())
    sent, answer = Sent(), {"type": "websocket.send", "bytes": ForwardMsg(script_finished=0).SerializeToString()}
    assert asyncio.run(run()) == [message] * 3 and sent == [answer] and len(caplog.records) == 1


@ordered
@pytest.mark.parametrize("data", [b"\xff\xff", b"\x5a\x80"])
def test_undecodable_message_closes_the_socket_without_a_log(visitor, data, caplog):
    visitor.send_raw(data)
    until(lambda: visitor.closed)
    assert visitor.closed == [page_socket.PROTOCOL_ERROR] and not caplog.records


def test_large_message_of_another_address_comes_before_many_of_one():
    data = BackMsg(rerun_script={"query_string": "x" * page_socket.LARGE_MESSAGE_BYTES}).SerializeToString()
    drawn = ForwardMsg(delta={}).SerializeToString()
    begun = ForwardMsg(new_session={}).SerializeToString()

    async def run():
        passed = []

        async def app(scope, receive, send):
            await receive()
            passed.append(scope["client"][0])
            for one in (begun, drawn):
                await send({"type": "websocket.send", "bytes": one})

        async def send(message):
            await asyncio.sleep(0)

        middleware = PageSocketMiddleware(app, page_messages.load())
        clients = [("a", port) for port in range(20)] + [("b", 1)]
        await asyncio.gather(*(middleware(socket(PATH, client), repeats(frame(data)), send) for client in clients))
        return passed

    passed = asyncio.run(run())
    assert "b" in passed[:3] and len(passed) == 21


def test_page_whose_large_message_waits_too_long_is_closed_and_may_connect_again():
    data = BackMsg(rerun_script={"query_string": "x" * page_socket.LARGE_MESSAGE_BYTES}).SerializeToString()

    async def run():
        received, sent = [], Sent()

        async def app(scope, receive, send):
            received.append(await receive())

        middleware = PageSocketMiddleware(app, page_messages.load())
        middleware.large_messages = Slots(1, max_wait=0.01)  # the first page never shows that its callbacks are done
        for port in (1, 2):
            await middleware(socket(PATH, ("a", port)), repeats(frame(data)), sent)
        return received, sent

    (first, second), sent = asyncio.run(run())
    assert first["type"] == "websocket.receive"
    assert second == {"type": "websocket.disconnect", "code": page_socket.TRY_AGAIN_LATER}
    assert sent == [{"type": "websocket.close", "code": page_socket.TRY_AGAIN_LATER}]


def test_downloads_are_made_one_at_a_time():
    download = frame(BackMsg(backend_operation_request={"deferred_file": {}}).SerializeToString())
    made = {"type": "websocket.send", "bytes": ForwardMsg(backend_operation_response={}).SerializeToString()}
    busy = most_busy = 0

    async def app(scope, receive, send):
        async def make():
            nonlocal busy, most_busy
            busy += 1
            most_busy = max(busy, most_busy)
            await asyncio.sleep(0.001)
            busy -= 1
            await send(made)

        async with asyncio.TaskGroup() as tasks:  # Streamlit begins each without waiting for the one before
            for _ in range(5):
                assert await receive() == download
                tasks.create_task(make())

    async def run():
        middleware = PageSocketMiddleware(app, page_messages.load())
        pages = (middleware(socket(PATH, ("a", port)), repeats(download), Sent()) for port in range(3))
        await asyncio.wait_for(asyncio.gather(*pages), 5)

    asyncio.run(run())
    assert most_busy == 1
