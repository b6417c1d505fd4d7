"""Limits for the connections of a server that ui/launcher.py starts: how many, how long silent, how many bytes kept.

They stand where uvicorn reads from connections: an app gets a message only when all of it has come. What a limit needs
to know, uvicorn and websockets keep under names that a later release may change: then that limit is off, one line in
the log says so, and the connection works.
"""

import asyncio
import logging
import os
import socket
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, TypeVar

import uvicorn

from server import limits
from server.limits.quota import BYTE_QUOTA, Reservation
from server.problems import Problem

LISTEN_BACKLOG = 2_048  # connections that the system keeps until the server accepts them
LARGE_READ_BYTES = 64_000  # of what is read from a connection in one go
WEBSOCKETS = "websockets-sansio", "auto"  # uvicorn's implementations, the first that is there

log = logging.getLogger(__name__)
Value = TypeVar("Value")
disabled: set[str] = set()  # limits


def read(limit: str, value: Callable[[], Value], default: Value) -> Value:
    """Returns an internal value of uvicorn or websockets; where they have it no more, logs it once, and the default."""
    try:
        return value()
    except (AttributeError, TypeError) as error:
        disable(limit, error)
        return default


def disable(limit: str, reason: object) -> None:
    """Logs once that a limit is off."""
    if limit not in disabled:
        disabled.add(limit)
        versions = f"uvicorn {version('uvicorn')} and websockets {version('websockets')}"
        log.warning("The limit for %s is off with %s: %s", limit, versions, reason)


@dataclass(eq=False)
class Connection:
    """One connection: who it is, and for how long it has been waited for."""

    transport: asyncio.Transport
    protocol: asyncio.Protocol
    address: str
    reservation: Reservation  # of what has not arrived whole, or is not read yet, and of answers that are not taken
    left: int = 0  # bytes that it had not taken at the last look
    partial: int = 0  # bytes that had come then of what is not whole
    request: object = None  # the last one, until then
    wait: tuple | None = None  # within how many seconds what must have happened
    since: float = 0  # when that wait began

    def hold(self) -> None:
        """Takes room for all that is kept for it; raises Problem where there is none."""
        unread = getattr(self.protocol, "unread_bytes", 0)
        self.reservation.resize(partial_bytes(self.protocol) + unread + self.transport.get_write_buffer_size())

    def is_late(self, now: float) -> bool:
        """Whether what is waited for has not happened in time."""
        left, partial = self.transport.get_write_buffer_size(), partial_bytes(self.protocol)
        request = last_request(self.protocol)
        wait = self._wait(left, partial, request)
        if wait != self.wait or request is not self.request or partial < self.partial:  # another message, that is
            self.since = now
        self.wait, self.request, self.left, self.partial = wait, request, left, partial
        return wait is not None and now - self.since > wait[0]

    def _wait(self, left: int, partial: int, request: object) -> tuple | None:
        if left and left >= self.left:
            return limits.WRITE_TIMEOUT_SECONDS, "something of an answer is taken"
        if partial:
            return limits.MESSAGE_TIMEOUT_SECONDS, "a message is whole"
        if is_websocket(self.protocol) or is_being_answered(request):
            return None
        return limits.IDLE_TIMEOUT_SECONDS, "something is asked"


