"""The names that this server answers to: a site whose own name was made to lead here (DNS rebinding) is not let in."""

from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.server.v1.problems import Problem


class HostGuard:
    """Stands before pages, routes and sockets, and refuses whoever asks by a name that is not allowed.

    `allowed` returns the names, as Streamlit's `server.allowedHosts` has them. Streamlit asks for them on its socket
    alone, and would give its pages and files to any name.
    """

    def __init__(self, app: ASGIApp, allowed: Callable[[], Sequence[str]]):
        self.app, self.allowed = app, allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and not self._is_allowed(scope):
            return await self._refuse(scope, receive, send)
        return await self.app(scope, receive, send)

    def _is_allowed(self, scope: Scope) -> bool:
        found = Headers(scope=scope).getlist("host")
        return is_allowed(found[0] if len(found) == 1 else None, self.allowed())

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008})
        says = "The Host header is not a name that this server answers to. Its owner adds one by server.allowedHosts."
        return await Problem("wrong-host", says).response()(scope, receive, send)


def is_allowed(host: str | None, allowed: Sequence[str]) -> bool:
    """Whether a Host header has one of these names, whatever its port: "*.x" is any name below x, "*" any at all.

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
    """The name in a Host header; None where it is no name with or without a port."""
    try:
        found = urlsplit(f"//{host or ''}")
        _ = found.port  # raises where it is no number of a port
    except ValueError:
        return None
    is_plain = not (found.path or found.query or found.fragment or "@" in found.netloc)
    return found.hostname.lower().rstrip(".") if is_plain and found.hostname else None
