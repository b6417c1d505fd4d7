"""Facts from Streamlit's runtime on the visitor of the current script thread, and on the files of all visitors.

Each function has a fallback for a Streamlit with other names: see `internals.guarded`. Three are patches, tested with
Streamlit 1.67; no upstream issue on them is known: `uninterruptible`, `draw_changed_page` and `watch_no_files`.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

import streamlit as st

from ui.streamlit_patches.internals import find, guarded

SCRIPT_CONTEXT = "streamlit.runtime.scriptrunner:get_script_run_ctx"
RUNTIME = "streamlit.runtime:get_instance"
STOPPING = "Stopping the work of visitors who have left"
COMPLETING = "Completing changes before another run begins"


def _script_context() -> Any | None:
    return find(SCRIPT_CONTEXT)(suppress_warning=True)


@guarded("Asking Streamlit for the visitor", lambda: threading.current_thread().name.startswith("ScriptRunner"))
def runs_script() -> bool:
    """Whether this thread runs a page's script, and so has a visitor's session state."""
    return _script_context() is not None


@guarded(STOPPING, lambda: lambda: True)
def is_connected() -> Callable[[], bool]:
    """Returns a function, usable in any thread, that returns whether this visitor's page is open; True if unknown."""
    if (context := _script_context()) is None or not st.runtime.exists():
        return lambda: True
    return guarded(STOPPING, lambda: True)(partial(find(RUNTIME)().is_active_session, context.session_id))


@contextmanager
def uninterruptible() -> Iterator[None]:
    """Prevents a new message of the visitor from ending the run inside the block, between several changes of values.

    Streamlit ends a run at its next access to `st.session_state` if another run is requested, and has no public way to
    delay that. The block clears Streamlit's flag for "inside a script"; without such a flag it has no effect.
    """
    restore = _clear_script_flag()
    try:
        yield
    finally:
        restore()


@guarded(COMPLETING, lambda: lambda: None, is_patch=True)
def _clear_script_flag() -> Callable[[], None]:
    """Clears Streamlit's flag for "inside a script"; returns the function that restores it."""
    if (context := _script_context()) is None:
        return lambda: None
    runner = context.session_state._yield_callback.__self__
    before, runner._execing = runner._execing, False
    return partial(setattr, runner, "_execing", before)


@guarded("Drawing the page after a press in the message of a fragment", lambda: None, is_patch=True)
def draw_changed_page() -> None:
    """Runs the whole page if the message that runs a fragment has a change of a widget outside of it; the fragment
    calls this first.

    Cause: the browser code of Streamlit 1.67 sends the changes of one moment in one message, which runs a fragment
    alone if one of them is the fragment's. Effect: the callback of a press is called, but the page is not drawn; the
    press seems lost. Remedy: the fragment ends for a run of the page, which gets the pressed buttons, too. It does not
    get what components sent: that is taken in callbacks.
    """
    context = _script_context()
    if context is None or not (fragments := context.fragment_ids_this_run):
        return
    state = context.session_state._state
    sent, known = state._new_widget_state, state._new_widget_state.widget_metadata
    drawn = [one for one in sent if one in known and one in state._old_state]
    others = [one for one in drawn if known[one].fragment_id not in fragments]
    if any(state._widget_changed(one) and not known[one].disabled for one in others):
        pressed = [one for one in drawn if known[one].value_type == "trigger_value" and sent[one] is True]
        states = [{"id": one, "trigger_value": True} for one in pressed]
        triggers = find("streamlit.proto.WidgetStates_pb2:WidgetStates")(widgets=states) if pressed else None
        rerun = replace(state._build_full_app_rerun(context), replay_trigger_states=triggers)
        # not a request, which would take a newer message back to this page
        raise find("streamlit.runtime.scriptrunner:RerunException")(rerun)


@guarded("Ending the file watchers of visitors who reconnect", lambda: None, is_patch=True)
def watch_no_files() -> None:
    """Ends the file watcher of a visitor who reconnects, although `server.fileWatcherType` is "none".

    Cause: `WebsocketSessionManager.connect_session` of Streamlit 1.67 ignores the option. Effect: the next run looks up
    the paths of all modules, 0.3 s on the event loop for each visitor, during which no key is answered. Remedy: the
    session ends it, as when a visitor leaves. Without these names it stays.
    """
    if st.get_option("server.fileWatcherType") != "none" or not st.runtime.exists():
        return
    if found := find(RUNTIME)()._session_mgr.get_session_info(_script_context().session_id):
        found.session.disconnect_file_watchers()


def _session_ids(runtime: Any) -> list[str]:
    return [one.session.id for one in runtime._session_mgr.list_sessions()]


@guarded("Freeing the memory of visitors who have left", list)
def session_ids() -> list[str]:
    """Returns the ids of all sessions, and has Streamlit drop the expired ones; [] if this Streamlit lacks the names.

    Streamlit drops a session whose time is over at the next look at its store, and not by itself.
    """
    return _session_ids(find(RUNTIME)()) if st.runtime.exists() else []


@guarded("The quota for open files", dict)
def open_file_sizes() -> dict[str, int]:
    """Returns the bytes of the open files of each session; {} if this Streamlit lacks the names.

    Streamlit deletes files with their session, but keeps one whose upload ends later: it is deleted here. A later
    release may have other keys than sessions: the files of a key that has another form than their ids are kept.
    """
    runtime = find(RUNTIME)()
    manager, known = runtime.uploaded_file_mgr, set(_session_ids(runtime))
    files = manager.file_storage
    for session in list(files):
        if session not in known and _is_session_id(session):
            manager.remove_session_files(session)
    return {session: sum(len(one.data) for one in list(its.values())) for session, its in list(files.items())}


def _is_session_id(key: Any) -> bool:
    try:
        return str(UUID(key)) == key
    except (ValueError, TypeError, AttributeError):
        return False
