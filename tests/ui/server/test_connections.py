"""Who is connected: room for newcomers, an end for those who say nothing, and for messages without one."""

import asyncio
import socket
import struct
from types import SimpleNamespace

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute

from ui.server import connections, limits
from ui.server.connections import Connections
from ui.server.limits import HEAD_WITHIN, LIVE, MESSAGE_WITHIN, MOST_MESSAGE, TAKEN_WITHIN
from ui.server.v1 import turns
from ui.server.v1.turns import ROOM


class Transport:
    """A connection that nobody is at the other end of."""

    def __init__(self, address):
        self.address, self.is_gone, self.left = address, False, 0

    def get_extra_info(self, name):
        return (self.address, 1)

    def get_write_buffer_size(self):
        return self.left

    def abort(self):
        self.is_gone = True


def come(register, *addresses):
    found = [Transport(address) for address in addresses]
    for one in found:
        register.made(one, SimpleNamespace(cycle=None))
    return found


def test_where_it_is_full_whoever_has_most_loses_the_one_that_was_silent_longest():
    register = Connections(4)
    lone, first, second, third = come(register, "a", "b", "b", "b")
    register.heard(first)
    come(register, "c")
    assert [one.is_gone for one in (lone, first, second, third)] == [False, False, True, False]
    come(register, "c", "d")
    assert not lone.is_gone and len(register.open) == 4 and register.by_address.total() == 4


def test_a_flood_of_those_who_say_nothing_ends_nobody_who_has_asked():
    register = Connections(3)
    asked, quiet = come(register, "a", "a")
    register.open[asked].protocol.cycle = SimpleNamespace(response_complete=True)
    flood = come(register, *"aaaaaaa")
    assert not asked.is_gone and quiet.is_gone and [one.is_gone for one in flood] == [True] * 5 + [False] * 2
    for transport in register.open:
        register.open[transport].protocol.cycle = register.open[asked].protocol.cycle
    (newcomer,) = come(register, "a")
    assert asked.is_gone and not newcomer.is_gone


def test_who_asks_for_nothing_is_hung_up_on_and_who_waits_for_an_answer_is_not():
    register = Connections(9)
    idle, busy, slow = come(register, "a", "a", "a")
    register.open[busy].protocol.cycle = SimpleNamespace(response_complete=False)
    register.open[slow].protocol.cycle = SimpleNamespace(response_complete=True)
    register.look(0)
    register.open[slow].protocol.cycle = SimpleNamespace(response_complete=True)  # it has asked meanwhile
    register.look(HEAD_WITHIN)
    assert not idle.is_gone
    register.look(HEAD_WITHIN + 1)
    assert [one.is_gone for one in (idle, busy, slow)] == [True, False, False]
    register.look(2 * HEAD_WITHIN + 1)
    assert [one.is_gone for one in (busy, slow)] == [False, True]


def socket_with(half):
    conn = SimpleNamespace(reader=SimpleNamespace(buffer=bytearray(half)), current_size=None)
    return SimpleNamespace(handshake_complete=True, frames=[], conn=conn, queue=SimpleNamespace(_queue=[]))


def test_messages_that_are_not_whole_are_bounded_together_and_have_their_time(monkeypatch):
    monkeypatch.setattr(turns, "MOST_HELD_EACH", 10)
    monkeypatch.setattr(turns, "SMALL", 0)
    register, (one, other, quiet) = Connections(9), (Transport("a"), Transport("a"), Transport("a"))
    for transport, half in ((one, 6), (other, 5), (quiet, 0)):
        register.made(transport, socket_with(half))
        register.heard(transport)
    assert (one.is_gone, other.is_gone, ROOM.held["a"]) == (False, True, 6)
    register.look(0)
    register.look(MESSAGE_WITHIN + 1)
    assert (one.is_gone, quiet.is_gone, ROOM.held) == (True, False, {})


