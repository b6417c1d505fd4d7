"""Limits for connections: places for newcomers, timeouts for idle connections and partial messages."""

import asyncio
import importlib.util
import logging
import re
import socket
import struct
import sys
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from types import ModuleType, SimpleNamespace

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from websockets.protocol import Protocol

from server import limits
from server.limits import IDLE_TIMEOUT_SECONDS, MESSAGE_TIMEOUT_SECONDS, WRITE_TIMEOUT_SECONDS, connections, quota
from server.limits.connections import Connections
from server.limits.quota import BYTE_QUOTA
from ui import launcher


class Transport:
    """A transport without a peer."""

    def __init__(self, address):
        self.address, self.is_gone, self.left = address, False, 0

    def get_extra_info(self, name):
        return (self.address, 1)

    def get_write_buffer_size(self):
        return self.left

    def abort(self):
        self.is_gone = True


def test_send_without_delay_sets_nodelay_on_default_protocol_sockets():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        connections.send_without_delay()
        with socket.create_connection(listener.getsockname()), listener.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def connect(register, *addresses):
    found = [Transport(address) for address in addresses]
    for one in found:
        register.made(one, SimpleNamespace(cycle=None))
    return found


def test_full_register_closes_the_longest_idle_of_the_busiest_address():
    register = Connections(4)
    lone, first, second, third = connect(register, "a", "b", "b", "b")
    register.note_activity(first)
    connect(register, "c")
    assert [one.is_gone for one in (lone, first, second, third)] == [False, False, True, False]
    connect(register, "c", "d")
    assert not lone.is_gone and len(register.open) == 4 and register.by_address.total() == 4


def test_addresses_of_an_ipv6_network_count_as_one():
    register = Connections(2)
    first, _, alone = connect(register, "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")
    assert first.is_gone and not alone.is_gone and register.by_address.total() == len(register.by_address) == 2


def test_connections_without_a_request_are_closed_before_used_ones():
    register = Connections(3)
    used, quiet = connect(register, "a", "a")
    register.open[used].protocol.cycle = SimpleNamespace(response_complete=True)
    flood = connect(register, *"aaaaaaa")
    assert not used.is_gone and quiet.is_gone and [one.is_gone for one in flood] == [True] * 5 + [False] * 2
    for transport in register.open:
        register.open[transport].protocol.cycle = register.open[used].protocol.cycle
    (newcomer,) = connect(register, "a")
    assert used.is_gone and not newcomer.is_gone


def test_idle_connections_are_closed_but_waiting_ones_stay_open():
    register = Connections(9)
    idle, busy, slow = connect(register, "a", "a", "a")
    register.open[busy].protocol.cycle = SimpleNamespace(response_complete=False)
    register.open[slow].protocol.cycle = SimpleNamespace(response_complete=True)
    register.close_late(0)
    register.open[slow].protocol.cycle = SimpleNamespace(response_complete=True)  # a new request since then
    register.close_late(IDLE_TIMEOUT_SECONDS)
    assert not idle.is_gone
    register.close_late(IDLE_TIMEOUT_SECONDS + 1)
    assert [one.is_gone for one in (idle, busy, slow)] == [True, False, False]
    register.close_late(2 * IDLE_TIMEOUT_SECONDS + 1)
    assert [one.is_gone for one in (busy, slow)] == [False, True]


def socket_with(half):
    conn = SimpleNamespace(reader=SimpleNamespace(buffer=bytearray(half)), current_size=None)
    return SimpleNamespace(is_websocket=True, frames=[], conn=conn, unread_bytes=0)


def test_partial_messages_share_a_quota_and_time_out(monkeypatch):
    monkeypatch.setattr(quota, "MAX_BYTES_IN_FLIGHT_PER_ADDRESS", 10)
    monkeypatch.setattr(quota, "MAX_UNCOUNTED_BYTES", 0)
    register, (one, other, quiet) = Connections(9), (Transport("a"), Transport("a"), Transport("a"))
    for transport, half in ((one, 6), (other, 5), (quiet, 0)):
        register.made(transport, socket_with(half))
        register.note_activity(transport)
    assert (one.is_gone, other.is_gone, BYTE_QUOTA.reserved["a"]) == (False, True, 6)
    register.close_late(0)
    register.close_late(MESSAGE_TIMEOUT_SECONDS + 1)
    assert (one.is_gone, quiet.is_gone, BYTE_QUOTA.reserved) == (True, False, {})


