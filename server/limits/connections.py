"""Caps the connections of a server that ui/launcher.py starts, closes idle ones, and bounds unfinished messages.

The limits extend uvicorn's protocol classes, since an app gets a message only when all of it has come. They read
attributes of uvicorn and websockets that a later release may rename; then the limit is off, the log has one line
about it, and connections work without it.
"""

import asyncio
import logging
import os
import socket
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, TypeVar

import uvicorn

from server import limits
from server.limits.fair_queue import LoopTurns
from server.limits.quota import BYTE_QUOTA, Reservation
from server.limits.request_guards import network
from server.limits.token_bucket import BucketPerAddress, TokenBucket
from server.problems import Problem

LISTEN_BACKLOG = 2_048  # connections that wait in the system until the server accepts them
LARGE_READ_BYTES = 64_000  # after a read of this size, other connections come first
MAX_WHOLE_READ_LINES = 100  # of a read over HTTP that is parsed whole; each may be a header or a chunk of one byte
SLICE_BYTES = 1_024  # of any other read that is parsed at a time: it may be 37,000 frames or chunks
BODY_SLICE_BYTES = 8_192  # the same in a body of announced size, whose lines are not parsed
TURN_SECONDS = 0.002  # of parsing, after which other connections come first
MIN_UNREAD_POLL_SECONDS = 0.001  # first delay before parsing resumes while the app has unread messages; doubles
MAX_UNREAD_POLL_SECONDS = 0.05
WEBSOCKETS = "websockets-sansio", "auto"  # uvicorn's implementations, in the order of preference

log = logging.getLogger(__name__)
Value = TypeVar("Value")
disabled: set[str] = set()  # limits


def read(limit: str, value: Callable[[], Value], default: Value) -> Value:
    """Returns an internal value of uvicorn or websockets, or `default` with a line in the log where it is missing."""
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
    """One connection, with its reserved bytes and what the server waits for."""

    transport: asyncio.Transport
    protocol: asyncio.Protocol
    address: str
    reservation: Reservation  # bytes of unfinished and unread messages, and of answers that the client has not read
    left: int = 0  # bytes of answers that the client had not read at the last check
    partial: int = 0  # bytes of an unfinished message at the last check
    request: object = None  # the last request at the last check
    wait: tuple | None = None  # timeout in seconds, and what must happen until then
    since: float = 0  # start of that wait

    def reserve(self) -> None:
        """Reserves the bytes that the server holds for it; raises Problem where the quota has too few."""
        unread = getattr(self.protocol, "unread_bytes", 0)
        self.reservation.resize(partial_bytes(self.protocol) + unread + self.transport.get_write_buffer_size())

    def is_late(self, now: float) -> bool:
        """Whether the event that the server waits for has not happened in time."""
        left, partial = self.transport.get_write_buffer_size(), partial_bytes(self.protocol)
        request = last_request(self.protocol)
        wait = self._wait(left, partial, request)
        if wait != self.wait or request is not self.request or partial < self.partial:  # another message
            self.since = now
        self.wait, self.request, self.left, self.partial = wait, request, left, partial
        return wait is not None and now - self.since > wait[0]

    def _wait(self, left: int, partial: int, request: object) -> tuple | None:
        if left and left >= self.left:
            return limits.WRITE_TIMEOUT_SECONDS, "the client reads from an answer"
        if partial:
            return limits.MESSAGE_TIMEOUT_SECONDS, "a message is complete"
        if is_websocket(self.protocol) or is_being_answered(request):
            return None
        return limits.IDLE_TIMEOUT_SECONDS, "a request comes"


