"""ASGI middleware that serves our routes under a base path, too, where Streamlit serves its own routes."""

from collections.abc import Callable, Iterable

from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send


class BasePath:
    """Removes the base path from the paths of our routes, and stores it as `root_path` for the links of their pages.

    `base` returns the base path, such as "/tokens" or "". Streamlit adds it to its own routes by itself.
    """

    def __init__(self, app: ASGIApp, base: Callable[[], str], routes: Iterable[BaseRoute]):
        self.app, self.base = app, base
        self.folders = {route.path.split("/")[1] for route in routes}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and (base := self.base()):
            path = scope["path"].removeprefix(base)
            if path != scope["path"] and path.startswith("/") and path.split("/")[1] in self.folders:
                scope = scope | {"path": path, "root_path": base}
        await self.app(scope, receive, send)


def clean(written: str) -> str:
    """Returns a base path with a slash before it and none after it.

    >>> clean("tokens/"), clean("/"), clean("/a/b")
    ('/tokens', '', '/a/b')
    """
    path = written.strip("/")
    return f"/{path}" if path else ""
