"""The middleware before the app: body timeouts, quotas, rates of sockets, and closed paths."""

import asyncio
import json
import struct

import pytest
from asgi import Sent, body_part, frame, receives, repeats, request, socket
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_websocket import create_websocket_handler

from server import limits
from server.limits import (
    ASSUMED_FILE_BYTES,
    EDITOR_SOCKET_PATH,
    MAX_FILE_BYTES,
    MAX_FILE_BYTES_PER_ADDRESS,
    MAX_FILE_BYTES_PER_SESSION,
    MIN_CHECKED_MESSAGE_BYTES,
    middleware,
    quota,
)
from server.limits.fair_queue import LoopTurns
from server.limits.middleware import RateLimitMiddleware, reject_complex, reserve_messages
from server.limits.quota import BYTE_QUOTA, ByteQuota, Reservation
from server.problems import Problem
from server.routes import routes

UPLOAD = "/_stcore/upload_file/one/file"


async def answer_size(request):
    return PlainTextResponse(str(len(await request.body())))


def app(open_file_sizes=dict, endpoint=answer_size):
    return Starlette(
        routes=[Route("/{rest:path}", endpoint, methods=["GET", "POST", "PUT"])],
        middleware=[Middleware(RateLimitMiddleware, open_file_sizes=open_file_sizes)],
    )


def client(**given):
    return TestClient(app(**given), base_url="http://localhost")


@pytest.mark.parametrize("route", ["_stcore/metrics", "_stcore/agent/interact", "_stcore/agent/mcp", "oauth2callback"])
def test_streamlit_routes_that_are_not_for_visitors_are_closed(route):
    for path in (f"/{route}", f"/{route}/", f"/below/{route}", f"/{route[:-1]}%{ord(route[-1]):x}"):
        assert client().get(path).status_code == client().post(path).status_code == 404, path
    assert client().get("/_stcore/health").status_code == 200


def test_stalled_bodies_time_out_for_every_handler(monkeypatch):
    monkeypatch.setattr(limits, "BODY_TIMEOUT_SECONDS", 0.01)
    sent = Sent()
    asyncio.run(app()(request(), receives(body_part(b"half", more=True)), sent))
    assert sent[0]["status"] == 408 and not BYTE_QUOTA.reserved


@pytest.mark.parametrize("header, num_read", [("close", 3), ("Close", 3), ("keep-alive", 0)])
def test_refused_body_is_read_before_the_connection_is_closed(header, num_read):
    async def refuse(request):
        return PlainTextResponse("too large", 413)

    scope = request(headers=[(b"host", b"localhost"), (b"connection", header.encode())])
    parts, sent, left = [body_part(b"a", more=True), body_part(b"b", more=True), body_part(b"c")], Sent(), []

    async def receive():
        return parts.pop(0)

    async def send(message):
        left.append(len(parts))
        await sent(message)

    asyncio.run(app(endpoint=refuse)(scope, receive, send))
    assert sent[0]["status"] == 413 and left[-1] == 3 - num_read and not BYTE_QUOTA.reserved


def test_refused_body_is_not_awaited_where_it_announces_too_much():
    headers = [(b"host", b"localhost"), (b"connection", b"close"), (b"content-length", b"64000001")]

    async def refuse(request):
        return PlainTextResponse("too large", 413)

    sent = Sent()
    asyncio.run(asyncio.wait_for(app(endpoint=refuse)(request(headers=headers), asyncio.Event().wait, sent), 5))
    assert sent.body == b"too large"


def test_refused_body_that_is_read_takes_nothing_of_the_quota():
    async def refuse(request):
        return PlainTextResponse("too large", 413)

    scope = request(headers=[(b"host", b"localhost"), (b"connection", b"close")])
    parts, sent, reserved = [body_part(bytes(1_000_000), more=i < 9) for i in range(10)], Sent(), []

    async def receive():
        reserved.append(BYTE_QUOTA.reserved.total())
        return parts.pop(0)

    asyncio.run(app(endpoint=refuse)(scope, receive, sent))
    assert sent[0]["status"] == 413 and not any(reserved)


