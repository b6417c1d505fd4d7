"""ASGI middleware that serves our routes under a base path, too, where Streamlit serves its own routes."""

from collections.abc import Callable, Iterable

from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

OF_STREAMLIT = "tokenloupe.of_streamlit"  # the base path, in the scope of a request below it for no route of ours


class BasePath:
    """Stores the base path as `root_path` of the requests for our routes; Starlette removes it from their paths.

    `base` returns the base path, such as "/tokens" or "". Streamlit adds it to its own routes by itself, so their
    requests are marked: below "/class", its "/class/learn" is no code of a class.
    """

    def __init__(self, app: ASGIApp, base: Callable[[], str], routes: Iterable[BaseRoute]):
        self.app, self.base = app, base
        self.folders = {route.path.split("/")[1] for route in routes}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and (base := self.base()):
            path = scope["path"].removeprefix(base)
            if path != scope["path"] and path[:1] in ("", "/"):
                is_own = f"{path}/".split("/")[1] in self.folders
                scope = scope | ({"root_path": base} if is_own else {OF_STREAMLIT: base})
        await self.app(scope, receive, send)


class OwnRoute(BaseRoute):
    """A route of ours that takes no request for Streamlit's routes."""

    def __init__(self, route: BaseRoute):
        self.route, self.path = route, route.path

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Returns whether a request is for this route, and what it adds to the scope."""
        return (Match.NONE, {}) if scope.get(OF_STREAMLIT) else self.route.matches(scope)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        await self.route.handle(scope, receive, send)


def own_path(scope: Scope) -> str:
    """Returns the path of a request without the base path; "" where it is for one of Streamlit's routes.

    >>> own_path({"path": "/v1/v1/count", "root_path": "/v1"}), own_path({"path": "/v1/compare", OF_STREAMLIT: "/v1"})
    ('/v1/count', '')
    """
    return "" if scope.get(OF_STREAMLIT) else scope["path"].removeprefix(scope.get("root_path", ""))


def clean(written: str) -> str:
    """Returns a base path with a slash before it and none after it.

    >>> clean("tokens/"), clean("/"), clean("/a/b")
    ('/tokens', '', '/a/b')
    """
    path = written.strip("/")
    return f"/{path}" if path else ""