class Connections:
    """All connections of a server."""

    def __init__(self, most: int):
        self.most = most
        self.open: OrderedDict[asyncio.Transport, Connection] = OrderedDict()  # who spoke last at the end
        self.by_address: Counter[str] = Counter()

    def made(self, transport: asyncio.Transport, protocol: asyncio.Protocol) -> None:
        """Notes a connection, or that it goes on as a socket; hangs up on another where there are too many."""
        address = (transport.get_extra_info("peername") or [""])[0]
        if transport in self.open:
            self.lost(transport)
        self.open[transport] = Connection(transport, protocol, address, Reservation(BYTE_QUOTA, address))
        self.by_address[address] += 1
        if len(self.open) > self.most:
            self.hang_up(self.silent_longest(besides=transport))

    def silent_longest(self, besides: asyncio.Transport) -> asyncio.Transport:
        """Returns who said nothing for longest, of the address with most connections: one who never asked, if any
        is there besides the newcomer."""
        [(address, _)] = self.by_address.most_common(1)
        own = {
            transport: one
            for transport, one in self.open.items()
            if one.address == address and transport is not besides
        }
        return next(
            (transport for transport, one in own.items() if not has_asked(one.protocol)), next(iter(own), besides)
        )

    def heard(self, transport: asyncio.Transport) -> None:
        """Notes that somebody spoke; hangs up where there is no room for it."""
        if one := self.open.get(transport):
            self.open.move_to_end(transport)
            self.bound(one)

    def lost(self, transport: asyncio.Transport) -> None:
        """Forgets a connection."""
        if one := self.open.pop(transport, None):
            one.reservation.resize(0)
            self.by_address[one.address] -= 1
            self.by_address += Counter()  # those at 0 go

    def bound(self, one: Connection) -> None:
        """Hangs up on a connection for which too much is kept."""
        try:
            one.hold()
        except Problem:
            self.hang_up(one.transport)

    def hang_up(self, transport: asyncio.Transport) -> None:
        """Ends a connection at once."""
        self.lost(transport)
        transport.abort()

    def look(self, now: float) -> None:
        """Hangs up on those who take too long, or for whom too much is kept."""
        for transport, one in list(self.open.items()):
            if one.is_late(now):
                self.hang_up(transport)
            else:
                self.bound(one)

    def watch(self, sockets: Sequence[socket.socket]) -> Callable[[], Awaitable[None]]:
        """Returns what uvicorn is to call once a second while it serves at these sockets."""
        is_listening = False

        async def look() -> None:
            nonlocal is_listening
            if not is_listening:  # asyncio has them keep only as many as it accepts in one go
                is_listening = True
                for one in sockets:
                    one.listen(LISTEN_BACKLOG)
            try:
                self.look(asyncio.get_running_loop().time())
            except Exception:  # uvicorn would end
                log.exception("The connections could not be looked at.")

        return look


def is_websocket(protocol: asyncio.Protocol) -> bool:
    """Whether a connection has become a websocket."""
    return getattr(protocol, "is_websocket", False)


def last_request(protocol: asyncio.Protocol) -> object:
    """Returns the last request of an HTTP connection, None before there is one; itself where that cannot be known."""
    return None if is_websocket(protocol) else read("idle connections", lambda: protocol.cycle, protocol)


def has_asked(protocol: asyncio.Protocol) -> bool:
    """Whether it ever sent a request: a flood of silent connections is no reason to lose one that is used."""
    return is_websocket(protocol) or last_request(protocol) is not None


def is_being_answered(request: object) -> bool:
    """Whether there is a request that the app works on; its body has a limit of its own."""
    return request is not None and not read("idle connections", lambda: request.response_complete, False)


def partial_bytes(protocol: asyncio.Protocol) -> int:
    """Returns how many bytes of a message have come that is not whole; raises Problem where it has too many parts."""
    if not is_websocket(protocol):
        return 0
    if read("parts of a message", lambda: len(protocol.frames), 0) > limits.MAX_MESSAGE_FRAMES:
        raise Problem("too-large", "A message has too many parts.")
    return read("half-sent messages", lambda: len(protocol.conn.reader.buffer) + (protocol.conn.current_size or 0), 0)


class CountingQueue(asyncio.Queue):
    """A queue of ASGI messages that knows how many bytes they have."""

    num_bytes = 0

    def put_nowait(self, message: dict) -> None:
        super().put_nowait(message)
        self.num_bytes += size(message)

    def get_nowait(self) -> dict:
        message = super().get_nowait()
        self.num_bytes -= size(message)
        return message