class Connections:
    """All connections of a server."""

    def __init__(self, max_connections: int):
        self.max_connections = max_connections
        self.open: OrderedDict[asyncio.Transport, Connection] = OrderedDict()  # the most recently active last
        self.by_address: Counter[str] = Counter()
        self.turns = LoopTurns()  # in which connections parse
        self.parsing = BucketPerAddress(
            lambda: TokenBucket(limits.PARSE_SECONDS_PER_SECOND, limits.PARSE_BURST_SECONDS)
        )

    def made(self, transport: asyncio.Transport, protocol: asyncio.Protocol) -> None:
        """Registers a connection, or its upgrade to a socket; closes another one above the limit."""
        address, _ = client_of(transport)
        if transport in self.open:
            self.lost(transport)
        self.open[transport] = Connection(transport, protocol, address, Reservation(BYTE_QUOTA, address))
        self.by_address[address] += 1
        if len(self.open) > self.max_connections:
            self.hang_up(self.longest_idle(besides=transport))

    def longest_idle(self, besides: asyncio.Transport) -> asyncio.Transport:
        """Returns the longest-idle connection of the address with most connections.

        One that never sent a request goes first; the newcomer goes only where there is no other.
        """
        [(address, _)] = self.by_address.most_common(1)
        own = {
            transport: one
            for transport, one in self.open.items()
            if one.address == address and transport is not besides
        }
        return next(
            (transport for transport, one in own.items() if not has_request(one.protocol)),
            next(iter(own), besides),
        )

    def note_activity(self, transport: asyncio.Transport) -> None:
        """Registers activity of a connection; closes it where its bytes exceed the quota."""
        if one := self.open.get(transport):
            self.open.move_to_end(transport)
            self.enforce_quota(one)

    def lost(self, transport: asyncio.Transport) -> None:
        """Removes a connection."""
        if one := self.open.pop(transport, None):
            one.reservation.resize(0)
            self.by_address[one.address] -= 1
            self.by_address += Counter()  # drops addresses at 0

    def enforce_quota(self, one: Connection) -> None:
        """Closes a connection whose bytes exceed the quota."""
        try:
            one.reserve()
        except Problem:
            self.hang_up(one.transport)

    def has(self, transport: asyncio.Transport, protocol: asyncio.Protocol) -> bool:
        """Whether a connection is open and has this protocol."""
        return transport in self.open and self.open[transport].protocol is protocol

    def hang_up(self, transport: asyncio.Transport) -> None:
        """Closes a connection at once."""
        self.lost(transport)
        transport.abort()

    def close_late(self, now: float) -> None:
        """Closes connections that take too long or whose bytes exceed the quota."""
        for transport, one in list(self.open.items()):
            if one.is_late(now):
                self.hang_up(transport)
            else:
                self.enforce_quota(one)

    def watch(self, sockets: Sequence[socket.socket]) -> Callable[[], Awaitable[None]]:
        """Returns the function that uvicorn calls once a second while it serves at these sockets."""
        is_listening = False

        async def close_late() -> None:
            nonlocal is_listening
            if not is_listening:  # asyncio sets the backlog to the number that it accepts in one go
                is_listening = True
                for one in sockets:
                    one.listen(LISTEN_BACKLOG)
            try:
                self.close_late(asyncio.get_running_loop().time())
            except Exception:  # it would end uvicorn
                log.exception("The connections could not be checked.")

        return close_late


def client_of(transport: asyncio.Transport) -> tuple[str, int]:
    """Returns the IP address or network and the port of a connection's client."""
    address, port, *_ = transport.get_extra_info("peername") or ("", 0)
    return network(address), port


def is_websocket(protocol: asyncio.Protocol) -> bool:
    """Whether a connection has become a websocket."""
    return getattr(protocol, "is_websocket", False)


def last_request(protocol: asyncio.Protocol) -> object:
    """Returns the last request of an HTTP connection, None before the first; the connection where that is unknown."""
    return None if is_websocket(protocol) else read("idle connections", lambda: protocol.cycle, protocol)


def has_request(protocol: asyncio.Protocol) -> bool:
    """Whether it ever sent a request; a flood of silent connections must not close one in use."""
    return is_websocket(protocol) or last_request(protocol) is not None


def is_being_answered(request: object) -> bool:
    """Whether the app is answering a request; the body of that request has a timeout of its own."""
    return request is not None and not read("idle connections", lambda: request.response_complete, False)


def partial_bytes(protocol: asyncio.Protocol) -> int:
    """Returns the bytes of an unfinished message; raises Problem where it has too many frames."""
    if not is_websocket(protocol):
        return 0
    if read("parts of a message", lambda: len(protocol.frames), 0) > limits.MAX_MESSAGE_FRAMES:
        raise Problem("too-large", "A message has too many parts.")
    return read("half-sent messages", lambda: len(protocol.conn.reader.buffer) + (protocol.conn.current_size or 0), 0)


def announces_size(request: object) -> bool:
    """Whether a body is still coming whose size was announced. A body in chunks has none: the parser ignores it."""
    if request is None:
        return False
    names = read("bodies in chunks", lambda: request.more_body and {name for name, _ in request.scope["headers"]}, None)
    return bool(names) and b"content-length" in names and b"transfer-encoding" not in names


class CountingQueue(asyncio.Queue):
    """A queue of ASGI messages that counts their bytes."""

    num_bytes = 0

    def put_nowait(self, message: dict) -> None:
        super().put_nowait(message)
        self.num_bytes += size(message)

    def get_nowait(self) -> dict:
        message = super().get_nowait()
        self.num_bytes -= size(message)
        return message


