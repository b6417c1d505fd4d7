"""Allowed hosts and origins on every route, including those of Streamlit."""

import asyncio
from unittest.mock import patch

import httpx2 as httpx
import pytest
from asgi import Sent, body_part, request
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from streamlit import net_util
from streamlit.web.server import server_util
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from server.limits.host_guard import HostGuard, OriginGuard, is_allowed, is_own_origin
from server.routes import routes

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
def test_hosts_are_allowed_as_by_streamlit(host, names):
    with patch("streamlit.config.get_option", return_value=list(names)):
        assert is_allowed(host, list(names)) == is_host_allowed(host)


def client(host):
    guard = Middleware(HostGuard, allowed=lambda: ["localhost", "*.school.net"])
    return TestClient(Starlette(routes=routes, middleware=[guard]), base_url=f"http://{host}")


REQUESTS = [
    ("POST", "/api/tokens"),
    ("POST", "/api/qr"),
    ("GET", "/class"),
    ("GET", "/class/AB123/state"),
    ("GET", "/v1/docs"),
    ("GET", "/embed"),
]
REQUESTS += [
    ("POST", "/v1/count"),
    ("GET", "/v1/openapi.json"),
    ("GET", "/v1"),
    ("GET", "/v1/nothing"),
    ("PUT", "/api/tokens"),
]


@pytest.mark.parametrize(("method", "path"), REQUESTS)
def test_other_hosts_are_refused_on_every_route(method, path):
    for host in ("evil.org", "localhost.evil.org", "school.net", "192.168.1.5:8501"):
        reply = client(host).request(method, path)
        assert (reply.status_code, reply.json()["type"]) == (403, "/v1/docs#wrong-host"), host
    for host in ("localhost:8501", "a.school.net"):
        assert "The Host header" not in client(host).request(method, path).text


def test_body_for_another_host_is_read_before_the_connection_is_closed():
    guard = HostGuard(None, allowed=lambda: ["localhost"])
    parts, sent = [body_part(b"a", more=True), body_part(b"b")], Sent()

    async def receive():
        return parts.pop(0)

    asyncio.run(guard(request(headers=[(b"host", b"evil.org"), (b"connection", b"close")]), receive, sent))
    assert (sent[0]["status"], parts) == (403, [])


def test_sockets_with_another_host_are_closed():
    with pytest.raises(WebSocketDisconnect), client("x").websocket_connect("/api/live", headers={"host": "evil.org"}):
        pass
    with client("x").websocket_connect("/api/live", headers={"host": "localhost:8501"}):
        pass


@pytest.mark.parametrize("hosts", [[], [b"localhost", b"evil.org"], [b"localhost, evil.org"]])
def test_missing_and_repeated_host_headers_are_refused(hosts):
    sent, guard = Sent(), HostGuard(Starlette(routes=routes), lambda: ["localhost"])
    asyncio.run(guard(request("/v1/docs", "GET", headers=[(b"host", host) for host in hosts]), None, sent))
    assert sent[0]["status"] == 403


def test_all_hosts_are_allowed_where_none_is_configured():
    app = HostGuard(Starlette(routes=routes), list)
    assert TestClient(app, base_url="http://anything.org").get("/v1/docs").status_code == 200


# Origins

HOST = "school.net:8501"


@pytest.mark.parametrize(
    ("origin", "host", "is_own"),
    [
        ("http://school.net:8501", HOST, True),
        ("http://SCHOOL.net:8501", HOST, True),
        ("https://school.net:8501", HOST, True),  # a proxy without X-Forwarded-Proto keeps name and port
        ("http://school.net:3000", HOST, False),
        ("http://school.net", HOST, False),
        ("http://other.school.net:8501", HOST, False),
        ("http://school.net:8501.evil.org", HOST, False),
        ("http://evil.org/school.net:8501", HOST, False),
        ("http://evil.org@school.net:8501", HOST, False),
        ("ftp://school.net:8501", HOST, False),
        ("http://school.net:99999", HOST, False),
        ("null", HOST, False),
        ("", HOST, False),
        ("http://school.net:8501", None, False),
        ("http://school.net", "school.net", True),
        ("http://school.net", "school.net:80", True),
        ("https://school.net", "school.net", True),
        ("https://school.net", "school.net:80", False),
        ("http://[::1]:8501", "[::1]:8501", True),
    ],
)
def test_own_origin_matches_scheme_host_and_port(origin, host, is_own):
    assert is_own_origin(origin, host, False) == is_own


