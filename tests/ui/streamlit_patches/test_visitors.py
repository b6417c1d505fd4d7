"""Queries of Streamlit's runtime about visitors and files, and fallbacks where a release lacks a name."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest.mock import Mock

import pytest
from apps import new_app, ran
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import SessionClient
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from ui.streamlit_patches import internals, page_messages, visitors
from ui.streamlit_patches.internals import Missing

pytestmark = pytest.mark.usefixtures("no_component_packages")

EXPIRED = "0f7c1f52-7d0c-4c7e-9f0a-3f1c2d4b5a69"  # an id of a session
SESSION_SECONDS = 0.3  # a session is kept after its visitor has left


@pytest.fixture(autouse=True)
def no_runtime(monkeypatch):
    monkeypatch.setattr(Runtime, "_instance", None)
    internals.reported.clear()
    usual = config.get_option("server.fileWatcherType")
    config.set_option("server.fileWatcherType", "none")
    yield
    config.set_option("server.fileWatcherType", usual)


@pytest.fixture
def renamed(monkeypatch):
    """A Streamlit release in which every internal name has changed."""

    def find(path: str):
        raise Missing(path)

    monkeypatch.setattr(visitors, "find", find)


def on_server(action: Callable, script: Path = Path(__file__)) -> None:
    """Awaits `action(runtime, files)` while a server runs a page's script."""

    async def run() -> None:
        files, storage = MemoryUploadedFileManager("/upload"), MemorySessionStorage(128, SESSION_SECONDS)
        runtime = Runtime(RuntimeConfig(str(script), Mock(stats_families=()), files, session_storage=storage))
        await runtime.start()
        try:
            await action(runtime, files)
        finally:
            runtime.stop()
            await runtime.stopped

    asyncio.run(run())


def upload(files: MemoryUploadedFileManager, session: str, name: str, size: int = 10) -> None:
    files.add_file(session, UploadedFileRec(name, f"{name}.txt", "text/plain", bytes(size)))


def test_open_files_count_until_their_session_expires():
    async def action(runtime, files):
        one, other = (runtime.connect_session(Mock(SessionClient), {}) for _ in range(2))
        upload(files, one, "a")
        upload(files, one, "b", 20)
        upload(files, other, "c")
        assert visitors.open_file_sizes() == {one: 30, other: 10}
        runtime.disconnect_session(one)
        assert visitors.open_file_sizes() == {one: 30, other: 10}  # the visitor may return
        await asyncio.sleep(SESSION_SECONDS + 0.1)
        assert visitors.open_file_sizes() == {other: 10} and set(files.file_storage) == {other}

    on_server(action)


def test_file_uploaded_after_its_session_is_dropped():
    async def action(runtime, files):
        upload(files, EXPIRED, "late")
        assert visitors.open_file_sizes() == {} == files.file_storage

    on_server(action)


@pytest.mark.parametrize("key", [("a", "tab"), f"{EXPIRED}:tab", 7])
def test_files_with_other_keys_than_sessions_are_kept(key):
    async def action(runtime, files):
        upload(files, key, "a")
        visitors.open_file_sizes()
        assert set(files.file_storage) == {key}

    on_server(action)


WATCHED_PAGE = """
from ui.streamlit_patches import visitors
{remedy}
"""


class Witness(ModuleType):
    """A module that counts reads of its `__file__`."""

    def __init__(self):
        super().__init__("witness")
        self.questions = 0

    @property
    def __file__(self) -> None:
        self.questions += 1


@pytest.mark.parametrize("remedy", ["visitors.watch_no_files()", ""])
def test_file_watchers_are_off_when_a_visitor_reconnects(monkeypatch, tmp_path, remedy):
    monkeypatch.setitem(sys.modules, "witness", witness := Witness())
    script = tmp_path / "app.py"
    script.write_text(WATCHED_PAGE.format(remedy=remedy))

    async def action(runtime, files):
        visitor = runtime.connect_session(Mock(SessionClient), {})
        runtime.disconnect_session(visitor)
        back = Mock(SessionClient)
        assert runtime.connect_session(back, {}, existing_session_id=visitor) == visitor
        runtime.handle_backmsg(visitor, BackMsg(rerun_script={}))
        async with asyncio.timeout(10):
            while not any(call.args[0].HasField("script_finished") for call in back.write_forward_msg.mock_calls):
                await asyncio.sleep(0.01)
        assert (witness.questions == 0) is bool(remedy)

    on_server(action, script)


@pytest.mark.usefixtures("renamed")
def test_open_files_are_empty_where_streamlit_lacks_the_names(caplog):
    assert visitors.open_file_sizes() == {} == visitors.open_file_sizes()
    assert len(caplog.records) == 1


def test_thread_without_a_script_counts_as_connected():
    assert not visitors.runs_script() and visitors.is_connected()()


