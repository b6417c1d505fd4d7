"""Which X-Forwarded headers a server uses, by the peer that sends them."""

import asyncio
from ipaddress import ip_address

import pytest

from server.limits import proxy_headers
from server.limits.proxy_headers import ProxyHeaders, UnreadableProxies, configured, networks

PROXY, OTHER = "10.0.0.8", "192.0.2.66"
FORGED = [("x-forwarded-for", "203.0.113.9"), ("x-forwarded-proto", "https"), ("x-forwarded-host", "x.example.test")]


def seen(peer, headers, kind="http", host="127.0.0.1:8501", proxies=f"127.0.0.1, {PROXY}, fd00::/8"):
    """Returns client, scheme, host and the names of the headers that the app sees."""
    scopes = []

    async def app(scope, receive, send):
        scopes.append(scope)

    guard = ProxyHeaders(app, networks(proxies), lambda: ["127.0.0.1", "*.example.test"])
    sent = [(b"host", host.encode()), *((name.encode(), value.encode()) for name, value in headers)]
    scheme = {"http": "http", "websocket": "ws"}[kind]
    given = {"type": kind, "scheme": scheme, "client": peer and (peer, 4711), "headers": sent}
    asyncio.run(guard(given, None, None))
    [scope] = scopes
    assert given["headers"] == sent
    found = dict(scope["headers"])
    return scope["client"], scope["scheme"], found[b"host"].decode(), sorted(found)


@pytest.mark.parametrize("peer", [OTHER, "10.0.0.9", "2001:db8::1", "unix", None])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_forged_headers_of_a_peer_that_is_no_proxy_change_nothing(peer, kind):
    assert seen(peer, FORGED, kind) == seen(peer, [], kind)
    assert seen(peer, FORGED, kind)[0] == (peer and (peer, 4711))


@pytest.mark.parametrize("peer", [PROXY, "127.0.0.1", "::ffff:10.0.0.8", "fd00::1"])
def test_a_proxy_reports_client_scheme_and_host(peer):
    found = ("203.0.113.9", 4711), "https", "x.example.test", [b"host"]
    assert seen(peer, FORGED) == found
    assert seen(peer, FORGED, "websocket")[1] == "wss"


@pytest.mark.parametrize(
    ("values", "client"),
    [
        (["203.0.113.9, 198.51.100.7"], "198.51.100.7"),  # the client sent the first itself
        (["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
        ([f"198.51.100.7, {PROXY}, 127.0.0.1"], "198.51.100.7"),
        (["198.51.100.7:33000"], "198.51.100.7"),
        (["[2001:db8::7]:33000"], "2001:db8::7"),
        (["2001:db8::7"], "2001:db8::7"),
        ([f"{PROXY}"], PROXY),  # a request of the proxy itself
        (["198.51.100.7, unknown"], PROXY),
        ([""], PROXY),
        ([], PROXY),
    ],
)
def test_the_client_is_the_last_address_that_is_no_proxy(values, client):
    assert seen(PROXY, [("x-forwarded-for", value) for value in values])[0] == (client, 4711)


def test_addresses_before_the_client_are_not_read(monkeypatch):
    read = []
    monkeypatch.setattr(proxy_headers, "ip_address", lambda written: read.append(written) or ip_address(written))
    forged = ", ".join(["1.2.3.4"] * 9 + ["x"] * 9)
    assert seen(PROXY, [("x-forwarded-for", f"{forged}, 198.51.100.7, {PROXY}")])[0] == ("198.51.100.7", 4711)
    assert {*read} == {PROXY, "198.51.100.7"}


@pytest.mark.parametrize(
    ("written", "scheme"), [("https", "https"), ("HTTPS", "https"), ("https, http", "https"), ("ftp", "http")]
)
def test_the_scheme_is_that_of_the_browser(written, scheme):
    assert seen(PROXY, [("x-forwarded-proto", written)])[1] == scheme


@pytest.mark.parametrize(
    ("host", "forwarded", "expected"),
    [
        ("127.0.0.1:8501", "x.example.test:8443", "x.example.test:8443"),
        ("127.0.0.1:8501", "x.example.test, inner", "x.example.test"),
        ("127.0.0.1:8501", "evil.org", "127.0.0.1:8501"),
        ("evil.org", "x.example.test", "evil.org"),  # a page of evil.org sent the header itself
    ],
)
def test_the_host_is_replaced_by_an_allowed_one_if_it_is_allowed_itself(host, forwarded, expected):
    assert seen(PROXY, [("x-forwarded-host", forwarded)], host=host)[2] == expected


def test_no_peer_is_trusted_without_proxies_and_every_peer_with_a_star():
    assert seen("127.0.0.1", FORGED, proxies="")[0] == ("127.0.0.1", 4711)
    assert seen(OTHER, FORGED, proxies="*")[0] == ("203.0.113.9", 4711)


def test_proxies_are_those_of_the_setting_and_else_of_uvicorn_or_this_machine(monkeypatch):
    monkeypatch.delenv("TOKENLOUPE_PROXIES", raising=False)
    monkeypatch.delenv("FORWARDED_ALLOW_IPS", raising=False)
    assert configured() == networks("127.0.0.1, ::1")
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", PROXY)
    assert configured() == networks(PROXY)
    monkeypatch.setenv("TOKENLOUPE_PROXIES", "10.1.0.0/16")
    assert configured() == networks("10.1.0.0/16")
    monkeypatch.setenv("TOKENLOUPE_PROXIES", "")
    assert configured() == []
    with pytest.raises(UnreadableProxies, match="TOKENLOUPE_PROXIES"):
        networks("proxy.local")
