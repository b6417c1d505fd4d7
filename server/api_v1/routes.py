"""The routes of `/v1`: `POST /v1/count` and the other questions, `GET /v1/encodings`, and the documentation."""

import asyncio
import difflib
import logging
import os
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from server.api_v1 import docs_page, questions
from server.api_v1.json_body import parsed
from server.api_v1.openapi import as_json
from server.api_v1.questions import QUESTIONS
from server.base_path import own_path
from server.encodings import encoding_store
from server.limits.fair_queue import Slots
from server.limits.quota import BYTE_QUOTA, Reservation
from server.limits.request_guards import address_of, client_of, cross_site_reason, read_body
from server.problems import HEADERS, Problem
from tokenizer import has_safe_cuts
from tokenizer.errors import DamagedEncodingFile, SpecialTokenInText, TokenizerError
from tokenizer.formats.sandboxed_model import ServerBusy
from tokenizer.i18n import SOURCE_LANGUAGE, using_language
from tokenizer.kinds.open_models import needs_own_process

V1 = "/v1"
CORS = "TOKENLOUPE_CORS"  # origins whose pages may send requests, separated by commas; * allows all
MAX_BODY_BYTES = 10_000_000  # JSON may take three and more bytes for one of the text
INLINE_LIMIT_BYTES = 8_000  # a smaller body is answered on the event loop; a thread would cost more than the work
SEND_TIMEOUT_SECONDS = 60  # of an answer
MAX_RUNNING_QUESTIONS = 2  # long questions; and as many for models that run in a sandbox
_workers = ThreadPoolExecutor(2 * MAX_RUNNING_QUESTIONS, "v1")