def size(message: dict) -> int:
    """Returns the size of the text or bytes in an ASGI message."""
    return len(message.get("bytes") or message.get("text") or b"")


def watched(base: type, register: Connections) -> type:
    """Returns one of uvicorn's protocols whose connections are registered and parse what they read in turns.

    One connection parses at a time, for some milliseconds, and between two of them the event loop does all other work.
    """

    class Watched(base):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.reads, self.parsed = deque(), 0  # that are not parsed yet, and the parsed bytes of the first
            self.is_stopped = False  # whether nothing is read until they are parsed
            self.poll_seconds = MIN_UNREAD_POLL_SECONDS
            self.own_parsing = TokenBucket(limits.OWN_PARSE_SECONDS_PER_SECOND, limits.OWN_PARSE_BURST_SECONDS)

        def connection_made(self, transport):
            self.own_transport = transport
            super().connection_made(transport)
            self.address_and_port = client_of(transport)
            register.made(transport, self)

        @property
        def unread_bytes(self) -> int:
            """The bytes of reads that are not parsed."""
            return sum(map(len, self.reads)) - self.parsed

        @property
        def has_unread(self) -> bool:
            """Whether the app has not read what is parsed; uvicorn has paused reading."""
            return read("requests that wait for the app", lambda: self.flow.read_paused, False)

        @property
        def must_wait(self) -> bool:
            """Whether the app must read first; otherwise the parser would keep all that follows a request."""
            return self.has_unread and not announces_size(last_request(self))

        @property
        def can_go_on(self) -> bool:
            """Whether the next slice may be parsed in the same turn."""
            return not self.must_wait

        @property
        def slice_size(self) -> int:
            """The bytes that are parsed next; the lines of heads and chunks are parsed one by one."""
            if announces_size(last_request(self)):
                return BODY_SLICE_BYTES
            return SLICE_BYTES if self.reads[0].count(b"\n", self.parsed) > MAX_WHOLE_READ_LINES else len(self.reads[0])

        def data_received(self, data):
            is_waiting = bool(self.reads)
            self.reads.append(data)
            if not is_waiting:
                self.take_turn()
            if self.reads:
                self.stop_reading()
            register.note_activity(self.own_transport)
            if len(data) >= LARGE_READ_BYTES and self.own_transport.is_reading():
                # uvloop would read up to 8 MB while bytes come, and serve no other connection meanwhile
                self.own_transport.pause_reading()
                asyncio.get_running_loop().call_soon(self.read_on)

        def read_on(self):
            if not self.own_transport.is_closing():
                self.own_transport.resume_reading()

        def take_turn(self):
            if self.is_stopped and self.must_wait and not self.own_transport.is_closing():
                asyncio.get_running_loop().call_later(self.poll_seconds, self.take_turn)
                self.poll_seconds = min(2 * self.poll_seconds, MAX_UNREAD_POLL_SECONDS)
            else:
                self.poll_seconds = MIN_UNREAD_POLL_SECONDS
                register.turns.call(self.address_and_port, self.parse_slices)

        def parse_slices(self):
            begin, seconds = time.thread_time(), 0.0
            while self.reads and seconds < TURN_SECONDS and not self.own_transport.is_closing() and self.can_go_on:
                self.parse_slice()
                seconds = time.thread_time() - begin
            register.turns.order.charge(self.address_and_port, seconds)
            delay = self.spend(seconds)
            if self.own_transport.is_closing():
                return
            if self.reads:
                self.stop_reading()
                asyncio.get_running_loop().call_later(delay, self.take_turn)
            elif self.is_stopped:
                self.resume_reading()

        def parse_slice(self):
            end = self.parsed + self.slice_size
            part = self.reads[0][self.parsed : end]
            if end < len(self.reads[0]):
                self.parsed = end
            else:
                self.reads.popleft()
                self.parsed = 0
            try:
                super().data_received(part)
            except Exception as error:  # asyncio would log a traceback, or leave the connection open
                log.warning("A connection was closed, since what it sent cannot be parsed: %r", error)
                register.hang_up(self.own_transport)
            if not register.has(self.own_transport, self):  # it is closed, or has become a websocket
                self.drop_reads()

        def spend(self, seconds: float) -> float:
            """Notes the processor time of parsing; returns for how many seconds the next slices wait."""
            if self.own_parsing.delay() <= 0:
                self.own_parsing.spend(seconds)
                return 0
            bucket = register.parsing.of(self.address_and_port[0])
            bucket.spend(seconds)
            return max(0, bucket.delay())

        def stop_reading(self):
            self.is_stopped = True
            self.own_transport.pause_reading()

        def resume_reading(self):
            self.is_stopped = False
            if not self.has_unread:  # otherwise uvicorn resumes once the app has read
                self.own_transport.resume_reading()

        def drop_reads(self):
            self.reads.clear()
            self.parsed = 0

        def connection_lost(self, exc):
            self.drop_reads()
            register.lost(self.own_transport)
            super().connection_lost(exc)

    return Watched