def test_a_slow_sender_of_many_messages_has_the_time_of_each():
    register, transport, found = Connections(9), Transport("a"), socket_with(5)
    register.made(transport, found)
    for now in range(0, 10 * MESSAGE_WITHIN, MESSAGE_WITHIN // 2):
        found.conn.reader.buffer = bytearray(5 + now % MESSAGE_WITHIN)
        register.look(now)
    assert not transport.is_gone
    register.lost(transport)


def test_messages_that_the_app_does_not_read_and_answers_that_nobody_takes_are_bounded_too(monkeypatch):
    monkeypatch.setattr(turns, "MOST_HELD_EACH", 10)
    monkeypatch.setattr(turns, "SMALL", 0)
    register, (one, other) = Connections(9), (Transport("a"), Transport("a"))
    for transport in (one, other):
        register.made(transport, socket_with(0))
    register.open[one].protocol.queue._queue.append({"type": "websocket.receive", "bytes": b"123", "text": None})
    other.left = 7
    register.look(0)
    assert ROOM.held["a"] == 10
    other.left = 8
    register.look(1)
    assert (one.is_gone, other.is_gone, ROOM.held["a"]) == (False, True, 3)
    register.lost(one)
    assert not ROOM.held


def test_who_takes_nothing_of_an_answer_is_hung_up_on_and_who_takes_it_slowly_is_not():
    register, (deaf, slow) = Connections(9), (Transport("a"), Transport("a"))
    for transport in (deaf, slow):
        register.made(transport, SimpleNamespace(cycle=SimpleNamespace(response_complete=False)))
        transport.left = 1_000
    for now in range(TAKEN_WITHIN + 1):
        register.look(now)
        assert not deaf.is_gone
        slow.left -= 1
    deaf.left += 6  # a ping
    register.look(TAKEN_WITHIN + 1)
    assert (deaf.is_gone, slow.is_gone) == (True, False)
    register.lost(slow)


def test_a_message_in_too_many_parts_is_none(monkeypatch):
    monkeypatch.setattr(limits, "MOST_PARTS", 2)
    register, (transport,) = Connections(9), (Transport("a"),)
    register.made(transport, found := socket_with(0))
    register.heard(transport)
    found.frames += [b"", b"", b""]
    register.heard(transport)
    assert transport.is_gone


# ---- a server ----


async def health(request):
    return PlainTextResponse("ok")


async def hears(websocket):
    await websocket.accept()
    async for message in websocket.iter_bytes():
        await websocket.send_text(str(len(message)))


async def book(request):
    return PlainTextResponse(bytes(BOOK))


BOOK = 20_000_000  # bytes, more than the system itself keeps of an answer
ROUTES = [Route("/", health), Route("/book", book), WebSocketRoute(LIVE, hears), WebSocketRoute("/page", hears)]


async def served(port_of, work):
    """Does some work beside a server that begins with our limits."""
    config = uvicorn.Config(Starlette(routes=ROUTES), log_level="error", ws="websockets-sansio", lifespan="off")
    server, start = uvicorn.Server(config), uvicorn.Server.startup
    listening = socket.create_server(("127.0.0.1", 0))

    async def startup(sockets=None):
        await connections.begin(config, sockets, lambda: start(server, sockets), 2 * MOST_MESSAGE)

    server.startup = startup
    serving = asyncio.create_task(server.serve([listening]))
    while not server.started:
        await asyncio.wait([serving], timeout=0.01)
        assert not serving.done(), serving.exception()
    try:
        return await work(listening.getsockname()[1])
    finally:
        server.should_exit = True
        await serving


async def opened(port, path):
    """A socket, after its handshake."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n{upgrade}{'A' * 22}==\r\n\r\n".encode())
    assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
    return reader, writer


def head(size):
    return b"\x82\xff" + struct.pack("!Q", size) + bytes(4)


@pytest.mark.parametrize(("path", "most"), [(LIVE, MOST_MESSAGE), ("/page", 2 * MOST_MESSAGE)])
def test_a_socket_takes_messages_up_to_its_size_and_closes_at_the_head_of_a_larger_one(path, most):
    async def work(port):
        reader, writer = await opened(port, path)
        writer.write(head(most) + bytes(most))
        assert (await reader.readexactly(2 + len(str(most))))[2:] == str(most).encode()
        writer.write(head(most + 1))
        (_, size), code = await reader.readexactly(2), await reader.readexactly(2)
        assert size >= 2 and int.from_bytes(code) == 1009  # too large
        assert not ROOM.held

    asyncio.run(served(0, work))


async def until(holds):
    for _ in range(500):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(ROOM.held)


def test_what_has_come_of_a_message_and_what_nobody_takes_of_an_answer_are_held(monkeypatch):
    monkeypatch.setattr(connections, "LOOK", 0.01)
    monkeypatch.setattr(turns, "SMALL", 0)

    async def work(port):
        _, writer = await opened(port, LIVE)
        writer.write(head(1_000) + bytes(600))
        await until(lambda: ROOM.held["127.0.0.1"] == 600)
        writer.write(bytes(400))
        await until(lambda: not ROOM.held)
        deaf = socket.create_connection(("127.0.0.1", port))
        deaf.sendall(b"GET /book HTTP/1.1\r\nHost: x\r\n\r\n")
        await until(lambda: ROOM.held["127.0.0.1"] > BOOK // 2)
        for one in (writer, deaf):
            one.close()
        await until(lambda: not ROOM.held)

    asyncio.run(served(0, work))


def test_an_uvicorn_that_has_other_names_keeps_its_sockets():
    register, (transport,) = Connections(9), (Transport("a"),)
    register.made(transport, SimpleNamespace(handshake_complete=True))
    register.heard(transport)
    register.look(0)
    assert not transport.is_gone


def test_newcomers_are_answered_while_others_hold_all_connections(monkeypatch):
    monkeypatch.setattr(connections, "raise_open_files", lambda: limits.SPARE_FILES + 5)

    async def work(port):
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
        ended = await asyncio.gather(*(asyncio.wait_for(one.read(1), 0.2) for one, _ in idle), return_exceptions=True)
        assert len([one for one in ended if not isinstance(one, TimeoutError)]) == 16
        for _, one in [*idle, (reader, writer)]:
            one.close()

    asyncio.run(served(0, work))
