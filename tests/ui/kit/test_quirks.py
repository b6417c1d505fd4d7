"""The server's habits that ui/kit/quirks.py undoes stay undone."""

import socket
import threading
from asyncio import base_events
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit import net_util
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.state import SafeSessionState, SessionState

from ui.kit import quirks


@pytest.fixture(autouse=True)
def undone(monkeypatch):
    monkeypatch.setattr(net_util, "get_external_ip", net_util.get_external_ip)
    monkeypatch.setattr(base_events, "_set_nodelay", base_events._set_nodelay)
    monkeypatch.setattr(SafeSessionState, "__init__", SafeSessionState.__init__)
    monkeypatch.setattr(ScriptRunner, "_run_script", ScriptRunner._run_script)
    monkeypatch.setattr(quirks, "leave_out_what_stays", lambda: None)
    quirks.undo()


def test_nobody_is_asked_for_our_address(monkeypatch):
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda *_, **__: pytest.fail("a request went out"))
    assert net_util.get_external_ip() is None


def test_answers_go_out_at_once_on_sockets_as_streamlit_makes_them():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as connection:
        base_events._set_nodelay(connection)
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_other_sockets_are_left_alone():
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        base_events._set_nodelay(ours)


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


def test_of_a_crowd_few_scripts_run_at_a_time_and_none_waits_for_ever(monkeypatch):
    begun, go_on = threading.Semaphore(0), threading.Event()

    def script(runner: ScriptRunner, asked: str) -> None:
        begun.release()
        go_on.wait()

    monkeypatch.setattr(quirks, "run", script)
    monkeypatch.setattr(quirks, "RUNS", threading.Semaphore(2))
    with ThreadPoolExecutor(4) as crowd:
        for _ in range(3):
            crowd.submit(ScriptRunner._run_script, None, "asked")
        assert begun.acquire(timeout=10) and begun.acquire(timeout=10) and not begun.acquire(timeout=0.2)
        monkeypatch.setattr(quirks, "WAIT", 0)
        crowd.submit(ScriptRunner._run_script, None, "asked")
        assert begun.acquire(timeout=10)
        go_on.set()
    assert begun.acquire(timeout=10)