@pytest.mark.usefixtures("renamed")
def test_fallbacks_without_internal_names_do_not_fail():
    assert not visitors.runs_script() and visitors.is_connected()()
    visitors.watch_no_files()
    with visitors.uninterruptible():
        pass


@pytest.mark.parametrize("context", [None, SimpleNamespace(session_state=SimpleNamespace())])
def test_changes_that_cannot_be_protected_are_logged_once(monkeypatch, caplog, context):
    monkeypatch.setattr(visitors, "find", lambda path: lambda **_: context)
    for _ in range(2):
        with visitors.uninterruptible():
            pass
    assert len(caplog.records) == (context is not None)


def test_flag_that_cannot_be_set_interrupts_no_page(monkeypatch, caplog):
    class Runner:
        _execing = property(lambda self: True)  # without a setter

        def answer(self):
            pass

    context = SimpleNamespace(session_state=SimpleNamespace(_yield_callback=Runner().answer))
    monkeypatch.setattr(visitors, "find", lambda path: lambda **_: context)
    for _ in range(2):
        with visitors.uninterruptible():
            pass
    assert len(caplog.records) == 1


def test_flag_is_restored_after_an_error(monkeypatch):
    class Runner:
        _execing = True

        def answer(self):
            pass

    runner = Runner()
    context = SimpleNamespace(session_state=SimpleNamespace(_yield_callback=runner.answer))
    monkeypatch.setattr(visitors, "find", lambda path: lambda **_: context)
    with pytest.raises(KeyError), visitors.uninterruptible():
        assert not runner._execing
        raise KeyError
    assert runner._execing


def test_session_that_cannot_be_asked_for_counts_as_connected(monkeypatch):
    runtime = Mock(is_active_session=Mock(side_effect=RuntimeError))
    context = SimpleNamespace(session_id="a")
    monkeypatch.setattr(visitors, "find", lambda path: lambda **_: runtime if path == visitors.RUNTIME else context)
    monkeypatch.setattr(visitors.st.runtime, "exists", lambda: True)
    assert visitors.is_connected()()


class Without:
    """Wraps an object of Streamlit's and everything reached from it; one name raises an error."""

    def __init__(self, whole: object, lacks: str):
        self.whole, self.lacks = whole, lacks

    def _of(self, part: object) -> "Without":
        return Without(part, self.lacks)

    def __getattr__(self, name: str):
        if name == self.lacks:
            raise LookupError(name)  # as a later release may, besides AttributeError
        return self._of(getattr(self.whole, name))

    def __call__(self, *given, **named):
        return self._of(self.whole(*given, **named))

    def __iter__(self):
        return map(self._of, self.whole)


# a small form of scripts/rename_internals.py, which runs all tests
LATE_NAMES = ["get_script_run_ctx", "get_instance", "is_active_session", "session_id", "uploaded_file_mgr"]
LATE_NAMES += ["_session_mgr", "list_sessions", "session", "id", "file_storage", "remove_session_files"]
LATE_NAMES += ["_yield_callback", "_execing", "get_session_info", "disconnect_file_watchers", "BackMsg", "ForwardMsg"]


@pytest.mark.parametrize("lacks", LATE_NAMES)
def test_every_internal_name_may_be_missing_or_raise(monkeypatch, lacks):
    def find(path: str):
        if path.endswith(f":{lacks}"):
            raise Missing(path)
        return Without(internals.find(path), lacks)

    monkeypatch.setattr(visitors, "find", find)
    monkeypatch.setattr(page_messages, "find", find if lacks.endswith("Msg") else internals.find)

    async def action(runtime, files):
        upload(files, runtime.connect_session(Mock(SessionClient), {}), "a")
        assert isinstance(visitors.open_file_sizes(), dict)
        assert visitors.is_connected()() and visitors.runs_script() in (True, False)
        visitors.watch_no_files()
        with visitors.uninterruptible():
            assert (page_messages.load() is None) == lacks.endswith("Msg")

    on_server(action)


def page():
    import streamlit as st

    from ui.streamlit_patches import visitors

    st.session_state.runs_script = visitors.runs_script()
    with visitors.uninterruptible():
        st.session_state.inside = True


def test_page_counts_as_a_running_script():
    app = ran(new_app(page).run())
    assert app.session_state["runs_script"] and app.session_state["inside"]


def test_session_ids_drop_an_expired_session():
    async def does(runtime, files):
        one, other = (runtime.connect_session(Mock(SessionClient), {}) for _ in range(2))
        runtime.disconnect_session(one)
        assert set(visitors.session_ids()) == {one, other}
        await asyncio.sleep(SESSION_SECONDS + 0.1)
        assert visitors.session_ids() == [other]

    on_server(does)


def test_session_ids_of_a_streamlit_with_other_names_are_none(renamed):
    async def does(runtime, files):
        assert visitors.session_ids() == []

    on_server(does)
