"""Facts from Streamlit's runtime on the visitor of the current script thread, and on the files of all visitors.

Each function has a fallback for a Streamlit with other names: see `internals.find`.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import streamlit as st

from ui.streamlit_patches.internals import Missing, are_off, find, report

SCRIPT_CONTEXT = "streamlit.runtime.scriptrunner:get_script_run_ctx"
RUNTIME = "streamlit.runtime:get_instance"


def _script_context() -> Any | None:
    return find(SCRIPT_CONTEXT)(suppress_warning=True)


def runs_script() -> bool:
    """Whether this thread runs a page's script, and so has a visitor's session state."""
    try:
        return _script_context() is not None
    except (Missing, TypeError):
        return threading.current_thread().name.startswith("ScriptRunner")


def is_connected() -> Callable[[], bool]:
    """Returns a function, usable in any thread, that returns whether this visitor's page is open; True if unknown."""
    try:
        if (context := _script_context()) is not None and st.runtime.exists():
            return partial(find(RUNTIME)().is_active_session, context.session_id)
    except (Missing, AttributeError, TypeError) as error:
        report("Stopping the work of visitors who have left", repr(error))
    return lambda: True


@contextmanager
def uninterruptible() -> Iterator[None]:
    """Prevents a new message of the visitor from ending the run inside the block, between several changes of values.

    Streamlit ends a run at its next access to `st.session_state` if another run is requested, and has no public way to
    delay that. The block clears Streamlit's flag for "inside a script"; without such a flag it has no effect.
    """
    runner = None
    try:
        if not are_off() and (context := _script_context()) is not None:
            script_runner = context.session_state._yield_callback.__self__
            before, runner = script_runner._execing, script_runner
    except (Missing, AttributeError, TypeError) as error:
        report("Completing changes before another run begins", repr(error))
    if runner is None:
        yield
        return
    runner._execing = False
    try:
        yield
    finally:
        runner._execing = before


def watch_no_files() -> None:
    """Ends the file watcher of a visitor who reconnects, although `server.fileWatcherType` is "none".

    Cause: `WebsocketSessionManager.connect_session` of Streamlit 1.67 ignores the option. Effect: the next run looks up
    the paths of all modules, 0.3 s on the event loop for each visitor, during which no key is answered. Remedy: the
    session ends it, as when a visitor leaves. Without these names it stays.
    """
    try:
        if are_off() or st.get_option("server.fileWatcherType") != "none" or not st.runtime.exists():
            return
        if found := find(RUNTIME)()._session_mgr.get_session_info(_script_context().session_id):
            found.session.disconnect_file_watchers()
    except (Missing, AttributeError, TypeError) as error:
        report("Ending the file watchers of visitors who reconnect", repr(error))


def _session_ids(runtime: Any) -> list[str]:
    return [one.session.id for one in runtime._session_mgr.list_sessions()]


def session_ids() -> list[str]:
    """Returns the ids of all sessions, and has Streamlit drop the expired ones; [] if this Streamlit lacks the names.

    Streamlit drops a session whose time is over at the next look at its store, and not by itself.
    """
    try:
        return _session_ids(find(RUNTIME)()) if st.runtime.exists() else []
    except (Missing, AttributeError, TypeError) as error:
        report("Freeing the memory of visitors who have left", repr(error))
        return []


def open_file_sizes() -> dict[str, int]:
    """Returns the bytes of the open files of each session; {} if this Streamlit lacks the names.

    Streamlit deletes files with their session, but keeps one whose upload ends later: it is deleted here.
    """
    try:
        runtime = find(RUNTIME)()
        manager, known = runtime.uploaded_file_mgr, set(_session_ids(runtime))
        files = manager.file_storage
        for session in files.keys() - known:
            manager.remove_session_files(session)
        return {session: sum(len(one.data) for one in list(its.values())) for session, its in list(files.items())}
    except (Missing, AttributeError, TypeError) as error:
        report("The quota for open files", repr(error))
        return {}
