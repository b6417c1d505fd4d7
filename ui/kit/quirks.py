"""Four habits of the server that we undo before it starts; each is said in one place, with its reason."""

import gc
import socket
import sys
import threading
from asyncio import base_events
from collections.abc import Callable, Sequence
from functools import partial

import uvicorn
from streamlit import net_util
from streamlit.runtime.runtime_util import get_max_widget_state_size_bytes
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.state import SafeSessionState

RUNS, WAIT = threading.Semaphore(2), 5  # at a time; seconds that one waits, at most

guard, run, start = SafeSessionState.__init__, ScriptRunner._run_script, uvicorn.Server.startup
_num_modules = 0  # when the last of them was imported


def undo() -> None:
    """Stops the server from asking the Internet who it is, from holding answers back, and runs from meeting."""
    # Streamlit asks a host on the Internet for this machine's public address, to print it and to compare origins with
    # it. Nothing leaves the machine, so the answer is: unknown.
    net_util.get_external_ip = lambda: None
    # asyncio sends small packets at once (TCP_NODELAY) only on sockets that name TCP as their protocol, and Streamlit's
    # do not. Its answers go out as head and body, so each body waited for the head to be acknowledged: 40 ms, measured.
    base_events._set_nodelay = send_at_once
    # A run that is asked to stop goes on until its next look, while the next has begun: both have the state of one
    # visitor, each behind a lock of its own. What one read while the other wrote ended the run with an error.
    SafeSessionState.__init__ = guard_with_one_lock
    # Each visitor's script runs in a thread, and Python gives them turns of a millisecond: where fifty open a page at
    # once, a key waited for fifty of them again and again. So a few run at a time; all are done as soon.
    ScriptRunner._run_script = run_in_turn


def run_in_turn(self: ScriptRunner, *asked) -> None:
    """Runs a visitor's script when few others run; one that others hold up for long does not wait any more."""
    has_turn = RUNS.acquire(timeout=WAIT)
    try:
        run(self, *asked)
    finally:
        if has_turn:
            RUNS.release()
        leave_out_what_stays()


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
    kept = vars(state.query_params)  # it lasts as long as the state, which takes no attribute more
    object.__setattr__(self, "_lock", kept.setdefault("_lock_of_all_runs", self._lock))


def start_by(begin: Callable) -> None:
    """Lets `begin(config, sockets, start, most)` start the server: neither it nor Streamlit has limits for connections.

    `most` bytes may a page's message have that a visitor sends; Streamlit has it checked once the message is whole.
    """

    async def startup(self: uvicorn.Server, sockets: Sequence[socket.socket] = ()) -> None:
        await begin(self.config, sockets, partial(start, self, sockets), get_max_widget_state_size_bytes())

    uvicorn.Server.startup = startup


def send_at_once(connection: socket.socket) -> None:
    """Turns Nagle's algorithm off for a TCP connection."""
    if connection.family in (socket.AF_INET, socket.AF_INET6) and connection.type == socket.SOCK_STREAM:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
