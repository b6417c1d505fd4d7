"""The names that this server answers to: as Streamlit's own check has it, and over every route, Streamlit's too."""

import asyncio
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from ui.server.hosts import HostGuard, is_allowed
from ui.server.routes import routes

NAMES = ["localhost", "127.0.0.1", "::1", "*.example.org", "Bär.local", "room.", " padded "]
HOSTS = st.sampled_from(
    ["localhost", "LOCALHOST.", "127.0.0.1", "[::1]", "::1", "evil.org", "a.example.org", "example.org", "bär.local"]
    + ["localhost.evil.org", "evil.org#localhost", "evil@localhost", "localhost/evil", "room", "padded", "", "*"]
)
PORTS = st.sampled_from(["", ":8501", ":", ":99999", ":a", ":80:80", "?", " "])


@given(
    host=st.one_of(st.none(), st.text(max_size=12), st.builds(str.__add__, HOSTS, PORTS)),
    names=st.sets(st.sampled_from(NAMES)),
)
@example(host="[", names={"localhost"})
@example(host="x", names=set())
def test_a_name_is_allowed_as_streamlit_allows_it(host, names):
    with patch("streamlit.config.get_option", return_value=list(names)):
        assert is_allowed(host, list(names)) == is_host_allowed(host)


def client(host):
    guard = Middleware(HostGuard, allowed=lambda: ["localhost", "*.school.net"])
    return TestClient(Starlette(routes=routes, middleware=[guard]), base_url=f"http://{host}")


ASKED = [
    ("POST", "/api/tokens"),
    ("POST", "/api/qr"),
    ("GET", "/class"),
    ("GET", "/class/AB123/state"),
    ("GET", "/v1/docs"),
]
ASKED += [
    ("POST", "/v1/count"),
    ("GET", "/v1/openapi.json"),
    ("GET", "/v1"),
    ("GET", "/v1/nothing"),
    ("PUT", "/api/tokens"),
]


@pytest.mark.parametrize(("method", "path"), ASKED)
def test_a_name_that_leads_here_for_an_attacker_is_refused_on_every_route(method, path):
    for host in ("evil.org", "localhost.evil.org", "school.net", "192.168.1.5:8501"):
        reply = client(host).request(method, path)
        assert (reply.status_code, reply.json()["type"]) == (403, "/v1/docs#wrong-host"), host
    for host in ("localhost:8501", "a.school.net"):
        assert "The Host header" not in client(host).request(method, path).text


def test_the_socket_is_closed_too():
    with pytest.raises(WebSocketDisconnect), client("x").websocket_connect("/api/live", headers={"host": "evil.org"}):
        pass
    with client("x").websocket_connect("/api/live", headers={"host": "localhost:8501"}):
        pass


@pytest.mark.parametrize("hosts", [[], [b"localhost", b"evil.org"], [b"localhost, evil.org"]])
def test_no_name_and_two_names_are_none(hosts):
    said = []

    async def send(message):
        said.append(message)

    guard = HostGuard(Starlette(routes=routes), lambda: ["localhost"])
    scope = {"type": "http", "method": "GET", "path": "/v1/docs", "headers": [(b"host", host) for host in hosts]}
    asyncio.run(guard(scope, None, send))
    assert said[0]["status"] == 403


def test_where_no_names_are_set_all_are_let_in_as_streamlit_does():
    app = HostGuard(Starlette(routes=routes), list)
    assert TestClient(app, base_url="http://anything.org").get("/v1/docs").status_code == 200