def test_message_timeout_restarts_with_each_message():
    register, transport, found = Connections(9), Transport("a"), socket_with(5)
    register.made(transport, found)
    for now in range(0, 10 * MESSAGE_TIMEOUT_SECONDS, MESSAGE_TIMEOUT_SECONDS // 2):
        found.conn.reader.buffer = bytearray(5 + now % MESSAGE_TIMEOUT_SECONDS)
        register.close_late(now)
    assert not transport.is_gone
    register.lost(transport)


def test_unread_messages_and_unsent_answers_count_towards_the_quota(monkeypatch):
    monkeypatch.setattr(quota, "MAX_BYTES_IN_FLIGHT_PER_ADDRESS", 10)
    monkeypatch.setattr(quota, "MAX_UNCOUNTED_BYTES", 0)
    register, (one, other) = Connections(9), (Transport("a"), Transport("a"))
    for transport in (one, other):
        register.made(transport, socket_with(0))
    register.open[one].protocol.unread_bytes = 3
    other.left = 7
    register.close_late(0)
    assert BYTE_QUOTA.reserved["a"] == 10
    other.left = 8
    register.close_late(1)
    assert (one.is_gone, other.is_gone, BYTE_QUOTA.reserved["a"]) == (False, True, 3)
    register.lost(one)
    assert not BYTE_QUOTA.reserved


def test_stalled_readers_are_closed_but_slow_readers_stay_open():
    register, (stalled, slow) = Connections(9), (Transport("a"), Transport("a"))
    for transport in (stalled, slow):
        register.made(transport, SimpleNamespace(cycle=SimpleNamespace(response_complete=False)))
        transport.left = 1_000
    for now in range(WRITE_TIMEOUT_SECONDS + 1):
        register.close_late(now)
        assert not stalled.is_gone
        slow.left -= 1
    stalled.left += 6  # a ping
    register.close_late(WRITE_TIMEOUT_SECONDS + 1)
    assert (stalled.is_gone, slow.is_gone) == (True, False)
    register.lost(slow)


def test_messages_with_too_many_frames_close_the_connection(monkeypatch):
    monkeypatch.setattr(limits, "MAX_MESSAGE_FRAMES", 2)
    register, (transport,) = Connections(9), (Transport("a"),)
    register.made(transport, found := socket_with(0))
    register.note_activity(transport)
    found.frames += [b"", b"", b""]
    register.note_activity(transport)
    assert transport.is_gone


# ---- a server ----


async def health(request):
    return PlainTextResponse("ok")


async def echo_size(websocket):
    await websocket.accept()
    async for message in websocket.iter_bytes():
        await websocket.send_text(str(len(message)))


async def size(request):
    return PlainTextResponse(str(len(await request.body())))


async def book(request):
    return PlainTextResponse(bytes(LARGE_BODY_BYTES))


LARGE_BODY_BYTES = 20_000_000  # more than the buffers of the operating system
MAX_MESSAGE = 100_000
OPTIONS = {"server.maxWidgetStateSize": MAX_MESSAGE / limits.MB}
ROUTES = [Route("/", health), Route("/book", book), Route("/size", size, methods=["POST"])]
ROUTES += [WebSocketRoute("/page", echo_size)]


async def serve_and(work):
    """Runs `work(port, callback_notify)` beside a server that the launcher configured."""
    sockets = launcher.listen("127.0.0.1", 0)
    config = launcher.configure(Starlette(routes=ROUTES), sockets, OPTIONS)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets))
    async with asyncio.timeout(10):
        while not server.started:
            await asyncio.wait([serving], timeout=0.01)
            assert not serving.done(), serving.exception()
    try:
        return await work(sockets[0].getsockname()[1], getattr(config, "callback_notify", None))
    finally:
        server.should_exit = True
        await serving


UPGRADE = (
    f"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {'A' * 22}==\r\n\r\n"
)


