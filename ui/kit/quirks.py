"""Habits of the server that we undo before it starts; each is said in one place, with its reason."""

import asyncio
import gc
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from weakref import WeakKeyDictionary, ref

from streamlit import net_util
from streamlit.components.v2.bidi_component import serialization
from streamlit.components.v2.bidi_component.serialization import BidiComponentSerde
from streamlit.elements.arrow import DataframeSelectionSerde
from streamlit.elements.vega_charts import VegaLiteStateSerde
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.watcher.local_sources_watcher import LocalSourcesWatcher
from streamlit.watcher.path_watcher import NoOpPathWatcher, get_default_path_watcher_class

from ui.kit.crowded import has_many_values
from ui.kit.gone import is_news, remove_stale
from ui.kit.hearing import beside, hear, hear_before, is_pressed, is_to_stop, unheard_of
from ui.kit.worded import register_in_words

# what our pages send, and how much of it at most
SAID = ("rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request")
MOST_WIDGETS, MOST_KNOWN, MOST_NAMES, LONGEST_QUERY = 1_000, 10_000, 100, 200_000
SELDOM = 100  # smaller looks of the collector of garbage between two through all that lasts; by itself it has 10
AT_ONCE, A_SECOND = 10, 2  # runs of one visitor, and beyond those so many: after more the others get as much time
LONGEST = 0.05  # seconds that they get for one run
ALONE = 1  # seconds that a run has for itself, until another begins beside it: it may wait for a process
NEARLY = 0.99  # of the time that a session is kept: later it is not found

SERDES = BidiComponentSerde, DataframeSelectionSerde, VegaLiteStateSerde

guard = SafeSessionState.__init__
run, run_all, finish = ScriptRunner._run_script, ScriptRunner._run_script_thread, ScriptRunner._on_script_finished
heed, look = AppSession.handle_backmsg, LocalSourcesWatcher.update_watched_modules
keep, call_back = MemorySessionStorage.save, SessionState._dispatch_trigger_callbacks
read, readers = serialization.handle_deserialize, {serde: serde.deserialize for serde in SERDES}
turnings: WeakKeyDictionary[PagesManager, "Turning"] = WeakKeyDictionary()
call_soon, note = AppSession._call_soon_on_event_loop, Runtime._enqueued_some_message
_calls, _called = threading.Lock(), {}  # session -> what its loop is to call back
_num_modules = 0  # when the last of them was imported


def undo() -> None:
    """Stops the server from asking the Internet who it is, and runs from meeting."""
    # Streamlit asks a host on the Internet for this machine's public address, to print it and to compare origins with
    # it. Nothing leaves the machine, so the answer is: unknown.
    net_util.get_external_ip = lambda: None
    # A run that is asked to stop goes on until its next look, while the next has begun: both have the state of one
    # visitor, each behind a lock of its own. What one read while the other wrote ended the run with an error.
    SafeSessionState.__init__ = guard_with_one_lock
    # Each visitor's script runs in a thread, and Python gives them turns of a millisecond: where fifty open a page at
    # once, a key waited for fifty of them again and again. One after the other they are done sooner, measured. They go
    # as they came: of two of one visitor, the older tells what his page showed before, and would undo what is newer.
    ScriptRunner._run_script = run_in_turn
    # What ran a script holds on to itself, and with that to what the visitor said: a text of 4 MB, until Python looks
    # for such circles, which is seldom. Some hundred stayed.
    ScriptRunner._run_script_thread = run_and_forget
    # Any visitor may empty the caches of all, have git asked, or send a million widgets, over which Python goes one by
    # one while everybody waits.
    AppSession.handle_backmsg = heed_what_pages_say
    # For each thing that a script draws, Streamlit calls its loop twice: from the script, and from the loop to itself.
    # Each is a call of the system, after which a thread waits until another leaves it Python's lock. That was a third
    # of what the loop did while fifty opened a page, and a sixth of what their scripts did.
    AppSession._call_soon_on_event_loop = call_together
    Runtime._enqueued_some_message = note_at_once
    # A press is lost where more is said before its run has begun, and a choice where a part of the page speaks with it.
    SafeSessionState.on_script_will_rerun = hear
    # Of what is chosen in a list whose words have just changed, in words of before, nothing would be known.
    SessionState.register_widget = register_in_words
    # What is told of a list that has just left the page would be a change of it.
    SessionState._remove_stale_widgets, SessionState._widget_changed = remove_stale, is_news
    # A run that was asked to stop too late for that tidied up, and forgot what the next one had drawn meanwhile: what
    # was chosen there was never heard.
    ScriptRunner._on_script_finished = finish_if_last
    # Before Streamlit calls back who listens to a component, it spells as JSON all that was said, twice, to see whether
    # there is anything: of a text of 4 MB that holds every other thread up, a fifth of what six such visitors cost.
    SessionState._dispatch_trigger_callbacks = call_back_at_once
    # What a component, a table or a chart says is JSON. Ten megabytes of numbers would hold everybody up for half a
    # second, as often as somebody says them.
    serialization.handle_deserialize = of_few(read)
    for serde, reader in readers.items():
        serde.deserialize = of_few(reader)
    # For each new session Streamlit looks where all two thousand modules lie, though it watches no file here: 0.13 s,
    # between the keys of all others.
    LocalSourcesWatcher.update_watched_modules = look_where_modules_lie
    # The session of a visitor who stays away ends when its time is over, another visitor goes, and the loop has told
    # somebody else something since: until then it stays, and its files with it.
    MemorySessionStorage.save = keep_for_its_time
    # Python looks through all that lasts for what can go: every four seconds where fifty were at work, each time for
    # 0.1 s, in which nobody's key is answered.
    gc.set_threshold(*gc.get_threshold()[:2], SELDOM)


