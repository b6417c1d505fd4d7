"""ASGI middleware that checks host names and origins.

It refuses requests under a foreign host name (DNS rebinding) and sockets of pages of another origin: another site, or
another program on another port of this machine.
"""

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import limits
from server.limits.middleware import NullQuota, answer_after_body, limit_body
from server.limits.token_bucket import BucketPerAddress, TokenBucket
from server.problems import Problem

STREAMLIT_PATH = "/_stcore/"  # part of the paths of Streamlit's routes
DEFAULT_PORTS = {"http": 80, "https": 443}


class HostGuard:
    """Refuses requests and sockets whose Host header is not allowed.

    `allowed` returns the names, in the form of Streamlit's `server.allowedHosts`. Streamlit itself checks them on its
    socket alone, and serves its pages and files under any name.
    """

    def __init__(self, app: ASGIApp, allowed: Callable[[], Sequence[str]]):
        self.app, self.allowed = app, allowed
        self.bodies = BucketPerAddress(lambda: TokenBucket(limits.BODY_BYTES_PER_SECOND, limits.BODY_BURST_BYTES))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and not self._is_allowed(scope):
            detail = (
                "The Host header is no name that this server answers to. Its owner adds one by server.allowedHosts."
            )
            if scope["type"] == "http":
                receive = limit_body(scope, receive, lambda size: None, self.bodies)
                receive, send = answer_after_body(scope, receive, send, NullQuota())
            return await Problem("wrong-host", detail).answer(scope, receive, send)
        return await self.app(scope, receive, send)

    def _is_allowed(self, scope: Scope) -> bool:
        found = Headers(scope=scope).getlist("host")
        return is_allowed(found[0] if len(found) == 1 else None, self.allowed())


class OriginGuard:
    """ASGI middleware that refuses sockets of pages of other origins, and forbids other origins to frame any answer.

    Streamlit lets a page of any port of this host open its socket. `option` returns an option of Streamlit by name:
    origins in `server.corsAllowedOrigins` may open sockets, too.

    Any other Origin header is removed before Streamlit's routes: to compare it, Streamlit would ask a host on the
    Internet for this machine's address. Backslashes are removed from cookies, since Python before 3.11.10 and 3.12.6
    takes seconds to parse many (CVE-2024-7592); Streamlit's own cookies have none.
    """

    def __init__(self, app: ASGIApp, option: Callable[[str], Any]):
        self.app, self.option = app, option

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and not self._may_open(scope):
            return await send({"type": "websocket.close", "code": 1008})
        if any(name == b"cookie" and b"\\" in value for name, value in scope.get("headers", ())):
            short = [
                (name, value.replace(b"\\", b"")) if name == b"cookie" else (name, value)
                for name, value in scope["headers"]
            ]
            scope = scope | {"headers": short}
        if STREAMLIT_PATH in scope.get("path", ""):
            scope = scope | {"headers": [self._known(*one) for one in scope["headers"] if self._may_pass(*one)]}
        return await self.app(scope, receive, unframed(send) if scope["type"] == "http" else send)

    def _may_pass(self, name: bytes, value: bytes) -> bool:
        return name != b"origin" or value.decode("latin-1") in self.option("server.corsAllowedOrigins")

    def _known(self, name: bytes, value: bytes) -> tuple[bytes, bytes]:
        """Returns a header with a name in `server.allowedHosts` as its host: Streamlit refuses other hosts."""
        known = self.option("server.allowedHosts")
        if name != b"host" or is_allowed(value.decode("latin-1"), known):
            return name, value
        return name, next((one for one in known if "*" not in one), "").encode()

    def _may_open(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        origins = headers.getlist("origin")
        if not origins:  # not a browser: browsers send it with each socket
            return True
        if len(origins) > 1:
            return False
        is_own = is_own_origin(origins[0], headers.get("host"), scope["scheme"] == "wss")
        return is_own or origins[0] in self.option("server.corsAllowedOrigins")


def is_own_origin(origin: str, host: str | None, is_secure: bool) -> bool:
    """Whether an origin is that of this server's pages: the same name and port, and not http where pages are https.

    Behind a proxy without X-Forwarded-Proto, pages are https and the server does not know it.

    >>> is_own_origin("http://localhost:8501", "localhost:8501", False)
    True
    >>> is_own_origin("http://localhost:3000", "localhost:8501", False)
    False
    """
    scheme, _, place = origin.partition("://")
    if scheme not in DEFAULT_PORTS or (origin_host := _name_and_port(place, scheme)) is None:
        return False
    return not (scheme == "http" and is_secure) and origin_host == _name_and_port(host, scheme)


def _name_and_port(host: str | None, scheme: str) -> tuple[str, int] | None:
    name = _hostname(host)
    return name and (name, urlsplit(f"//{host}").port or DEFAULT_PORTS[scheme])


def unframed(send: Send) -> Send:
    """Returns a `send` that adds headers: only pages of the same origin may frame the answer, and no content sniffing.

    An answer with a frame-ancestors policy of its own keeps it.
    """

    async def send_unframed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if not any("frame-ancestors" in policy for policy in headers.getlist("content-security-policy")):
                headers.append("content-security-policy", "frame-ancestors 'self'")
            headers["x-content-type-options"] = "nosniff"
        await send(message)

    return send_unframed


def is_allowed(host: str | None, allowed: Sequence[str]) -> bool:
    """Whether a Host header has one of these names, with any port: "*.x" is any name below x, "*" any name.

    >>> is_allowed("localhost:8501", ["localhost"]), is_allowed("a.x.org", ["*.x.org"]), is_allowed("y.org", ["x.org"])
    (True, True, False)
    """
    if not allowed:
        return True
    if (name := _hostname(host)) is None:
        return False
    patterns = [one.strip().lower().rstrip(".") for one in allowed]
    return any(one in ("*", name) or (one.startswith("*.") and name.endswith(one[1:])) for one in patterns)


def _hostname(host: str | None) -> str | None:
    """Returns the name in a Host header; None where the header is not a name with or without a port."""
    try:
        found = urlsplit(f"//{host or ''}")
        _ = found.port  # raises ValueError where it is not a port number
    except ValueError:
        return None
    is_plain = not (found.path or found.query or found.fragment or "@" in found.netloc)
    return found.hostname.lower().rstrip(".") if is_plain and found.hostname else None
