"""The JavaScript of components at addresses of their own, which a browser caches.

Streamlit's own way is to send it in each run, and its page then hashes each character: of the 600 KB of the Playground
that takes a tenth of a second.
"""

import gzip
import hashlib
import json
from functools import cache

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.limits.request_guards import HEADERS, refuse

ROUTE = "/modules"
_sources: dict[str, bytes] = {}  # by name


def add(name: str, source: str) -> str:
    """Serves a module under its name; returns a short module with the same default export.

    >>> print(add("example", "export default 1;"))
    const module = await import(new URL("./modules/example.js?v=56332e0a55734bc2", document.baseURI));
    export default module.default;
    """
    _sources[name] = source.encode()
    path = f".{ROUTE}/{name}.js?v={_version(_sources[name])}"  # from a page
    address = f"new URL({json.dumps(path)}, document.baseURI)"
    return f"const module = await import({address});\nexport default module.default;"


@cache
def _version(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()[:16]


@cache
def _packed(source: bytes) -> bytes:
    return gzip.compress(source, mtime=0)


async def module(request: Request) -> Response:
    """Answers with a module; the browser may keep it for ever if the address names the current version."""
    if (source := _sources.get(request.path_params["name"])) is None:
        return refuse(404, "There is no such module.")
    headers = HEADERS | {"vary": "accept-encoding"}
    if request.query_params.get("v") == _version(source):
        headers["cache-control"] = "public, max-age=31536000, immutable"
    if "gzip" in request.headers.get("accept-encoding", ""):
        source, headers["content-encoding"] = _packed(source), "gzip"
    return Response(source, media_type="text/javascript", headers=headers)


routes = [Route(f"{ROUTE}/{{name}}.js", module)]
