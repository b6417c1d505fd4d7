"""ASGI middleware that reads X-Forwarded headers of trusted proxies, and removes those of all other peers."""

import os
from collections.abc import Callable, Iterable, Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from server.limits.host_guard import is_allowed

PROXIES = "TOKENLOUPE_PROXIES"  # addresses and networks, with commas between
UVICORN_PROXIES = "FORWARDED_ALLOW_IPS"  # the same setting of uvicorn
DEFAULT_PROXIES = "127.0.0.1, ::1"  # a proxy on the same machine
FOR, PROTO, HOST = b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host"
SCHEMES = {"websocket": {"http": "ws", "https": "wss"}, "http": {"http": "http", "https": "https"}}

Network = IPv4Network | IPv6Network


class UnreadableProxies(ValueError):
    """The list of proxies has a word that is neither an address nor a network."""


class ProxyHeaders:
    """Replaces client, scheme and Host header of a request by what a trusted proxy reports.

    `proxies` are the networks of trusted proxies. X-Forwarded-Host replaces Host where both are names of `allowed`:
    a page under a foreign name (DNS rebinding) can send X-Forwarded-Host through a proxy that does not replace it.
    """

    def __init__(self, app: ASGIApp, proxies: Iterable[Network], allowed: Callable[[], Sequence[str]] = list):
        self.app, self.proxies, self.allowed = app, tuple(proxies), allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in SCHEMES:
            scope = self._as_reported(scope) if self._is_proxy(scope) else scope | {"headers": _without(scope)}
        await self.app(scope, receive, send)

    def _is_proxy(self, scope: Scope) -> bool:
        return bool(scope.get("client")) and is_within(scope["client"][0], self.proxies)

    def _as_reported(self, scope: Scope) -> Scope:
        """Returns the scope that a request without the proxy would have; the port identifies the proxy's connection.

        Several schemes or hosts are those of a chain of proxies; the first is what the browser used.
        """
        headers, found = Headers(scope=scope), _without(scope)
        address = client_address(headers.getlist(FOR.decode()), self.proxies)
        scheme = SCHEMES[scope["type"]].get(_first(headers.get(PROTO.decode())))
        host, hosts = _first(headers.get(HOST.decode())), headers.getlist("host")
        if host and len(hosts) == 1 and all(is_allowed(one, self.allowed()) for one in (host, *hosts)):
            found = [*((name, value) for name, value in found if name != b"host"), (b"host", host.encode("latin-1"))]
        return scope | {
            "headers": found,
            "client": (address or scope["client"][0], scope["client"][1]),
            "scheme": scheme or scope["scheme"],
        }


def _without(scope: Scope) -> list[tuple[bytes, bytes]]:
    return [one for one in scope["headers"] if one[0] not in (FOR, PROTO, HOST)]


def _first(values: str | None) -> str:
    return (values or "").partition(",")[0].strip().lower()


def client_address(values: Iterable[str], proxies: Sequence[Network]) -> str | None:
    """Returns the client's address by values of X-Forwarded-For; None where there is none.

    Each proxy adds the address of its peer at the end. So the last address that is not a proxy's is the
    client's; the client itself sent those before it, which may be forged.

    >>> client_address(["1.2.3.4, 10.0.0.7, 127.0.0.1"], networks("127.0.0.1, 10.0.0.8"))
    '10.0.0.7'
    """
    address = None
    for written in reversed([one for value in values for one in value.split(",")]):
        address = _address(written)  # one by one: a client may send thousands, and this runs before the limits
        if address is None or not is_within(address, proxies):
            break
    return address


def _address(written: str) -> str | None:
    """Returns the address in an item of X-Forwarded-For, which may have a port; None where it is none."""
    written = written.strip()
    if written.startswith("["):
        written = written[1:].partition("]")[0]
    elif written.count(":") == 1:
        written = written.partition(":")[0]
    try:
        return str(ip_address(written))
    except ValueError:
        return None


def is_within(address: str, proxies: Iterable[Network]) -> bool:
    """Whether an address is in one of the networks.

    >>> is_within("::ffff:10.0.0.7", networks("10.0.0.0/8")), is_within("unix", networks("10.0.0.0/8"))
    (True, False)
    """
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address):
        found = found.ipv4_mapped or found
    return any(found in network for network in proxies)


def networks(written: str) -> list[Network]:
    """Returns the networks of a list of addresses and networks; raises UnreadableProxies.

    >>> networks("127.0.0.1, 10.0.0.0/8, ::1")
    [IPv4Network('127.0.0.1/32'), IPv4Network('10.0.0.0/8'), IPv6Network('::1/128')]
    """
    words = written.replace(",", " ").split()
    if "*" in words:
        words += ["0.0.0.0/0", "::/0"]
    try:
        return [ip_network(word, strict=False) for word in words if word != "*"]
    except ValueError as error:
        raise UnreadableProxies(f"{PROXIES} must list addresses and networks: {error}") from None


def configured() -> list[Network]:
    """Returns the trusted proxies: of TOKENLOUPE_PROXIES, or of uvicorn's setting, or those of this machine."""
    return networks(os.environ.get(PROXIES, os.environ.get(UVICORN_PROXIES, DEFAULT_PROXIES)))
