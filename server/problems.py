"""Errors of the HTTP interfaces, as problem details (RFC 9457); each kind has its status."""

import json
from http import HTTPStatus
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

MEDIA_TYPE = "application/problem+json"
HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
DOCS = "/v1/docs"
RETRY_AFTER_SECONDS = 2

PROBLEM_KINDS = {  # the status, and a sentence for the documentation
    "bad-json": (400, "The body is not JSON as it is read here."),
    "other-site": (403, "The request comes from a page of another site, which is not allowed."),
    "wrong-host": (403, "The request names a host that is not this server."),
    "no-such-path": (404, "There is no such path."),
    "unknown-encoding": (404, "No encoding and no model has this name."),
    "wrong-method": (405, "This path does not accept this method."),
    "too-slow": (408, "The body did not arrive in time."),
    "too-large": (413, "The body, the text or the list of ids is larger than the limit."),
    "wrong-type": (415, "The body is not announced as application/json in UTF-8."),
    "bad-field": (422, "A field is missing, unknown, or not what it must be."),
    "unknown-ids": (422, "Some ids are not tokens of the encoding."),
    "special-token": (422, 'A special token is in the text. Send "special": "text" or "special" instead of "error".'),
    "only-counted": (422, "Tokens of this model can be counted, and nothing else is known of them."),
    "refused": (422, "The encoding cannot read this text."),
    "too-many": (429, "This visitor has too much under way already."),
    "failed": (500, "The server has a fault."),
    "not-installed": (501, "The encoding comes with a package that is not installed here."),
    "busy": (503, "All visitors together have too much under way."),
}


class Problem(Exception):
    """An error of a request: its kind, a detail with cause and remedy, and facts as extra fields."""

    def __init__(self, kind: str, detail: str, headers: dict[str, str] | None = None, **facts: Any):
        super().__init__(detail)
        self.kind, self.detail, self.facts = kind, detail, facts
        self.headers = (
            HEADERS
            | ({"retry-after": str(RETRY_AFTER_SECONDS)} if kind in ("too-many", "busy") else {})
            | (headers or {})
        )

    @property
    def status(self) -> int:
        """The status of the answer."""
        return PROBLEM_KINDS[self.kind][0]

    @property
    def body(self) -> dict[str, Any]:
        """The problem as a JSON object.

        >>> Problem("too-slow", "Send it again.").body["type"]
        '/v1/docs#too-slow'
        """
        about = {"type": f"{DOCS}#{self.kind}", "title": HTTPStatus(self.status).phrase, "status": self.status}
        return about | {"detail": self.detail} | self.facts

    def response(self, base: str = "") -> Response:
        """Returns the answer of a server whose paths begin with `base`."""
        body = self.body | {"type": f"{base}{self.body['type']}"}
        return Response(json.dumps(body).encode(), self.status, self.headers, MEDIA_TYPE)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request or the opening handshake of a socket."""
        if scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            return await self.response(scope.get("root_path", ""))(scope, receive, send)
        return await send({"type": "websocket.close", "code": 1008})