class Api:
    """Answers `/v1` for programs, for our own pages, and for pages of `origins`."""

    def __init__(self, origins: Sequence[str] = ()):
        self.origins = {*origins}
        self.turns, self.foreign_turns = Slots(MAX_RUNNING_QUESTIONS), Slots(MAX_RUNNING_QUESTIONS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        with BYTE_QUOTA.reserve(address_of(request)) as reservation, suppress(TimeoutError):
            response = await self._response(request, reservation)
            async with asyncio.timeout(SEND_TIMEOUT_SECONDS):
                await response(scope, receive, send)

    async def _response(self, request: Request, reservation: Reservation) -> Response:
        try:
            return await self._answer(request, reservation)
        except Problem as problem:
            return problem.response(base_of(request))
        except ClientDisconnect:
            return Problem("bad-json", "The body is incomplete.").response(base_of(request))
        except Exception as error:  # its message may contain parts of the text, so it is not logged
            frames = "".join(traceback.format_tb(error.__traceback__))
            logging.getLogger(__name__).error("%s in %s:\n%s", type(error).__name__, V1, frames)
            detail = "The server has a fault. Its log says where, without the text."
            return Problem("failed", detail).response(base_of(request))

    async def _answer(self, request: Request, reservation: Reservation) -> Response:
        name = own_path(request.scope).removeprefix(V1).strip("/")
        if name in QUESTIONS:
            allow(request, "POST")
            return await self._question(request, name, reservation)
        if name in PAGES:
            allow(request, "GET", "HEAD")
            return PAGES[name](base_of(request))
        found = difflib.get_close_matches(name[:40], [*QUESTIONS, *PAGES], n=1)
        meant = f" Did you mean {V1}/{found[0]}?" if found else ""
        raise Problem("no-such-path", f"There is no such path.{meant} {V1}/docs lists all paths.")

    async def _question(self, request: Request, name: str, reservation: Reservation) -> Response:
        if cross_site_reason(request) and not {"*", request.headers.get("origin")} & self.origins:
            raise Problem("other-site", f"Pages of other sites may not ask. Whoever runs the server may set {CORS}.")
        must_be_json(request)
        body = await question_body(request, reservation)
        if len(body) > INLINE_LIMIT_BYTES or (answer := answer_inline(name, body)) is None:
            answer = await self._in_turn(request, name, body)
        reservation.add(len(answer))
        return respond(answer)

    async def _in_turn(self, request: Request, name: str, body: bytes) -> bytes:
        async with self.turns.turn(*client_of(request)):
            question = await in_thread(request, prepared, name, body)
            if is_counted(name, question) or not any(map(needs_own_process, questions.names(question))):
                return await in_thread(request, answer_of, name, question)
        async with self.foreign_turns.turn(*client_of(request)):
            return await in_thread(request, answer_of, name, question)


# ---- requests ----


def base_of(request: Request) -> str:
    """Returns the base path under which a request came."""
    return request.scope.get("root_path", "")


def allow(request: Request, *methods: str) -> None:
    """Raises Problem unless a request has one of these methods."""
    if request.method not in methods:
        words = " or ".join(methods)
        raise Problem("wrong-method", f"Ask this by {words}, not {request.method[:20]}.", {"allow": ", ".join(methods)})


def must_be_json(request: Request) -> None:
    """Raises Problem unless the body is announced as plain JSON in UTF-8."""
    kind, _, parameters = request.headers.get("content-type", "").lower().partition(";")
    charset = parameters.partition("charset=")[2].partition(";")[0].strip(' "')
    if kind.strip() != "application/json" or charset not in ("", "utf-8"):
        raise Problem("wrong-type", "Send the header Content-Type: application/json, and the body in UTF-8.")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Problem("wrong-type", "Send the body as it is: packed ones are not unpacked here.")


async def question_body(request: Request, reservation: Reservation) -> bytes:
    """Returns the body of a request; raises Problem where it is too large."""
    body = await read_body(request, MAX_BODY_BYTES, reservation.add)
    if body is None:
        detail = f"The body is larger than {MAX_BODY_BYTES:,} bytes. Send the text in parts."
        raise Problem("too-large", detail, limit=MAX_BODY_BYTES)
    return body


def prepared(name: str, body: bytes) -> dict[str, Any]:
    """Returns the fields of a body; raises Problem where one is invalid or an encoding is unknown."""
    with using_language(SOURCE_LANGUAGE):
        question = parsed(body, QUESTIONS[name].is_nested)
        questions.check(name, question)
        if not is_counted(name, question):
            questions.names(question)
    return question


# ---- answers ----


def answer_inline(name: str, body: bytes) -> bytes | None:
    """Returns the answer to a short question; None where it may take long."""
    question = prepared(name, body)
    if name in ("compare", "chat") or is_counted(name, question):
        return None
    return answer_of(name, question) if all(map(is_quick, questions.names(question))) else None


def is_counted(name: str, question: dict[str, Any]) -> bool:
    """Whether a question is a count by a counter, which runs in a worker process."""
    return name == "count" and questions.counter(question) is not None


def is_quick(name: str) -> bool:
    """Whether an encoding is loaded and reads a short text without delay."""
    return (
        not needs_own_process(name)
        and encoding_store.is_ready(name)
        and has_safe_cuts(encoding_store.find(name).encoding.pattern)
    )


def answer_of(name: str, question: dict[str, Any]) -> bytes:
    """Returns the answer; raises Problem."""
    with using_language(SOURCE_LANGUAGE):
        try:
            return QUESTIONS[name].answer(question)
        except SpecialTokenInText as error:
            facts = {"token": error.token, "code_point": error.position, "byte": error.byte_position}
            raise Problem("special-token", str(error), **facts) from None
        except DamagedEncodingFile:  # a fault of the server; its message contains a path on the server
            raise
        except ServerBusy as error:
            raise Problem("busy", str(error)) from None
        except TokenizerError as error:
            raise Problem("refused", str(error)) from None


async def in_thread(request: Request, function: Callable, *args: Any) -> Any:
    """Runs a function in a thread; raises ClientDisconnect if the client has gone."""
    if await request.is_disconnected():
        raise ClientDisconnect
    return await asyncio.get_running_loop().run_in_executor(_workers, function, *args)


def respond(answer: bytes, media: str = "application/json", more: dict[str, str] | None = None) -> Response:
    """Returns a response."""
    # "identity" keeps Streamlit's gzip away, which would compress on the event loop
    headers = HEADERS | {"content-encoding": "identity"} | (more or {})
    return Response(answer, headers=headers, media_type=media)


PAGES = {
    "": lambda base: RedirectResponse(f"{base}{V1}/docs", 307, HEADERS),
    "encodings": lambda base: respond(questions.encodings()),
    "openapi.json": lambda base: respond(as_json(base)),
    "docs": lambda base: respond(docs_page.page(), "text/html", docs_page.HEADERS),
    **{
        f"docs/{name}": (lambda base, name=name: respond(docs_page.file(name), docs_page.FILES[name]))
        for name in docs_page.FILES
    },
}


def app(origins: Sequence[str]) -> ASGIApp:
    """Returns the ASGI app for `/v1`; pages of these origins may send requests, "*" means all."""
    found = Api(origins)
    if not origins:
        return found
    return Cors(found, origins, ["GET", "POST"], allow_headers=["content-type"], expose_headers=["retry-after"])


class Cors(CORSMiddleware):
    """CORS headers for some origins; a refused preflight is answered with a Problem."""

    def preflight_response(self, request_headers: Headers) -> Response:
        """Answers a preflight request."""
        answer = super().preflight_response(request_headers)
        if answer.status_code == 200:
            return answer
        detail = f"{answer.body.decode()}. Pages may GET and POST with a Content-Type, of the origins in {CORS}."
        return Problem("other-site", detail).response()


def origins(written: str) -> list[str]:
    """Returns the origins in a setting.

    >>> origins("https://a.org, http://localhost:3000"), origins("")
    (['https://a.org', 'http://localhost:3000'], [])
    """
    return [one.strip().rstrip("/") for one in written.split(",") if one.strip()]


def routes_of(origins: Sequence[str] = ()) -> list[Route]:
    """Returns the routes of `/v1`."""
    answers = app(origins)
    return [Route(V1, answers), Route(f"{V1}/{{rest:path}}", answers)]


routes = routes_of(origins(os.environ.get(CORS, "")))