def call_together(self: AppSession, callback: Callable[[], None]) -> None:
    """Has a session's loop called back, in order: what comes before it gets there goes along."""
    with _calls:
        waiting = _called.setdefault(self, [])
        waiting.append(callback)
        is_first = len(waiting) == 1
    if is_first:
        call_soon(self, partial(call_all, self))


def call_all(session: AppSession) -> None:
    """Calls back all that a session has waiting."""
    with _calls:
        waiting = _called.pop(session)
    for callback in waiting:
        try:
            callback()
        except Exception as error:  # as the loop does: the others are called all the same
            session._event_loop.call_exception_handler({"message": f"Exception in {callback}", "exception": error})


def note_at_once(self: Runtime) -> None:
    """Notes that there is something to send: on the loop at once, on another thread by calling it."""
    its = self._get_async_objs()
    if asyncio._get_running_loop() is its.eventloop:
        its.need_send_data.set()
    else:
        note(self)


def keep_for_its_time(self: MemorySessionStorage, left: SessionInfo) -> None:
    """Keeps a session whose visitor went until its time is over, and no longer; it may go before, for others."""
    keep(self, left)
    asyncio.get_running_loop().call_later(self._cache.ttl * NEARLY, end_unless_back, self, ref(left))


def end_unless_back(storage: MemorySessionStorage, left: ref[SessionInfo]) -> None:
    """Ends a session whose visitor went and did not come back since."""
    if (found := left()) and storage.get(found.session.id) is found:
        Runtime.instance().close_session(found.session.id)


def look_where_modules_lie(self: LocalSourcesWatcher) -> None:
    """Looks for modules to watch, where files are watched."""
    if get_default_path_watcher_class() is not NoOpPathWatcher:
        look(self)


def heed_what_pages_say(self: AppSession, message: BackMsg) -> None:
    """Heeds what a page of ours may have said, and nothing else."""
    asked, files = message.rerun_script, message.file_urls_request
    is_short = (
        len(asked.widget_states.widgets) <= MOST_WIDGETS
        and len(asked.cached_message_hashes) <= MOST_KNOWN
        and len(asked.query_string) <= LONGEST_QUERY
        and len(files.file_names) <= MOST_NAMES
    )
    if message.WhichOneof("type") in SAID and is_short:
        if message.WhichOneof("type") == "rerun_script":
            page, unheard = asked.page_script_hash, unheard_of(self._session_state)
            follow_turn(self, asked)
            with unheard.lock:
                unheard.add(asked.widget_states, page)
                heed(self, message)
        else:
            heed(self, message)


@dataclass
class Turning:
    """From which page to which a browser asked to turn last, and whether that has come."""

    before: str
    wanted: str
    query: str  # of its address
    is_done: bool = False