def test_http_origin_is_not_own_on_an_https_server():
    assert is_own_origin("https://school.net:8501", HOST, True)
    assert not is_own_origin("http://school.net:8501", HOST, True)


def guarded_client(*routes, origins=()):
    options = {"server.allowedHosts": ["school.net"], "server.corsAllowedOrigins": origins}
    guard = Middleware(OriginGuard, option=options.__getitem__)
    return TestClient(Starlette(routes=routes, middleware=[guard]))


def socket_opens(*origins, also=()):
    """Returns whether a socket opens with one Origin header per origin; `also` are configured origins."""

    async def accept(socket):
        await socket.accept()

    client = guarded_client(WebSocketRoute("/socket", accept), origins=also)
    headers = httpx.Headers([("host", "school.net:8501"), *(("origin", origin) for origin in origins)])
    try:
        with client.websocket_connect("/socket", headers=headers):
            return True
    except WebSocketDisconnect:
        return False


def test_sockets_open_for_own_and_configured_origins_only():
    own, other = "http://school.net:8501", "http://school.net:3000"
    assert socket_opens() and socket_opens(own) and socket_opens(other, also=[other])
    assert not socket_opens(other) and not socket_opens(own, own) and not socket_opens("http://evil.org", also=[other])


def test_origins_that_make_streamlit_look_up_its_address_are_removed(monkeypatch):
    lookups, seen, named = [], [], "http://named.org"
    monkeypatch.setattr(net_util, "get_external_ip", lambda: lookups.append(1))

    async def answer(request):
        origin = request.headers.get("origin")
        seen.append(origin)
        return PlainTextResponse(str(origin and server_util.is_url_from_allowed_origins(origin)))

    monkeypatch.setattr(server_util, "allowlisted_origins", list)
    client = guarded_client(Route("/_stcore/upload", answer, methods=["PUT"]), Route("/own", answer), origins=[named])
    for origin in ("http://school.net:8501", "http://evil.org"):
        client.put("/_stcore/upload", headers={"origin": origin})
    assert seen == [None, None] and not lookups
    client.put("/_stcore/upload", headers={"origin": named})
    assert seen.pop() == named and lookups  # Streamlit looks it up where the guard leaves the origin


def test_cookies_that_take_python_seconds_lose_their_backslashes():
    async def answer(request):
        return PlainTextResponse(" ".join(map(repr, request.cookies.items())))

    client = guarded_client(Route("/_stcore/health", answer), Route("/auth/logout", answer))
    for path in ("/_stcore/health", "/auth/logout"):
        found = client.get(path, headers={"cookie": '_streamlit_xsrf=2|a|b|1; a="' + "\\" * 1_000 + '"'}).text
        assert found == "('_streamlit_xsrf', '2|a|b|1') ('a', '')"


def test_streamlit_gets_a_host_that_it_knows():
    async def answer(request):
        host = request.headers["host"]
        with patch("streamlit.config.get_option", return_value=["school.net"]):
            return PlainTextResponse(f"{host} {is_host_allowed(host)}")

    client = guarded_client(Route("/_stcore/health", answer), Route("/own", answer))
    assert client.get("/_stcore/health", headers={"host": "x.hf.space"}).text == "school.net True"
    assert client.get("/_stcore/health", headers={"host": "school.net:8501"}).text == "school.net:8501 True"
    assert client.get("/own", headers={"host": "x.hf.space"}).text == "x.hf.space False"


@pytest.mark.parametrize(
    ("given", "policy"),
    [
        ({}, "frame-ancestors 'self'"),
        ({"content-security-policy": "default-src 'none'"}, "default-src 'none', frame-ancestors 'self'"),
        ({"content-security-policy": "frame-ancestors 'none'"}, "frame-ancestors 'none'"),
    ],
)
def test_answers_have_frame_ancestors_and_nosniff(given, policy):
    async def give(request):
        return Response("<p>", headers=given, media_type="text/html")

    reply = guarded_client(Route("/page", give)).get("/page")
    assert (reply.headers["content-security-policy"], reply.text) == (policy, "<p>")
    assert reply.headers["x-content-type-options"] == "nosniff"