def watched_websocket(base: type, register: Connections) -> type:
    """Returns uvicorn's protocol for websockets with its connections registered and their memory bounded."""

    class WatchedWebSocket(watched(base, register)):
        is_websocket = can_go_on = True
        slice_size = SLICE_BYTES

        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.is_resumed_by_uvicorn = hasattr(self, "read_paused")
            if hasattr(self, "queue"):
                self.queue = CountingQueue()
            else:
                disable("messages that wait to be read", "no attribute queue")

        @property
        def unread_bytes(self) -> int:
            """The bytes of complete messages that the app has not read yet, and of reads that are not parsed."""
            return getattr(getattr(self, "queue", None), "num_bytes", 0) + super().unread_bytes

        @property
        def has_unread(self) -> bool:
            """Whether the app has not read all complete messages."""
            return hasattr(self, "queue") and not self.queue.empty()

        @property
        def must_wait(self) -> bool:
            return self.has_unread

        def parse_slice(self):
            super().parse_slice()
            # uvicorn neither answers nor closes a handshake that the parser refuses, and fails at it when it shuts down
            refused = read("refused handshakes", lambda: self.conn.handshake_exc, None)
            if refused and not self.own_transport.is_closing():
                register.hang_up(self.own_transport)

        def stop_reading(self):
            self.read_paused = False  # otherwise uvicorn resumes once the app has read
            super().stop_reading()

        def resume_reading(self):
            if self.has_unread and not self.is_resumed_by_uvicorn:
                self.take_turn()
            else:
                self.read_paused = self.has_unread
                super().resume_reading()

        def connection_lost(self, exc):
            super().connection_lost(exc)
            # otherwise both stay in memory until the next garbage collection
            read("memory of closed websockets", lambda: (self.frames.clear(), self.conn.reader.buffer.clear()), None)

        def handle_bytes(self, frame, *more):
            super().handle_bytes(frame, *more)
            # the message is in the queue by now; the parser of websockets keeps a reference to its last frame
            read("memory of open websockets", lambda: setattr(frame, "data", b""), None)

    if not hasattr(base, "handle_bytes"):
        disable("memory of open websockets", "no method handle_bytes")
    return WatchedWebSocket


def protocols(register: Connections) -> dict[str, Any]:
    """Returns uvicorn's settings `http` and `ws` with protocol classes that register the connections of a server.

    Each extends the class that uvicorn would choose; empty where that fails.
    """
    failed = None
    for name in WEBSOCKETS:
        try:
            found = uvicorn.Config(_no_app, ws=name, log_config=None)
            found.load()
            ws = watched_websocket(found.ws_protocol_class, register)
            return {"http": watched(found.http_protocol_class, register), "ws": ws}
        except Exception as error:  # a later release may raise anything
            failed = error
    disable("connections", failed)
    return {}


async def _no_app(scope: Any, receive: Any, send: Any) -> None:
    """A placeholder for the app, since uvicorn is only asked for its classes."""


def send_without_delay() -> None:
    """Sets TCP_NODELAY on all listening sockets of this process; connections inherit it.

    Streamlit creates its socket without naming TCP, and asyncio sets the option only where TCP is named. Without it,
    the body of an answer waits until the browser acknowledges the head, which takes up to 40 ms.
    """
    with suppress(OSError):  # Windows has no such folder
        for name in os.listdir("/dev/fd"):
            with suppress(OSError), socket.socket(fileno=os.dup(int(name))) as one:  # most files are not sockets
                is_tcp = one.family in (socket.AF_INET, socket.AF_INET6) and one.type == socket.SOCK_STREAM
                if is_tcp and one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def raise_open_files() -> int:
    """Raises the limit for open files of this process to MAX_OPEN_FILES where the system allows; returns the limit."""
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limit
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        target = limits.MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(limits.MAX_OPEN_FILES, hard)
        if 0 <= soft < target:
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
            return target
        return limits.MAX_OPEN_FILES if soft < 0 else soft
    return limits.MAX_OPEN_FILES