def follow_turn(session: AppSession, asked: ClientState) -> None:
    """Lets what is pressed or said on a page that is being left happen on the page that comes.

    A browser names the page that it shows. Where something is said there between a press on a link and its page, it
    would turn the page back; and of a part alone, a fragment, the browser would clear the new page away for good.
    """
    pages = session._pages_manager
    current, last = pages.current_page_script_hash, turnings.get(pages)
    if last and last.wanted == current:
        last.is_done = True  # whatever turns to yet another page is said by this one first
    if not asked.fragment_id and not any(map(is_pressed, asked.widget_states.widgets)):
        turnings[pages] = Turning(current, asked.page_script_hash, asked.query_string)
    elif last and asked.page_script_hash == last.before and not last.is_done:
        asked.page_script_hash, asked.query_string = last.wanted, last.query
    elif last and asked.page_script_hash in (last.before, last.wanted) and last.is_done:
        asked.page_script_hash = current


def call_back_at_once(self: SessionState, votes, wid: str, metadata, *given) -> None:
    """Calls back who listens to what a component says, without spelling it again."""
    if metadata.value_type != "json_trigger_value":
        return call_back(self, votes, wid, metadata, *given)
    said = self._new_widget_state.get(wid)
    for one in said if isinstance(said, list) else [said]:
        if isinstance(one, dict) and isinstance(event := one.get("event"), str) and event in metadata.callbacks:
            self._execute_widget_callback(votes, metadata.callbacks[event], metadata, *given)
    return None


def of_few(reader: Callable) -> Callable:
    """Returns what reads JSON as a reader does, and as if nothing were said where very many things are."""

    def read_few(*given):
        said = given[-1]
        return reader(*given[:-1], None if isinstance(said, str) and has_many_values(said) else said)

    return read_few


class Turn:
    """What one has at a time, as they came; who has it for long leaves it to the next, and goes on beside that one."""

    def __init__(self):
        self._lock, self._line, self._owner, self._since = threading.Lock(), deque(), None, 0.0

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Waits for it, and has it as long as the block lasts, or until it has lasted for long."""
        with self._lock:
            self._line.append(me := threading.Condition(self._lock))
            while self._line[0] is not me:
                me.wait()
            while self._owner and (left := self._since + ALONE - time.monotonic()) > 0:
                me.wait(left)
            self._line.popleft()
            self._owner, self._since = me, time.monotonic()
            self._call()
        try:
            yield
        finally:
            with self._lock:
                if self._owner is me:
                    self._owner = None
                    self._call()

    def _call(self) -> None:
        if self._line:
            self._line[0].notify()


runs = Turn()


def run_in_turn(self: ScriptRunner, asked: RerunData) -> None:
    """Runs a visitor's script when no other runs, or only such as take long; not if it is to stop by then."""
    with runs.taken():
        if not is_to_stop(self):
            began = time.monotonic()
            run(self, hear_before(self, asked))
            if is_often(self._session_state._state):
                time.sleep(min(time.monotonic() - began, LONGEST))
    leave_out_what_stays()


def is_often(state: SessionState) -> bool:
    """Counts a run of a visitor, and returns whether there were many of late: keys of others wait for each."""
    kept, now = beside(state), time.monotonic()
    kept["_runs_until"] = max(kept.get("_runs_until", 0), now) + 1 / A_SECOND
    return kept["_runs_until"] - now > AT_ONCE / A_SECOND


def finish_if_last(self: ScriptRunner, context, event, is_cut_short: bool, *descriptor) -> None:
    """Tidies up after a run of all, if none has begun after it."""
    finish(self, context, event, is_cut_short or is_to_stop(self), *descriptor)


def run_and_forget(self: ScriptRunner) -> None:
    """Runs all that the visitor asks for, and keeps nothing of what was said; nobody asks this runner again."""
    try:
        run_all(self)
    finally:
        self._requests._rerun_data = RerunData()


def leave_out_what_stays() -> None:
    """Spares the collector of garbage what modules have made: it would look at it again and again, 0.1 s each time."""
    global _num_modules
    if len(sys.modules) > _num_modules:
        _num_modules = len(sys.modules)
        gc.collect(1)
        gc.freeze()


def guard_with_one_lock(self: SafeSessionState, state, yield_callback) -> None:
    """Guards a visitor's state as Streamlit does, but with one lock for all runs."""
    guard(self, state, yield_callback)
    object.__setattr__(self, "_lock", beside(state).setdefault("_lock_of_all_runs", self._lock))
