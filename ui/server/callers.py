"""Who asks the routes, and how much of it is read."""

from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response

from tokenizer.words import tr

MARK = {"x-tokenloupe": "1", "cache-control": "no-store", "x-content-type-options": "nosniff"}


def foreign(request: HTTPConnection) -> str | None:
    """Why a request does not come from our own pages, or None: browsers send these headers, and pages cannot."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        own = site in ("same-origin", "none")
    else:  # plain http from another machine: browsers then send the origin alone
        own = origin is None or origin.partition("://")[2] == request.headers.get("host")
    return None if own else tr("Only pages of this server may ask.")


async def read(request: Request, most: int) -> bytes | None:
    """Returns the body of a request, or None where it has more bytes; raises ClientDisconnect where it ends early."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and (len(announced) > 9 or int(announced) > most):
        return None
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            return None
    return bytes(body)


def refuse(status: int, message: str) -> Response:
    """Returns an answer that says in plain text why there is none."""
    return PlainTextResponse(message, status, headers=MARK)
