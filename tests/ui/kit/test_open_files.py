"""What a visitor had open goes when he does not come back, though nobody else comes or goes."""

import asyncio
from collections.abc import Callable
from unittest.mock import Mock
from weakref import ref

import pytest
from streamlit import config
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.session_manager import SessionClient
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from ui.kit import open_files, quirks

TIME = 0.5  # seconds that a session is kept


@pytest.fixture(autouse=True)
def undone(monkeypatch):
    monkeypatch.setattr(MemorySessionStorage, "save", quirks.keep_for_its_time)
    monkeypatch.setattr(Runtime, "_instance", None)
    usual = config.get_option("server.fileWatcherType")
    config.set_option("server.fileWatcherType", "none")
    yield
    config.set_option("server.fileWatcherType", usual)


def on_server(does: Callable, most: int = 128) -> None:
    """Does something while a server runs, with its runtime and its files; it keeps so many who went."""

    async def come() -> None:
        files, storage = MemoryUploadedFileManager("/upload"), MemorySessionStorage(most, TIME)
        runtime = Runtime(RuntimeConfig(__file__, Mock(stats_families=()), files, session_storage=storage))
        await runtime.start()
        try:
            await does(runtime, files)
        finally:
            runtime.stop()
            await runtime.stopped

    asyncio.run(come())


async def soon(comes: Callable[[], bool]) -> None:
    """Waits until something comes about."""
    async with asyncio.timeout(10):
        while not comes():
            await asyncio.sleep(0.05)


def bring(files: MemoryUploadedFileManager, session: str, name: str, size: int = 10) -> None:
    """Brings a file."""
    files.add_file(session, UploadedFileRec(name, f"{name}.txt", "text/plain", bytes(size)))


def test_a_file_goes_with_who_opened_it():
    async def does(runtime, files):
        one, other = (runtime.connect_session(Mock(SessionClient), {}) for _ in range(2))
        bring(files, one, "a")
        bring(files, one, "b", 20)
        bring(files, other, "c")
        assert open_files.held() == {one: 30, other: 10}
        runtime.disconnect_session(one)
        assert open_files.held() == {one: 30, other: 10}  # he may come back
        await soon(lambda: set(files.file_storage) == {other})  # and did not

    on_server(does)


def test_who_comes_back_in_time_finds_his_files():
    async def does(runtime, files):
        one = runtime.connect_session(Mock(SessionClient), {})
        bring(files, one, "a")
        for _ in range(3):
            await asyncio.sleep(0.1)
            runtime.disconnect_session(one)
            assert runtime.connect_session(Mock(SessionClient), {}, existing_session_id=one) == one
        await asyncio.sleep(TIME + 0.3)
        assert open_files.held() == {one: 10}

    on_server(does)


def test_who_came_back_and_went_again_has_his_time_anew():
    async def does(runtime, files):
        one = runtime.connect_session(Mock(SessionClient), {})
        bring(files, one, "a")
        runtime.disconnect_session(one)
        left = runtime._session_mgr.get_session_info(one)
        runtime.connect_session(Mock(SessionClient), {}, existing_session_id=one)
        runtime.disconnect_session(one)
        quirks.end_unless_back(runtime._session_mgr._session_storage, ref(left))  # the time since he first went is over
        assert open_files.held() == {one: 10}

    on_server(does)


def test_of_many_who_went_no_more_are_kept_than_there_is_room_for():
    async def does(runtime, files):
        sessions, left = [runtime.connect_session(Mock(SessionClient), {}) for _ in range(5)], []
        for one in sessions:
            runtime.disconnect_session(one)
            left.append(ref(runtime._session_mgr.get_session_info(one)))
        assert [one() is None for one in left] == [True, True, True, False, False]

    on_server(does, most=2)


def test_what_was_on_its_way_when_its_session_ended_is_not_kept():
    async def does(runtime, files):
        one = runtime.connect_session(Mock(SessionClient), {})
        runtime.disconnect_session(one)
        await soon(lambda: not runtime._session_mgr.list_sessions())
        bring(files, one, "late")
        assert open_files.held() == {} == files.file_storage

    on_server(does)
