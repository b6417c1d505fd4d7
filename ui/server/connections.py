"""Who is connected: no more than there are files for, nobody who says nothing, and no message without end.

These limits stand below the app, where uvicorn reads from connections: an app hears of a message when it is whole.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ui.server import limits
from ui.server.v1.problems import Problem
from ui.server.v1.turns import ROOM, Share

QUEUE = 2_048  # connections that the system keeps for us until they are made
LOOK = 1  # seconds between two looks at who is slow


@dataclass(eq=False)
class Connection:
    """One connection: who it is, and for how long it has been waited for."""

    transport: asyncio.Transport
    protocol: asyncio.Protocol
    address: str
    share: Share  # of what has not arrived whole, or is not read yet, and of answers that are not taken
    left: int = 0  # bytes that it had not taken at the last look
    partial: int = 0  # bytes that had come then of what is not whole
    request: object = None  # the last one, until then
    wait: tuple | None = None  # within how many seconds what must have happened
    since: float = 0  # when that wait began

    def hold(self) -> None:
        """Takes room for all that is kept for it; raises Problem where there is none."""
        self.share.hold(unfinished(self.protocol) + unread(self.protocol) + self.transport.get_write_buffer_size())

    def is_late(self, now: float) -> bool:
        """Whether what is waited for has not happened in time."""
        left, partial = self.transport.get_write_buffer_size(), unfinished(self.protocol)
        request = getattr(self.protocol, "cycle", None)
        wait = self._wait(left, partial, request)
        if wait != self.wait or request is not self.request or partial < self.partial:  # another message, that is
            self.since = now
        self.wait, self.request, self.left, self.partial = wait, request, left, partial
        return wait is not None and now - self.since > wait[0]

    def _wait(self, left: int, partial: int, request: object) -> tuple | None:
        if left and left >= self.left:
            return limits.TAKEN_WITHIN, "something of an answer is taken"
        if partial:
            return limits.MESSAGE_WITHIN, "a message is whole"
        if is_socket(self.protocol) or is_answered_later(request):
            return None
        return limits.HEAD_WITHIN, "something is asked"


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
        self.open[transport] = Connection(transport, protocol, address, Share(ROOM, address))
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
            one.share.hold(0)
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


def is_socket(protocol: asyncio.Protocol) -> bool:
    """Whether a connection has become a socket."""
    return hasattr(protocol, "handshake_complete")


def has_asked(protocol: asyncio.Protocol) -> bool:
    """Whether anything whole was ever said: a flood of those who connect is no reason to lose who uses the app."""
    return is_socket(protocol) or getattr(protocol, "cycle", None) is not None


def is_answered_later(request: object) -> bool:
    """Whether there is a request that the app works on; its body has a limit of its own."""
    return request is not None and not getattr(request, "response_complete", False)


def unfinished(protocol: asyncio.Protocol) -> int:
    """Returns how many bytes of a socket's message have come, while it is not whole."""
    if not is_socket(protocol):
        return 0
    with suppress(AttributeError):  # an uvicorn that has other names for them: better no limit than no socket
        if len(protocol.frames) > limits.MOST_PARTS:
            raise Problem("too-large", "A message has too many parts.")
        return len(protocol.conn.reader.buffer) + (protocol.conn.current_size or 0)
    return 0


def unread(protocol: asyncio.Protocol) -> int:
    """Returns how many bytes of a socket's messages are whole, and wait until the app reads them."""
    if not is_socket(protocol):
        return 0
    with suppress(AttributeError):
        return sum(len(one.get("bytes") or one.get("text") or b"") for one in protocol.queue._queue)
    return 0


def watched(base: type, connections: Connections) -> type:
    """Returns one of uvicorn's protocols whose connections are noted."""

    class Watched(base):
        def connection_made(self, transport):
            super().connection_made(transport)
            connections.made(transport, self)

        def data_received(self, data):
            super().data_received(data)
            connections.heard(self.transport)

        def connection_lost(self, exc):
            connections.lost(self.transport)
            super().connection_lost(exc)
            if is_socket(self):  # or it would last until the next collection of garbage
                self.frames.clear()
                self.conn.reader.buffer.clear()

        def handle_bytes(self, event):
            super().handle_bytes(event)
            event.data = b""  # it is handed on, and the parser keeps its last frame

        def handle_connect(self, event):
            if event.path.partition("?")[0] == limits.LIVE:
                self.conn.max_message_size = min(limits.MOST_MESSAGE, self.conn.max_message_size)
            super().handle_connect(event)

    return Watched


async def begin(config: Any, sockets: Sequence[Any], start: Callable[[], Awaitable[None]], most_message: int) -> None:
    """Starts a server of uvicorn's, by its configuration and with these limits.

    A message to a page has at most `most_message` bytes.
    """
    connections = Connections(raise_open_files() - limits.SPARE_FILES)
    config.http_protocol_class = watched(config.http_protocol_class, connections)
    config.ws_protocol_class = watched(config.ws_protocol_class, connections)
    config.ws_max_size, config.backlog = most_message, limits.MADE_AT_ONCE
    await start()
    for one in sockets:
        one.listen(QUEUE)  # as many as are made in one go are too few to keep
    config.watch = asyncio.create_task(keep_watch(connections))  # a task that nobody holds may be dropped


async def keep_watch(connections: Connections) -> None:
    """Looks at all connections, again and again."""
    while True:
        await asyncio.sleep(LOOK)
        connections.look(asyncio.get_running_loop().time())


def raise_open_files() -> int:
    """Lets this process hold as many connections as a class needs, where the system limits them; returns how many."""
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limit
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = limits.OPEN_FILES if hard == resource.RLIM_INFINITY else min(limits.OPEN_FILES, hard)
        if 0 <= soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
        return limits.OPEN_FILES if soft < 0 else soft
    return limits.OPEN_FILES