def answered(answer, path="/"):
    """Returns each sent message of an answer with the bytes reserved at that moment."""
    sent = []

    async def send(message):
        sent.append((message, BYTE_QUOTA.reserved["a"]))

    async def give(request):
        return answer

    asyncio.run(app(endpoint=give)(request(path, "GET"), receives(body_part(b"")), send))
    return sent


def body_of(sent):
    return b"".join(message.get("body", b"") for message, _ in sent)


@pytest.mark.parametrize(
    "size", [0, 1, limits.RESPONSE_CHUNK_BYTES, limits.RESPONSE_CHUNK_BYTES + 1, 3 * limits.RESPONSE_CHUNK_BYTES + 7]
)
def test_large_answers_are_sent_in_chunks_and_reserved_meanwhile(size):
    text = "".join(map(chr, range(97, 123))) * (size // 26 + 1)
    sent = answered(PlainTextResponse(text[:size]))
    assert (
        body_of(sent) == text[:size].encode()
        and max(len(one.get("body", b"")) for one, _ in sent) <= limits.RESPONSE_CHUNK_BYTES
    )
    assert [message["type"].rpartition(".")[2] for message, _ in sent[:2]] == ["start", "body"]
    assert [message.get("more_body", False) for message, _ in sent[1:]] == [True] * (len(sent) - 2) + [False]
    assert {held for _, held in sent} == {size if size > limits.RESPONSE_CHUNK_BYTES else 0} and not BYTE_QUOTA.reserved


def test_streamed_answers_are_forwarded_chunk_by_chunk():
    async def parts():
        yield b"a"
        yield bytes(limits.RESPONSE_CHUNK_BYTES + 1)

    sent = answered(StreamingResponse(parts()))
    assert [(len(one["body"]), one["more_body"]) for one, _ in sent[1:]] == [
        (1, True),
        (limits.RESPONSE_CHUNK_BYTES, True),
        (1, True),
        (0, False),
    ]


def test_answers_above_the_quota_are_refused_before_they_start(monkeypatch):
    most = 2 * limits.RESPONSE_CHUNK_BYTES
    monkeypatch.setattr(quota, "MAX_BYTES_IN_FLIGHT_PER_ADDRESS", most)
    [(start, _), (body, _)] = answered(PlainTextResponse("a" * (most + 1)))
    assert start["status"] == 429 and b"too large together" in body["body"] and not BYTE_QUOTA.reserved
    assert body_of(answered(PlainTextResponse("a" * most))) == b"a" * most
    sent = answered(PlainTextResponse("a" * (most + 1)), path="/v1/count")  # has another limit; sent in chunks too
    assert [len(message["body"]) for message, _ in sent[1:]] == [
        limits.RESPONSE_CHUNK_BYTES,
        limits.RESPONSE_CHUNK_BYTES,
        1,
    ]


def test_small_answers_are_sent_without_quota(monkeypatch):
    monkeypatch.setattr(quota, "MAX_BYTES_IN_FLIGHT", 0)
    assert body_of(answered(PlainTextResponse("a" * limits.RESPONSE_CHUNK_BYTES))) == b"a" * limits.RESPONSE_CHUNK_BYTES


def test_body_rate_delays_only_the_address_that_exceeds_it(monkeypatch, sleeps):
    monkeypatch.setattr(limits, "BODY_BYTES_PER_SECOND", 1_000)
    monkeypatch.setattr(limits, "BODY_BURST_BYTES", 100)

    async def scenario():
        found, begun = app(), asyncio.Event()

        async def post_bytes(address, size):
            async def receive():
                await begun.wait()
                return body_part(bytes(size))

            await found(request(client=(address, 1)), receive, Sent())

        async def waited(*bodies):
            begun.clear()
            posts = asyncio.gather(*(post_bytes(address, size) for address, size in bodies))
            asyncio.get_running_loop().call_later(0.01, begun.set)  # all requests arrive before any body
            await posts
            delay, sleeps[:] = sum(sleeps), []
            return delay

        return [await waited(("a", 100)), await waited(("a", 1_000), ("a", 1_000)), await waited(("a", 0), ("b", 50))]

    assert asyncio.run(scenario()) == pytest.approx([0, 3, 0], abs=0.2)


def test_answers_may_take_longer_than_the_body_timeout(monkeypatch):
    monkeypatch.setattr(limits, "BODY_TIMEOUT_SECONDS", 0.01)

    async def slow(request: Request):
        await request.body()
        with pytest.raises(TimeoutError):  # raised by `wait_for`: waiting for a disconnect has no timeout
            await asyncio.wait_for(request.receive(), 0.05)
        return PlainTextResponse("well")

    sent = Sent()
    asyncio.run(app(endpoint=slow)(request(client=None), receives(body_part(b"all")), sent))
    assert sent[0]["status"] == 200


def test_bodies_in_flight_are_bounded_per_address_and_in_total(monkeypatch):
    assert client().post("/", content=bytes(11)).text == "11"
    monkeypatch.setattr(quota, "MAX_BYTES_IN_FLIGHT_PER_ADDRESS", 10)
    monkeypatch.setattr(quota, "MAX_UNCOUNTED_BYTES", 0)
    refused = client().post("/", content=bytes(11))
    assert (refused.status_code, refused.json()["type"], refused.headers["retry-after"]) == (
        429,
        "/v1/docs#too-many",
        "2",
    )
    monkeypatch.setattr(quota, "MAX_BYTES_IN_FLIGHT", 9)
    monkeypatch.setattr(quota, "MAX_BYTES_IN_FLIGHT_PER_ADDRESS", 100)
    assert client().post("/", content=bytes(11)).status_code == 503
    assert not BYTE_QUOTA.reserved


@pytest.mark.parametrize(
    ("held", "status"),
    [
        ({}, 200),
        ({"one": MAX_FILE_BYTES_PER_SESSION - 5, "other": MAX_FILE_BYTES - MAX_FILE_BYTES_PER_SESSION}, 200),
        ({"one": MAX_FILE_BYTES_PER_SESSION - 4}, 413),
        ({"other": MAX_FILE_BYTES - 4}, 503),
    ],
)
def test_open_files_are_bounded_per_session_and_in_total(held, status):
    assert client(open_file_sizes=lambda: held).put(UPLOAD, content=b"12345").status_code == status


def test_uploads_without_a_size_count_as_the_assumed_size():
    held = {"one": MAX_FILE_BYTES_PER_SESSION - ASSUMED_FILE_BYTES}
    assert client(open_file_sizes=lambda: held).put(UPLOAD, content=iter([b"12345"])).status_code == 200
    held["one"] += 1
    assert client(open_file_sizes=lambda: held).put(UPLOAD, content=iter([b"12345"])).status_code == 413


@pytest.mark.parametrize("charset", ["; charset=punycode", ";Charset=idna", "; charset*0=puny; charset*1=code"])
def test_uploads_choose_no_codec_for_the_event_loop(charset):
    def status(more):
        return client().put(UPLOAD, headers={"content-type": f"multipart/form-data; boundary=b{more}"}).status_code

    assert status(charset) == 415 and status("") == 200


def test_open_file_sizes_are_read_for_uploads_only():
    assert client(open_file_sizes=lambda: pytest.fail("not an upload")).post("/api/tokens", content=b"1").text == "1"


def test_concurrent_uploads_share_the_limits():
    open_now = {}
    one, left = RateLimitMiddleware(None, lambda: open_now), MAX_FILE_BYTES_PER_ADDRESS - 2 * MAX_FILE_BYTES_PER_SESSION
    with one.reserve_file("a", "x", MAX_FILE_BYTES_PER_SESSION), one.reserve_file("b", "x", MAX_FILE_BYTES_PER_SESSION):
        with pytest.raises(Problem, match="Remove one"), one.reserve_file("a", "x", 1):
            pass
        with pytest.raises(Problem, match="at your address"), one.reserve_file("c", "x", left + 1):
            pass
        others = (
            one.reserve_file("d", "y", MAX_FILE_BYTES_PER_SESSION),
            one.reserve_file("e", "z", MAX_FILE_BYTES_PER_SESSION),
        )
        with one.reserve_file("c", "x", left), others[0], pytest.raises(Problem, match="All visitors"), others[1]:
            pass
    assert not one.incoming_file_bytes
    open_now |= {"a": MAX_FILE_BYTES_PER_SESSION, "b": MAX_FILE_BYTES_PER_SESSION, "gone": 0}  # now they are open
    with pytest.raises(Problem, match="at your address"), one.reserve_file("c", "x", left + 1):
        pass
    open_now.clear()
    with one.reserve_file("c", "x", left + 1):
        assert one.addresses.keys() == {"c"}


async def resolve_to(message):
    return message


@pytest.fixture
def sleeps(monkeypatch):
    """The seconds of each sleep of the middleware, which goes on at once."""
    found = []
    monkeypatch.setattr(middleware.asyncio, "sleep", lambda seconds: resolve_to(found.append(seconds)))
    return found


@pytest.mark.parametrize("path", [EDITOR_SOCKET_PATH, "/_stcore/stream"])
def test_message_is_reserved_until_the_next_and_over_quota_closes_socket(monkeypatch, path):
    monkeypatch.setattr(quota, "MAX_BYTES_IN_FLIGHT_PER_ADDRESS", 10)
    monkeypatch.setattr(quota, "MAX_UNCOUNTED_BYTES", 0)
    sent, held, left = Sent(), [], [6, 10, 11, 1]

    async def app(scope, receive, send):
        while True:
            await receive()
            held.append(BYTE_QUOTA.reserved["a"])

    async def receive():
        return frame(bytes(left.pop(0)))

    asyncio.run(RateLimitMiddleware(app, dict)(socket(path), receive, sent))
    assert held == [6, 10] and left == [1] and not BYTE_QUOTA.reserved
    assert sent == [{"type": "websocket.close", "code": 1013}]


@pytest.mark.parametrize("path", [EDITOR_SOCKET_PATH, "/_stcore/stream"])
def test_large_page_messages_are_checked_before_the_app_reads_them(monkeypatch, path):
    monkeypatch.setattr(limits, "NEW_PAGES_PER_SECOND", 0.01)  # low, so that the bucket does not refill
    sent, received, looked = Sent(), [], []
    messages = [
        bytes(MIN_CHECKED_MESSAGE_BYTES),
        b"x" * (MIN_CHECKED_MESSAGE_BYTES + 1),
        b"!" * (MIN_CHECKED_MESSAGE_BYTES + 1),
        b"",
        b"more",
    ]

    async def app(scope, receive, send):
        while messages:
            received.append(await receive())

    async def receive():
        return frame(messages.pop(0))

    def is_complex(data):
        looked.append(data[:1])
        return data[:1] == b"!"

    async def scenario():
        found = RateLimitMiddleware(app, dict, is_complex)
        await found(socket(path), receive, sent)
        return limits.NEW_PAGE_BURST + found.new_pages.of("a").delay() * limits.NEW_PAGES_PER_SECOND

    opened = asyncio.run(scenario())
    if path == EDITOR_SOCKET_PATH:  # its messages are not protobuf
        assert len(received) == 5 and not sent and not looked
    else:
        assert len(received) == 2 and messages == [b"", b"more"] and looked == [b"x", b"!"]
        assert opened == pytest.approx(1 + limits.COMPLEX_MESSAGE_COST, abs=1)
        assert sent == [{"type": "websocket.close", "code": 1013}]


def test_large_editor_messages_count_towards_the_body_rate(monkeypatch, sleeps):
    monkeypatch.setattr(limits, "BODY_BYTES_PER_SECOND", 100_000)
    monkeypatch.setattr(limits, "BODY_BURST_BYTES", 100_000)

    async def delay_of(found, address, size):
        receive = repeats(frame(bytes(size)))
        await reserve_messages(receive, Reservation(ByteQuota(), address), found.bodies, address)()
        delay, sleeps[:] = sum(sleeps), []
        return delay

    async def scenario():
        found = RateLimitMiddleware(None, dict)
        messages = [("a", 100_000), ("a", 200_000), ("b", 100_000), ("a", limits.MAX_UNCOUNTED_BYTES)]
        return [await delay_of(found, address, size) for address, size in messages]

    assert asyncio.run(scenario()) == pytest.approx([0, 2, 0, 0], abs=0.2)


class Sessions:
    """Sends each page a message before it receives one, as Streamlit's runtime does."""

    def __init__(self, fault: Exception | None):
        self.fault, self.left = fault, None

    def connect_session(self, client, **_):
        client.write_forward_msg(ForwardMsg(hash="a"))
        return "one"

    def handle_backmsg(self, session, message, client):
        if self.fault:
            raise self.fault

    def disconnect_session(self, session, client):
        self.left = session


def run_session(fault: Exception | None, can_send: bool) -> Sessions:
    """Opens Streamlit's socket and sends a message; answers fail unless `can_send`."""
    sessions, path = Sessions(fault), "/_stcore/stream"
    messages = [{"type": "websocket.connect"}, frame(b"")]

    async def receive():
        await asyncio.sleep(0.01)
        return messages.pop(0) if messages else {"type": "websocket.disconnect", "code": 1001}

    async def send(message):
        if message["type"] == "websocket.send" and not can_send:
            raise OSError

    async def run_socket():
        app = Starlette(routes=[WebSocketRoute(path, create_websocket_handler(sessions))])
        await RateLimitMiddleware(app, dict)(socket(path, headers=[(b"host", b"localhost")]), receive, send)

    asyncio.run(run_socket())
    return sessions


def test_disconnect_while_sending_is_no_error():
    for can_send in (True, False):
        assert run_session(None, can_send).left == "one"


def test_handler_exceptions_are_raised():
    with pytest.raises(RuntimeError, match="a fault"):
        run_session(RuntimeError("a fault"), can_send=True)


def test_complex_messages_do_not_block_their_whole_address():
    async def delay():
        found, receive = RateLimitMiddleware(None, dict), repeats(frame(bytes(MIN_CHECKED_MESSAGE_BYTES + 1)))
        for _ in range(99):  # each on its own socket
            with pytest.raises(Problem):
                await reject_complex(receive, lambda data: True, found.new_pages, "a")()
        return found.new_pages.of("a").delay()

    assert 0 < asyncio.run(delay()) < limits.MAX_ADMISSION_DELAY_SECONDS


def test_new_pages_are_delayed_per_address_then_refused(monkeypatch):
    monkeypatch.setattr(limits, "NEW_PAGES_PER_SECOND", 20)
    monkeypatch.setattr(limits, "NEW_PAGE_BURST", 3)
    monkeypatch.setattr(limits, "MAX_ADMISSION_DELAY_SECONDS", 0.12)
    begun = []

    async def app(scope, receive, send):
        begun.append((scope["client"][0], scope["path"]))

    async def scenario():
        sent, found = Sent(), RateLimitMiddleware(app, dict)

        def comes(address, path="/_stcore/stream"):
            return asyncio.create_task(found(socket(path, (address, 1)), None, sent))

        tasks = [comes("a") for _ in range(9)] + [comes("b"), comes("a", EDITOR_SOCKET_PATH)]
        await asyncio.sleep(0.01)
        at_once = sorted(begun)
        await asyncio.gather(*tasks)
        return at_once, [message["code"] for message in sent], len(found.new_pages.by_address)

    at_once, codes, num_addresses = asyncio.run(scenario())
    stream = "/_stcore/stream"
    assert at_once == [*[("a", stream)] * 3, ("a", EDITOR_SOCKET_PATH), ("b", stream)]
    assert codes == [1013] * 3 and begun.count(("a", stream)) == 6 and num_addresses == 2


def test_full_buckets_are_dropped(monkeypatch):
    async def scenario():
        found = RateLimitMiddleware(None, dict)
        for address in "abc":
            await found.admit_page(address)
            monkeypatch.setattr(found.new_pages.by_address[address], "clock", lambda: 1e12)
        return len(found.new_pages.by_address)

    assert asyncio.run(scenario()) == 1


# ---- fair turns ----


def key_message(text):
    head = json.dumps({"name": "tokens", "parameters": {"encoding": "gpt2"}}).encode()
    texts = struct.pack("<II", 1, len(text)) + text
    return frame(struct.pack("<II", 1, len(head)) + head + texts)


def rounds(left, future=None):
    """Returns a future that is done after `left` rounds of the event loop."""
    loop = asyncio.get_running_loop()
    future = future or loop.create_future()
    loop.call_soon(rounds, left - 1, future) if left else future.cancelled() or future.set_result(None)
    return future


async def type_keys(found, address, port, answered, questions, idle_rounds=1):
    """Asks questions on the editor's socket, each `idle_rounds` rounds of the event loop after an answer."""
    coming = [{"type": "websocket.connect"}] + [key_message(b"hello world")] * questions

    async def receive():
        await rounds(idle_rounds)
        num_before.append(len(answered))
        return coming.pop(0) if coming else {"type": "websocket.disconnect", "code": 1000}

    async def send(message):
        if message["type"] == "websocket.send":
            assert message["bytes"][4:8] == (200).to_bytes(4, "little")
            waited.append(len(answered) - num_before[-1])
            answered.append(address)

    num_before, waited = [], []
    await found(socket(EDITOR_SOCKET_PATH, (address, port)), receive, send)
    return waited


async def post_counts(found, address, port, answered, is_late):
    """Posts short questions to /v1/count one after the other; bodies arrive later where `is_late`."""
    data = json.dumps({"encoding": "gpt2", "text": "hello world " * 100}).encode()

    async def receive():
        if is_late:
            await together
        return body_part(data)

    async def send(message):
        if message["type"] == "http.response.start":
            assert message["status"] == 200
            answered.append(address)

    scope = request("/v1/count", client=(address, port), headers=[(b"content-type", b"application/json")])
    while True:
        together = rounds(2)
        await found(scope, receive, send)
        await asyncio.sleep(0)


@pytest.mark.slow
@pytest.mark.parametrize("address", ["attacker", "victim"])
@pytest.mark.parametrize("attack", ["sockets", "requests", "late bodies"])
def test_key_waits_for_few_questions_of_a_busy_address(attack, address):
    async def scenario():
        found, answered = RateLimitMiddleware(Starlette(routes=routes), dict), []
        found.turns = LoopTurns(lambda: len(answered) / 2_000)  # each answer counts as 0.5 ms
        if attack == "sockets":
            attackers = [type_keys(found, "attacker", i, answered, 10_000) for i in range(100)]
        else:
            attackers = [post_counts(found, "attacker", i, answered, attack == "late bodies") for i in range(100)]
        tasks = [asyncio.create_task(one) for one in attackers]
        waited = await type_keys(found, address, 1_000, answered, 5, idle_rounds=300)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert answered.count("attacker") > 300 and not found.live_sockets and not BYTE_QUOTA.reserved
        return waited

    waited = asyncio.run(scenario())
    assert len(waited) == 5 and max(waited[1:]) <= 5  # the first turn of a newcomer may take longer


@pytest.mark.parametrize("addresses", ["aaab", ["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"]])
@pytest.mark.parametrize(
    ("path", "limit"),
    [(EDITOR_SOCKET_PATH, "MAX_LIVE_SOCKETS_PER_ADDRESS"), ("/_stcore/stream", "MAX_PAGES_PER_ADDRESS")],
)
def test_sockets_are_limited_per_address_or_network(monkeypatch, path, limit, addresses):
    monkeypatch.setattr(limits, limit, 2)
    begun, ended = [], asyncio.Event()

    async def app(scope, receive, send):
        begun.append(scope["client"])
        await ended.wait()

    async def scenario():
        found, messages = RateLimitMiddleware(app, dict), []

        def comes(address, port):
            scope = socket(path, (address, port))
            return asyncio.create_task(found(scope, None, lambda message: send(port, message)))

        async def send(port, message):
            messages.append((port, message))

        tasks = [comes(address, port) for port, address in enumerate(addresses, 1)]
        for _ in range(20):
            await asyncio.sleep(0)
        ended.set()
        await asyncio.gather(*tasks)
        await comes(addresses[0], 5)
        return messages, found.live_sockets + found.pages

    messages, left = asyncio.run(scenario())
    assert [port for _, port in begun] == [1, 2, 4, 5] and not left
    assert messages == [(3, {"type": "websocket.close", "code": 1013})]
