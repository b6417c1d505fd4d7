"""The tokens of one text as a page that other sites may show in a frame: `GET /embed?encoding=…&text=…`.

It is off unless TOKENLOUPE_EMBED names these sites.
"""

import logging
import os
import re
from functools import cache, partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.editor_api.questions import INLINE_EXPORT_LIMIT_BYTES
from server.editor_api.routes import in_language, with_encoding
from server.encodings import encoding_store
from server.exports.take_home import framed
from server.limits.request_guards import HEADERS, client_of, refuse
from server.workers.background_worker import worker
from tokenizer.i18n import mark, tr

EMBED = "/embed"
SITES = "TOKENLOUPE_EMBED"  # origins whose pages may show the page in a frame, with commas between; * allows all
ORIGIN = re.compile(r"\*|https?://(\*\.)?[\w-]+(\.[\w-]+)*(:\d{1,5})?", re.ASCII)
OFF = mark(
    "This server does not allow other sites to show tokens from it. Whoever runs the server can allow sites by starting"
    " it with their origins in the environment variable {variable}, such as {variable}=https://example.org."
)
NO_TEXT = mark("The address contains no text. Add a text as the parameter “text”.")
OWN = mark(
    "This tokenizer was made by a visitor, for example from a file or by training. Other sites can show only tokenizers"
    " that come with Tokenloupe. Choose another tokenizer."
)
WAYS = ("text", "special")


def origins() -> list[str]:
    """Returns the origins whose pages may show the page in a frame; none where it is off.

    >>> origins()
    []
    """
    return _origins(os.environ.get(SITES, ""))


@cache
def _origins(written: str) -> list[str]:
    """Returns the origins in a setting; none, and logs why, if a part of it is no origin.

    >>> _origins("https://a.org/, http://localhost:3000 https://*.b.org")
    ['https://a.org', 'http://localhost:3000', 'https://*.b.org']
    """
    found = [one.rstrip("/") for one in written.replace(",", " ").split()]
    if wrong := [one for one in found if not ORIGIN.fullmatch(one)]:
        problem = "%s is ignored: %r is no origin such as https://example.org."
        logging.getLogger(__name__).warning(problem, SITES, wrong[0])
        return []
    return found


@in_language
async def embed(request: Request) -> Response:
    """Answers with the page of a text, or gives the reason in plain text why not."""
    if not (sites := origins()):
        return refuse(404, tr(OFF, variable=SITES))
    status, answer = await _answer(request)
    response = Response(answer, media_type="text/html", headers=HEADERS) if status == 200 else refuse(status, answer)
    # The sandbox gives the page an origin of its own, so that nothing in it reads or asks what the app's pages can.
    response.headers["content-security-policy"] = f"frame-ancestors 'self' {' '.join(sites)}; sandbox allow-scripts"
    response.headers["referrer-policy"] = "no-referrer"
    return response


async def _answer(request: Request) -> tuple[int, str]:
    """Returns status and page, or status and reason."""
    parameters = request.query_params
    text, key, special = (parameters.get(name, "") for name in ("text", "encoding", "special"))
    if not text:
        return 400, tr(NO_TEXT)
    if encoding_store.is_made(key):
        return 404, tr(OWN)
    if special not in ("", *WAYS):
        return 400, tr("The parameter “special” is {special!r}; it must be 'text' or 'special'.", special=special[:40])
    is_long = len(text.encode()) > INLINE_EXPORT_LIMIT_BYTES["html"]
    write = partial(worker.run, framed) if is_long else framed
    name = "html" if is_long else "embed"  # a long one waits with the exports, which the worker process writes
    status, answer = await with_encoding(
        lambda stored: write(text, stored, special or "text").encode(),
        name,
        {"encoding": key},
        len(text),
        client_of(request),
    )
    return status, answer.decode()


routes = [Route(EMBED, embed)]
