"""What stands before the app: bodies in time, room for all, sockets at their pace, and what is closed."""

import asyncio
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from ui.server import gate
from ui.server.gate import Gate, paced
from ui.server.limits import AT_ONCE, LIVE, LIVE_AT_ONCE, LIVE_PACE, MOST_FILES, MOST_FILES_EACH, PACE
from ui.server.v1 import turns
from ui.server.v1.problems import Problem
from ui.server.v1.turns import ROOM

UPLOAD = "/_stcore/upload_file/one/file"


async def takes(request):
    return PlainTextResponse(str(len(await request.body())))


def app(held=lambda session: (0, 0)):
    return Starlette(
        routes=[Route("/{rest:path}", takes, methods=["GET", "POST", "PUT"])], middleware=[Middleware(Gate, held=held)]
    )


def client(**given):
    return TestClient(app(**given), base_url="http://localhost")


def test_what_streamlit_tells_of_itself_is_closed():
    for path in ("/_stcore/metrics", "/_stcore/metrics/", "/below/_stcore/metrics", "/_stcore/%6detrics"):
        assert client().get(path).status_code == 404, path
    assert client().get("/_stcore/health").status_code == 200


def test_a_body_that_stops_is_not_waited_for_whoever_takes_it(monkeypatch):
    monkeypatch.setattr(gate, "BODY_WITHIN", 0.01)
    said = asyncio.run(half_sent({"type": "http.request", "body": b"half", "more_body": True}))
    assert said[0]["status"] == 408 and not ROOM.held


async def half_sent(*parts):
    """What is answered to a request whose body never ends."""
    said, left = [], [*parts]

    async def receive():
        return left.pop(0) if left else await asyncio.Event().wait()

    async def send(message):
        said.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b"", "client": ("a", 1)}
    await app()(scope, receive, send)
    return said


def test_an_answer_may_take_longer_than_a_body(monkeypatch):
    monkeypatch.setattr(gate, "BODY_WITHIN", 0.01)

    async def slow(request: Request):
        await request.body()
        with pytest.raises(TimeoutError):  # that of the test: who waits to hear that the visitor has gone may wait
            await asyncio.wait_for(request.receive(), 0.05)
        return PlainTextResponse("well")

    slow_app = Starlette(
        routes=[Route("/", slow, methods=["POST"])], middleware=[Middleware(Gate, held=lambda session: (0, 0))]
    )
    said = []

    async def come():
        left = [{"type": "http.request", "body": b"all", "more_body": False}]

        async def receive():
            return left.pop(0) if left else await asyncio.Event().wait()

        async def send(message):
            said.append(message)

        scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b"", "client": None}
        await slow_app(scope, receive, send)

    asyncio.run(come())
    assert said[0]["status"] == 200


def test_bodies_under_way_are_bounded_for_an_address_and_for_all(monkeypatch):
    assert client().post("/", content=bytes(11)).text == "11"
    monkeypatch.setattr(turns, "MOST_HELD_EACH", 10)
    refused = client().post("/", content=bytes(11))
    assert (refused.status_code, refused.json()["type"], refused.headers["retry-after"]) == (
        429,
        "/v1/docs#too-many",
        "2",
    )
    monkeypatch.setattr(turns, "MOST_HELD", 9)
    monkeypatch.setattr(turns, "MOST_HELD_EACH", 100)
    assert client().post("/", content=bytes(11)).status_code == 503
    assert not ROOM.held


@pytest.mark.parametrize(
    ("held", "status"),
    [
        ((0, 0), 200),
        ((MOST_FILES_EACH - 5, MOST_FILES - 5), 200),
        ((MOST_FILES_EACH - 4, 0), 413),
        ((0, MOST_FILES - 4), 503),
    ],
)
def test_a_session_has_no_more_files_open_than_there_is_room_for(held, status):
    asked = []
    found = client(held=lambda session: asked.append(session) or held).put(UPLOAD, content=b"12345")
    assert (found.status_code, asked) == (status, ["one"])
    assert client(held=lambda session: pytest.fail("nobody uploads")).post("/api/tokens", content=b"1").text == "1"


def test_files_that_come_at_the_same_time_count_together():
    one = Gate(None, lambda session: (0, 0))
    with one.room_of_file("a", MOST_FILES_EACH), one.room_of_file("b", MOST_FILES_EACH):
        with pytest.raises(Problem, match="Remove one"), one.room_of_file("a", 1):
            pass
        with pytest.raises(Problem, match="All visitors"), one.room_of_file("c", MOST_FILES - 2 * MOST_FILES_EACH + 1):
            pass
    assert not one.coming


@pytest.mark.parametrize(
    ("path", "pace", "at_once"), [("/_stcore/stream", PACE, AT_ONCE), (LIVE, LIVE_PACE, LIVE_AT_ONCE)]
)
def test_the_messages_of_a_socket_come_at_its_pace(monkeypatch, path, pace, at_once):
    waits, loop = [], SimpleNamespace(time=lambda: 100.0)
    monkeypatch.setattr(gate.asyncio, "get_running_loop", lambda: loop)
    monkeypatch.setattr(gate.asyncio, "sleep", lambda seconds: said(waits.append(seconds)))

    async def said(message):
        return message

    async def come():
        receive = paced({"path": path}, lambda: said({"type": "websocket.receive", "bytes": b""}))
        for _ in range(at_once):
            await receive()
        assert max(waits, default=0) < 1e-6
        waits.clear()
        for _ in range(pace):
            await receive()
        gone = paced({"path": path}, lambda: said({"type": "websocket.disconnect"}))
        for _ in range(at_once * 2):
            await gone()

    loop_of_test = asyncio.new_event_loop()
    loop_of_test.run_until_complete(come())
    loop_of_test.close()
    assert len(waits) == pace and waits[-1] == pytest.approx(1)
    assert waits == sorted(waits)