async def opened(port, path):
    """Returns reader and writer of a socket after its handshake."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n{UPGRADE}".encode())
    assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
    return reader, writer


def head(size):
    return b"\x82\xff" + struct.pack("!Q", size) + bytes(4)


def test_messages_above_the_largest_size_close_the_socket():
    async def work(port, look):
        reader, writer = await opened(port, "/page")
        writer.write(head(MAX_MESSAGE) + bytes(MAX_MESSAGE))
        assert (await reader.readexactly(2 + len(str(MAX_MESSAGE))))[2:] == str(MAX_MESSAGE).encode()
        writer.write(head(MAX_MESSAGE + 1))
        (_, size), code = await reader.readexactly(2), await reader.readexactly(2)
        assert size >= 2 and int.from_bytes(code) == 1009  # too large
        assert not BYTE_QUOTA.reserved

    asyncio.run(serve_and(work))


NUM_PINGS = 5_000
PING, PONG = b"\x89\x81" + bytes(4) + b"a", b"\x8a\x01a"
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@contextmanager
def connected(port):
    """A connection that never blocks the event loop, which the server shares."""
    with socket.create_connection(("127.0.0.1", port)) as one:
        one.setblocking(False)
        yield one


async def open_page(port, stack):
    """Returns a bare connection that has become a websocket."""
    one, loop = stack.enter_context(connected(port)), asyncio.get_running_loop()
    await loop.sock_sendall(one, f"GET /page HTTP/1.1\r\nHost: x\r\n{UPGRADE}".encode())
    assert b" 101 " in await loop.sock_recv(one, 10_000)
    return one


def available(one, most):
    """Returns what has come on a connection."""
    with suppress(BlockingIOError):
        return one.recv(most)
    return b""


def test_others_are_answered_before_a_flood_of_small_frames_is_read():
    async def work(port, look):
        answers, writer = await asyncio.open_connection("127.0.0.1", port)
        loop = asyncio.get_running_loop()
        with ExitStack() as stack:
            flooding = await open_page(port, stack)
            await loop.sock_sendall(flooding, PING * NUM_PINGS)
            writer.write(GET)
            await answers.readuntil(b"ok")
            pongs = available(flooding, len(PONG) * NUM_PINGS)
            assert len(pongs) < len(PONG) * NUM_PINGS // 2
            while len(pongs) < len(PONG) * NUM_PINGS:
                pongs += await loop.sock_recv(flooding, 100_000)
        assert pongs == PONG * NUM_PINGS
        writer.close()

    asyncio.run(serve_and(work))


NUM_SOCKETS = 60


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8")
def test_another_address_is_answered_before_many_sockets_that_send_little_at_a_time():
    async def work(port, look):
        answers, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0))
        with ExitStack() as stack:
            flooding = [await open_page(port, stack) for _ in range(NUM_SOCKETS)]
            for one in flooding:
                one.sendall(PING * 100)
            writer.write(GET)
            await answers.readuntil(b"ok")
            answered = [one for one in flooding if available(one, 1)]
            for one in {*flooding} - {*answered}:
                await asyncio.get_running_loop().sock_recv(one, 1)
            assert len(answered) < NUM_SOCKETS // 2
        writer.close()

    asyncio.run(serve_and(work))


CHUNKED = b"POST /size HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
NUM_CHUNKS = 20_000


@pytest.mark.slow
def test_event_loop_is_free_while_a_body_in_tiny_chunks_is_parsed():
    async def work(port, look):
        steps = []  # processor time of each round of the event loop

        async def watch():
            while True:
                begin = time.thread_time()
                await asyncio.sleep(0)
                steps.append(time.thread_time() - begin)

        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        watching = asyncio.create_task(watch())
        writer.write(CHUNKED + b"1\r\na\r\n" * NUM_CHUNKS + b"0\r\n\r\n")
        await reader.readuntil(b"%d" % NUM_CHUNKS)
        watching.cancel()
        writer.close()
        return max(steps), sum(steps)

    longest, total = asyncio.run(serve_and(work))
    assert longest < total / 8


TEXT = b"a line\n" * 50_000
BOTH_FRAMINGS = CHUNKED.replace(b"Transfer", b"Content-Length: 9\r\nTransfer")


@pytest.mark.parametrize(
    ("body", "size"),
    [
        (b"POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(TEXT) + TEXT, len(TEXT)),
        (CHUNKED + (b"%x\r\n" % len(TEXT) + TEXT + b"\r\n") * 3 + b"0\r\n\r\n", 3 * len(TEXT)),
        (BOTH_FRAMINGS + b"1\r\na\r\n" * 90_000 + b"0\r\n\r\n", 90_000),
        (b"", 0),
    ],
    ids=["a body", "large chunks", "small chunks", "none"],
)
def test_requests_of_many_lines_are_answered_whole_and_in_order(body, size):
    async def work(port, look):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(body + GET * 100)
        for answer in [b"%d" % size] * bool(body) + [b"ok"] * 100:
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
            assert await reader.readexactly(len(answer)) == answer
        writer.close()

    asyncio.run(serve_and(work))


def test_handshake_that_the_parser_refuses_closes_the_connection(caplog):
    async def work(port, look):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        many = "a: b\r\n" * 1_000  # more than the parser of websockets takes
        writer.write(f"GET /page HTTP/1.1\r\nHost: x\r\n{many}{UPGRADE}".encode())
        async with asyncio.timeout(10):
            with suppress(ConnectionError):
                assert await reader.read() == b""
        writer.close()

    asyncio.run(serve_and(work))
    assert not [one for one in caplog.records if one.exc_info], caplog.text


@pytest.mark.parametrize("num_parsed", [0, 1, 60])
def test_error_in_the_parser_closes_the_connection_with_one_line_in_the_log(num_parsed, monkeypatch, caplog):
    left, receive = [], Protocol.receive_data

    def fail_later(self, data):
        if left and not left.pop():
            raise AttributeError("a name of a later release")
        receive(self, data)

    monkeypatch.setattr(Protocol, "receive_data", fail_later)

    async def work(port, look):
        reader, writer = await opened(port, "/page")
        left.extend([False, *[True] * num_parsed])
        writer.write(PING * 10_000)
        async with asyncio.timeout(10):
            with suppress(ConnectionError):
                while await reader.read(10_000):
                    pass
        writer.close()

    asyncio.run(serve_and(work))
    assert [one.exc_info for one in caplog.records if one.levelno >= logging.WARNING] == [None], caplog.text


@pytest.mark.parametrize("sizes", [[1] * 3_000, [1, 5_000, 1, 1_000, 70_000] * 9, [0, 1_024, 1_023, 1_017] * 20])
def test_messages_of_one_read_arrive_whole_and_in_order(sizes):
    async def work(port, look):
        reader, writer = await opened(port, "/page")
        writer.write(b"".join(head(size) + bytes(size) for size in sizes))
        for size in sizes:
            assert await reader.readexactly(2 + len(str(size))) == bytes([0x81, len(str(size))]) + str(size).encode()
        writer.close()

    asyncio.run(serve_and(work))


async def until(holds):
    for _ in range(500):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(BYTE_QUOTA.reserved)


@pytest.mark.slow
def test_bytes_of_partial_messages_and_unsent_answers_are_counted(monkeypatch):
    monkeypatch.setattr(quota, "MAX_UNCOUNTED_BYTES", 0)

    async def work(port, look):
        _, writer = await opened(port, "/page")
        writer.write(head(1_000) + bytes(600))
        await until(lambda: BYTE_QUOTA.reserved["127.0.0.1"] == 600)
        writer.write(bytes(400))
        await until(lambda: not BYTE_QUOTA.reserved)
        stalled = socket.create_connection(("127.0.0.1", port))
        stalled.sendall(b"GET /book HTTP/1.1\r\nHost: x\r\n\r\n")
        await until(lambda: BYTE_QUOTA.reserved["127.0.0.1"] > LARGE_BODY_BYTES // 2)
        for one in (writer, stalled):
            one.close()
        await until(lambda: not BYTE_QUOTA.reserved)

    asyncio.run(serve_and(work))


def test_bytes_of_unread_messages_are_counted(monkeypatch):
    monkeypatch.setattr(quota, "MAX_UNCOUNTED_BYTES", 0)
    go_on = asyncio.Event()

    async def busy(websocket):
        await websocket.accept()
        await go_on.wait()
        await websocket.receive_bytes()
        await websocket.send_text("read")

    monkeypatch.setattr(sys.modules[__name__], "ROUTES", [WebSocketRoute("/page", busy)])

    async def work(port, look):
        reader, writer = await opened(port, "/page")
        writer.write(head(1_000) + bytes(1_000))
        try:
            await until(lambda: BYTE_QUOTA.reserved["127.0.0.1"] == 1_000)
        finally:
            go_on.set()  # or else the server does not stop
        assert (await reader.readexactly(6))[2:] == b"read"
        await look()
        assert not BYTE_QUOTA.reserved

    asyncio.run(serve_and(work))


def test_accepted_connections_have_nodelay(monkeypatch):
    """Without TCP_NODELAY, the body of an answer waits until its head is acknowledged."""
    delays, made = [], Connections.made

    def spy(self, transport, protocol):
        found = transport.get_extra_info("socket")
        delays.append(found.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        made(self, transport, protocol)

    monkeypatch.setattr(Connections, "made", spy)

    async def work(port, look):
        with closing(socket.create_connection(("127.0.0.1", port))):
            await until(lambda: delays)

    asyncio.run(serve_and(work))
    assert all(delays)


@pytest.mark.slow
def test_newcomers_are_answered_while_others_hold_all_connections(monkeypatch):
    monkeypatch.setattr(connections, "raise_open_files", lambda: limits.RESERVED_OPEN_FILES + 5)

    async def work(port, look):
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(20)]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
        ended = await asyncio.gather(*(asyncio.wait_for(one.read(1), 0.2) for one, _ in idle), return_exceptions=True)
        assert len([one for one in ended if not isinstance(one, TimeoutError)]) == 16
        for _, one in [*idle, (reader, writer)]:
            one.close()

    asyncio.run(serve_and(work))


# ---- later releases of uvicorn and websockets ----

MODULES = (  # in import order
    "websockets.streams",
    "websockets.protocol",
    "websockets.server",
    "uvicorn.protocols.http.h11_impl",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
    "uvicorn.protocols.websockets.auto",
    "uvicorn.config",
    "uvicorn.server",
)


@pytest.fixture
def rename(monkeypatch):
    """Returns a function that renames an attribute of uvicorn or websockets, as a later release may."""

    def renamed(name: str) -> None:
        for module in MODULES:
            spec = importlib.util.find_spec(module)
            source = re.sub(rf"\b{name}\b(?! import)", f"{name}_of_later", spec.loader.get_source(module))
            new = ModuleType(module)
            new.__package__, new.__file__ = spec.parent, spec.origin
            monkeypatch.setitem(sys.modules, module, new)
            exec(compile(source, spec.origin, "exec"), new.__dict__)
        monkeypatch.setattr(uvicorn, "Config", sys.modules["uvicorn.config"].Config)
        monkeypatch.setattr(uvicorn, "Server", sys.modules["uvicorn.server"].Server)

    monkeypatch.setattr(connections, "disabled", set())
    return renamed


NAMES = {
    "": [],
    "cycle": ["idle connections", "bodies in chunks"],
    "flow": ["requests that wait for the app"],
    "response_complete": ["idle connections"],
    "frames": ["parts of a message", "memory of closed websockets"],
    "conn": ["half-sent messages", "refused handshakes", "memory of closed websockets"],
    "reader": ["half-sent messages", "memory of closed websockets"],
    "buffer": ["half-sent messages", "memory of closed websockets"],
    "current_size": ["half-sent messages"],
    "queue": ["messages that wait to be read"],
    "handle_bytes": ["memory of open websockets"],
    "handshake_complete": [],
    "transport": [],
    "read_paused": [],
    "http_protocol_class": ["connections"],
    "ws_protocol_class": ["connections"],
    "websockets-sansio": [],
    "callback_notify": ["uvicorn has no setting callback_notify"],
    "ws_max_size": ["uvicorn has no setting ws_max_size"],
}


@pytest.mark.parametrize("name", NAMES)
def test_renamed_attributes_disable_limits_with_one_warning_each(name, rename, caplog):
    rename(name or "nothing is renamed")

    async def work(port, look):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200 ")
        page, typing = await opened(port, "/page")
        for _ in range(2):
            typing.write(head(70_000) + bytes(70_000))
            assert (await page.readexactly(7))[2:] == b"70000"
            if look:
                await look()
        for one in (writer, typing):
            one.close()
            await one.wait_closed()

    with caplog.at_level(logging.WARNING, connections.__name__):
        asyncio.run(serve_and(work))
    lines = [re.sub(r"uvicorn [\d.]+ has", "uvicorn has", record.getMessage()) for record in caplog.records]
    assert [next((limit for limit in NAMES[name] if limit in line), line) for line in lines] == NAMES[name]


@pytest.mark.parametrize(("name", "is_ended"), [("", True), ("cycle", False), ("response_complete", False)])
def test_idle_connections_are_closed_only_where_requests_can_be_detected(name, is_ended, rename, monkeypatch):
    rename(name or "nothing is renamed")
    monkeypatch.setattr(limits, "IDLE_TIMEOUT_SECONDS", -1)

    async def work(port, look):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readuntil(b"ok")
        await look()
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        try:
            return not await reader.read(1)
        except ConnectionError:
            return True
        finally:
            writer.close()

    assert asyncio.run(serve_and(work)) is is_ended