def size(message: dict) -> int:
    """Returns how much of a text or bytes an ASGI message carries."""
    return len(message.get("bytes") or message.get("text") or b"")


def watched(base: type, register: Connections) -> type:
    """Returns one of uvicorn's protocols whose connections are registered."""

    class Watched(base):
        def connection_made(self, transport):
            super().connection_made(transport)
            register.made(transport, self)

        def data_received(self, data):
            super().data_received(data)
            register.heard(self.transport)
            if len(data) >= LARGE_READ_BYTES and self.transport.is_reading():
                # uvloop would read on as long as bytes come, 8 MB at most; meanwhile it answers nobody
                self.transport.pause_reading()
                asyncio.get_running_loop().call_soon(self.read_on)

        def read_on(self):
            if not self.transport.is_closing():
                self.transport.resume_reading()

        def connection_lost(self, exc):
            register.lost(self.transport)
            super().connection_lost(exc)

    return Watched


def watched_websocket(base: type, register: Connections) -> type:
    """Returns uvicorn's protocol for websockets with its connections registered, and what they keep bounded."""

    class WatchedWebSocket(watched(base, register)):
        is_websocket = True

        def __init__(self, *given, **named):
            super().__init__(*given, **named)
            if hasattr(self, "queue"):
                self.queue = CountingQueue()
            else:
                disable("messages that wait to be read", "no attribute queue")

        @property
        def unread_bytes(self) -> int:
            """How many bytes of whole messages the app has not read yet."""
            return getattr(getattr(self, "queue", None), "num_bytes", 0)

        def connection_lost(self, exc):
            super().connection_lost(exc)
            # else both would last until the next garbage collection
            read("memory of closed websockets", lambda: (self.frames.clear(), self.conn.reader.buffer.clear()), None)

        def handle_bytes(self, frame, *more):
            super().handle_bytes(frame, *more)
            # the message is queued by now; the parser of websockets keeps its last frame
            read("memory of open websockets", lambda: setattr(frame, "data", b""), None)

    if not hasattr(base, "handle_bytes"):
        disable("memory of open websockets", "no method handle_bytes")
    return WatchedWebSocket


def protocols(register: Connections) -> dict[str, Any]:
    """Returns uvicorn's settings `http` and `ws`, by which the connections of a server are registered.

    Each is the class that uvicorn would take itself, extended; where it cannot be, uvicorn's own choice.
    """
    failed = None
    for name in WEBSOCKETS:
        try:
            found = uvicorn.Config(_no_app, ws=name, log_config=None)
            found.load()
            ws = watched_websocket(found.ws_protocol_class, register)
            return {"http": watched(found.http_protocol_class, register), "ws": ws}
        except Exception as error:  # whatever a later release raises
            failed = error
    disable("connections", failed)
    return {}


async def _no_app(scope: Any, receive: Any, send: Any) -> None:
    """Stands for the app where uvicorn is only asked for its classes."""


def send_without_delay() -> None:
    """Turns Nagle's algorithm off (TCP_NODELAY) for all sockets at which this process listens: connections inherit it.

    Streamlit makes its socket without naming TCP as the protocol, and asyncio sets the option only where TCP is named.
    Without it the body of an answer waits until its head is acknowledged, which takes a browser up to 40 ms.
    """
    with suppress(OSError):  # Windows has no such folder
        for name in os.listdir("/dev/fd"):
            with suppress(OSError), socket.socket(fileno=os.dup(int(name))) as one:  # most files are no sockets
                is_tcp = one.family in (socket.AF_INET, socket.AF_INET6) and one.type == socket.SOCK_STREAM
                if is_tcp and one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def raise_open_files() -> int:
    """Lets this process hold as many connections as a class needs, where the system limits them; returns how many."""
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limit
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = limits.MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(limits.MAX_OPEN_FILES, hard)
        if 0 <= soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
        return limits.MAX_OPEN_FILES if soft < 0 else soft
    return limits.MAX_OPEN_FILES
