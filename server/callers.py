"""Who asks the routes, and how much of it is read."""

from collections.abc import Callable

from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response

from tokenizer.i18n import tr

MARK = {"x-tokenloupe": "1", "cache-control": "no-store", "x-content-type-options": "nosniff"}
LARGEST = 10**12  # bytes; a body that is said to be larger is as large


def foreign(request: HTTPConnection) -> str | None:
    """Why a request does not come from our own pages, or None: browsers send these headers, and pages cannot."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        own = site in ("same-origin", "none")
    else:  # plain http from another machine: browsers then send the origin alone
        own = origin is None or origin.partition("://")[2] == request.headers.get("host")
    return None if own else tr("Only pages of this server may ask.")


def visitor(request: HTTPConnection) -> str:
    """Returns who asks, as far as turns and room go: an address."""
    return request.client.host if request.client else ""


def client(request: HTTPConnection) -> tuple[str, int]:
    """Returns the address and the port of who asks: another one for each connection."""
    return request.client or ("", 0)


def announced(request: HTTPConnection) -> int:
    """Returns how many bytes a body is said to have, 0 where it is not said."""
    found = request.headers.get("content-length", "")
    return min(int(found[:20]), LARGEST) if found.isdecimal() else 0


async def read(request: Request, most: int, heard: Callable[[int], None] = lambda size: None) -> bytes | None:
    """Returns the body of a request, or None where it has more bytes; raises ClientDisconnect where it ends early.

    `heard` is told the bytes of each part as it comes. The gate sees to it that it comes in time.
    """
    if announced(request) > most:
        return None
    body = bytearray()
    try:
        async for part in request.stream():
            heard(len(part))
            body += part
            if len(body) > most:
                return None
        return bytes(body)
    finally:
        body.clear()  # what was raised may hold it for longer


def refuse(status: int, message: str) -> Response:
    """Returns an answer that says in plain text why there is none."""
    return PlainTextResponse(message, status, headers=MARK)
