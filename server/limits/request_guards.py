"""The client of a request, requests of other sites, and bounded reading of bodies."""

from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address

from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response

from tokenizer.i18n import tr

HEADERS = {"x-tokenloupe": "1", "cache-control": "no-store", "x-content-type-options": "nosniff"}
MAX_ANNOUNCED_BYTES = 10**12  # a larger Content-Length counts as this


def cross_site_reason(request: HTTPConnection) -> str | None:
    """Returns why a request is refused as one from a page of another site; None where it is not.

    Browsers set these headers themselves; pages cannot change them.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        is_own = site in ("same-origin", "none")
    else:  # over plain HTTP from another machine, browsers send Origin alone
        is_own = origin is None or origin.partition("://")[2] == request.headers.get("host")
    return (
        None
        if is_own
        else tr("Only pages of this server may send requests to it. Open the page from this server’s address.")
    )


@lru_cache(1_000)
def network(address: str) -> str:
    """Returns an address, or the network of an IPv6 address, since a visitor has all 2**64 addresses of one.

    >>> network("10.0.0.1"), network("::ffff:10.0.0.1"), network("2001:db8::1") == network("2001:db8::2")
    ('10.0.0.1', '10.0.0.1', True)
    """
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return address
    return str(found.ipv4_mapped or int(found) >> 64)


def address_of(request: HTTPConnection) -> str:
    """Returns the IP address or network of a client, by which quotas are shared out."""
    return client_of(request)[0]


def client_of(request: HTTPConnection) -> tuple[str, int]:
    """Returns the IP address or network and the port of a client, which identify a connection."""
    return (network(request.client.host), request.client.port) if request.client else ("", 0)


def announced_bytes(request: HTTPConnection) -> int:
    """Returns the Content-Length of a request in bytes, 0 where it has none."""
    length = request.headers.get("content-length", "")
    return min(int(length[:20]), MAX_ANNOUNCED_BYTES) if length.isdecimal() else 0


async def read_body(
    request: Request, max_bytes: int, on_chunk: Callable[[int], None] = lambda size: None
) -> bytes | None:
    """Returns the body of a request, or None where it is too large; raises ClientDisconnect where it ends early.

    Calls `on_chunk` with the bytes of each chunk. RateLimitMiddleware sees to it that they come in time.
    """
    if announced_bytes(request) > max_bytes:
        return None
    body = bytearray()
    try:
        async for chunk in request.stream():
            on_chunk(len(chunk))
            body += chunk
            if len(body) > max_bytes:
                return None
        return bytes(body)
    finally:
        body.clear()  # the traceback of an exception may keep it alive


def refuse(status: int, message: str) -> Response:
    """Returns a response that gives the reason in plain text."""
    return PlainTextResponse(message, status, headers=HEADERS)
