"""Who is connected: no more than there are files for, nobody who says nothing, and no message without end.

These limits stand below the app, where uvicorn reads from connections: an app hears of a message when it is whole.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ui.server.limits import (
    HEAD_WITHIN,
    LIVE,
    MADE_AT_ONCE,
    MESSAGE_WITHIN,
    MOST_MESSAGE,
    MOST_PARTS,
    OPEN_FILES,
    SPARE_FILES,
)
from ui.server.v1.problems import Problem
from ui.server.v1.turns import ROOM, Share

QUEUE = 2_048  # connections that the system keeps for us until they are made
LOOK = 1  # seconds between two looks at who is slow


@dataclass(eq=False)
class Connection:
    """One connection: who it is, and for how long it has said nothing that is whole."""

    protocol: asyncio.Protocol
    address: str
    share: Share  # of what has not arrived whole
    request: object = None  # the one that was answered last
    since: float | None = None  # when it began to be waited for


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
        self.open[transport] = Connection(protocol, address, Share(ROOM, address))
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
        """Notes that somebody spoke, and how much of it is not whole yet; hangs up where that is too much."""
        if not (one := self.open.get(transport)):
            return
        self.open.move_to_end(transport)
        try:
            one.share.hold(unfinished(one.protocol))
        except Problem:
            self.hang_up(transport)

    def lost(self, transport: asyncio.Transport) -> None:
        """Forgets a connection."""
        if one := self.open.pop(transport, None):
            one.share.hold(0)
            self.by_address[one.address] -= 1
            self.by_address += Counter()  # those at 0 go

    def hang_up(self, transport: asyncio.Transport) -> None:
        """Ends a connection at once."""
        self.lost(transport)
        transport.abort()

    def look(self, now: float) -> None:
        """Hangs up on those who take too long."""
        for transport, one in list(self.open.items()):
            request = getattr(one.protocol, "cycle", None)
            within = MESSAGE_WITHIN if one.share.size else HEAD_WITHIN
            if not one.share.size and (is_socket(one.protocol) or is_answered_later(request)):
                one.since = None
            elif one.since is None or request is not one.request:
                one.since = now
            elif now - one.since > within:
                self.hang_up(transport)
            one.request = request


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
    if len(protocol.frames) > MOST_PARTS:
        raise Problem("too-large", "A message has too many parts.")
    return len(protocol.conn.reader.buffer) + (protocol.conn.current_size or 0)


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

        def handle_connect(self, event):
            if event.path.partition("?")[0] == LIVE:
                self.conn.max_message_size = min(MOST_MESSAGE, self.conn.max_message_size)
            super().handle_connect(event)

    return Watched


async def begin(config: Any, sockets: Sequence[Any], start: Callable[[], Awaitable[None]], most_message: int) -> None:
    """Starts a server of uvicorn's, by its configuration and with these limits.

    A message to a page has at most `most_message` bytes.
    """
    connections = Connections(raise_open_files() - SPARE_FILES)
    config.http_protocol_class = watched(config.http_protocol_class, connections)
    config.ws_protocol_class = watched(config.ws_protocol_class, connections)
    config.ws_max_size, config.backlog = most_message, MADE_AT_ONCE
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
        wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
        if 0 <= soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
        return OPEN_FILES if soft < 0 else soft
    return OPEN_FILES
