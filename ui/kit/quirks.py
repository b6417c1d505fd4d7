"""Three habits of the server that we undo before it starts; each is said in one place, with its reason."""

import socket
from asyncio import base_events

from streamlit import net_util
from streamlit.runtime.state import SafeSessionState

guard = SafeSessionState.__init__


def undo() -> None:
    """Stops the server from asking the Internet who it is, from holding answers back, and two runs from one state."""
    # Streamlit asks a host on the Internet for this machine's public address, to print it and to compare origins with
    # it. Nothing leaves the machine, so the answer is: unknown.
    net_util.get_external_ip = lambda: None
    # asyncio sends small packets at once (TCP_NODELAY) only on sockets that name TCP as their protocol, and Streamlit's
    # do not. Its answers go out as head and body, so each body waited for the head to be acknowledged: 40 ms, measured.
    base_events._set_nodelay = send_at_once
    # A run that is asked to stop goes on until its next look, while the next has begun: both have the state of one
    # visitor, each behind a lock of its own. What one read while the other wrote ended the run with an error.
    SafeSessionState.__init__ = guard_with_one_lock


def guard_with_one_lock(self: SafeSessionState, state, yield_callback) -> None:
    """Guards a visitor's state as Streamlit does, but with one lock for all runs."""
    guard(self, state, yield_callback)
    kept = vars(state.query_params)  # it lasts as long as the state, which takes no attribute more
    object.__setattr__(self, "_lock", kept.setdefault("_lock_of_all_runs", self._lock))


def send_at_once(connection: socket.socket) -> None:
    """Turns Nagle's algorithm off for a TCP connection."""
    if connection.family in (socket.AF_INET, socket.AF_INET6) and connection.type == socket.SOCK_STREAM:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
