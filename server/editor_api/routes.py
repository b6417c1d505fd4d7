"""The editor's routes: `POST /api/<question>?encoding=…&special=…`, and a socket for the questions of each key."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import copy_context
from functools import partial, wraps
from weakref import WeakValueDictionary

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from server.editor_api import corrections
from server.editor_api.questions import (
    EXPORTS,
    INLINE_LIMIT_BYTES,
    MAX_TEXTS,
    QUESTIONS,
    ROUTE,
    Body,
    answer,
    cost_class,
)
from server.encodings import encoding_store, rank_tables
from server.encodings.encoding_store import Evicted, StoredEncoding
from server.limits.fair_queue import Client, Slots
from server.limits.request_guards import HEADERS, client_of, cross_site_reason, read_body, refuse
from server.problems import Problem
from tokenizer.display.qr import qr_svg
from tokenizer.errors import TokenizerError, UnknownEncoding
from tokenizer.formats.sandboxed_model import MAX_PROCESSES
from tokenizer.i18n import SOURCE_LANGUAGE, mark, tr, using_language
from tokenizer.text.files import MAX_FILE_BYTES as MAX_TEXT_BYTES

MAX_BODY_BYTES = MAX_TEXT_BYTES + 4 * MAX_TEXTS + 4
MAX_LINK_BYTES = 10_000  # of a link that is drawn as a QR code
MAX_INLINE_TEXTS = 64  # short texts that are answered on the event loop; a thread would cost more than the work
LONG_BODY_BYTES = 200_000  # a larger body waits for a slot of its own kind, so that others do not wait behind it
MAX_HEAD_BYTES = 4_096  # of a message; a longer question is sent by POST
MAX_RERUN_BYTES = 1_000_000  # of a question that comes with a rerun; the editor sends a long text in parts
MAX_WAIT_SECONDS = 120  # for a slot
MAX_REPLY_SECONDS = 300  # for a slot and the answer
# Questions that run at a time, each kind with its own fair queue: a short text does not wait behind a long one, and
# neither waits behind a visitor's own pattern, which may take long. A file takes seconds to write, and much memory.
SLOTS = {
    "known": Slots(2, MAX_WAIT_SECONDS),
    "long": Slots(1, MAX_WAIT_SECONDS),
    "own": Slots(1, MAX_WAIT_SECONDS),
    "file": Slots(1, MAX_WAIT_SECONDS),
    "table": Slots(1, MAX_WAIT_SECONDS),
}
BUSY = mark("The server is busy. Try again in a moment.")
SANDBOX_THREADS = ThreadPoolExecutor(MAX_PROCESSES, "sandboxes")  # threads that wait for sandboxes
Endpoint = Callable[[Request], Awaitable[Response]]
_model_slots: WeakValueDictionary[str, Slots] = WeakValueDictionary()


_loop: asyncio.AbstractEventLoop | None = None  # that serves the app, between start and shutdown


@asynccontextmanager
async def serving(app: object) -> AsyncIterator[None]:
    """Stores the event loop on which questions are answered, while the app is served."""
    global _loop
    _loop = asyncio.get_running_loop()
    try:
        yield
    finally:
        _loop = None


def reply(name: str, parameters: dict[str, str], body: bytes, client: Client) -> tuple[int, bytes]:
    """Returns status and answer, or status and reason, for a question that came with a rerun, in a script's thread.

    The question waits in the same queues as all others.
    """
    with using_language(parameters.get("lang", SOURCE_LANGUAGE)):
        if name in EXPORTS:
            problem = mark(
                "The file cannot be made: it needs the fast connection to the server, which does not work here. If"
                " there is an ad blocker or a proxy, turn it off for this page."
            )
            return 400, tr(problem).encode()
        if len(body) > MAX_RERUN_BYTES:
            problem = mark(
                "The fast connection to the server does not work, and this text is too long for the slower one. Try a"
                " shorter text."
            )
            return 413, tr(problem).encode()
        answering = answer_question(name, parameters, body, client)  # its task inherits the language
        if _loop is None:
            return asyncio.run(answering)
        answer = asyncio.run_coroutine_threadsafe(answering, _loop)
        try:
            return answer.result(MAX_REPLY_SECONDS)
        except TimeoutError:  # the loop may have stopped
            answer.cancel()
            return 503, tr(BUSY).encode()


def _refusal(request: Request) -> Response | None:
    """Refuses a request of another site, or with a body of another type; None where it is neither."""
    if problem := cross_site_reason(request):
        return refuse(403, problem)
    if request.headers.get("content-type", "").partition(";")[0] != "application/octet-stream":
        return refuse(415, tr("The content type of the request must be application/octet-stream."))
    return None


def in_language(endpoint: Endpoint) -> Endpoint:
    """Returns an endpoint that answers in the language that the request names."""

    @wraps(endpoint)
    async def answer_in_language(request: Request) -> Response:
        with using_language(request.query_params.get("lang", SOURCE_LANGUAGE)):
            return await endpoint(request)

    return answer_in_language


@in_language
async def ask(request: Request) -> Response:
    """Answers one question of the editor, or gives the reason in plain text why not (4xx)."""
    if refusal := _refusal(request):
        return refusal
    if request.path_params["name"] not in QUESTIONS:
        return refuse(
            404,
            tr(
                "This server has no function at this address. The functions are: {questions}.",
                questions=", ".join(QUESTIONS),
            ),
        )
    try:
        body = await read_body(request, MAX_BODY_BYTES)
    except ClientDisconnect:
        return refuse(400, tr("The body of the request did not arrive completely. Send the request again."))
    if body is None:
        return refuse(
            413,
            tr(
                "The body of the request is larger than {most:,} bytes, the limit. Send a shorter text.",
                most=MAX_BODY_BYTES,
            ),
        )
    status, result = await answer_question(
        request.path_params["name"], dict(request.query_params), body, client_of(request)
    )
    if status != 200:
        return refuse(status, result.decode())
    # "identity" keeps Streamlit's gzip away: packing numbers takes longer than sending them.
    return Response(result, media_type="application/octet-stream", headers={**HEADERS, "content-encoding": "identity"})


@in_language
async def code(request: Request) -> Response:
    """Draws the QR code of the link in the body, or gives the reason in plain text why not; stores nothing."""
    if refusal := _refusal(request):
        return refusal
    try:
        body = await read_body(request, MAX_LINK_BYTES)
        if body is None:
            return refuse(
                413,
                tr(
                    "The link is longer than {most:,} bytes, the limit for a QR code. Share the page as a file.",
                    most=MAX_LINK_BYTES,
                ),
            )
        link = body.decode()
        async with SLOTS["known"].turn(*client_of(request)):
            drawn = await asyncio.to_thread(qr_svg, link)
    except ClientDisconnect:
        return refuse(400, tr("The body of the request did not arrive completely. Send the request again."))
    except UnicodeDecodeError:
        return refuse(400, tr("The link is not valid UTF-8, so no QR code can be made from it. Copy the link again."))
    except TokenizerError as error:
        return refuse(400, str(error))
    except Problem:
        return refuse(503, tr(BUSY))
    return Response(drawn, media_type="image/svg+xml", headers=HEADERS)


async def answer_socket(socket: WebSocket) -> None:
    """Answers short questions over a socket, one after the other, without the cost of a request for each key.

    A message has the question's number, the length of its head, the head as JSON (`name`, `parameters`) and the body.
    Its answer has the number, a status as in HTTP, and the answer or the reason for refusing it.
    """
    if cross_site_reason(socket):
        return await socket.close()
    await socket.accept()
    try:
        while True:
            # no variables: they would keep message and answer alive while the next message is awaited
            await socket.send_bytes(await _answer_message(await socket.receive_bytes(), client_of(socket)))
    except (WebSocketDisconnect, KeyError):  # disconnected, or sent text, which our editor never does
        return None


def slots_for(name: str, cost_class: str, size: int) -> Slots:
    """Returns the slots that a long question waits for; each tokenizer that runs in a sandbox has its own."""
    if name in EXPORTS:
        return SLOTS["file"]
    if cost_class in SLOTS:
        return SLOTS["long" if cost_class == "known" and size > LONG_BODY_BYTES else cost_class]
    return _model_slots.setdefault(cost_class, Slots(1, MAX_WAIT_SECONDS))


async def _answer_message(message: bytes, client: Client) -> bytes:
    status, result = await _answer_to_message(message, client)
    return b"".join([message[:4].ljust(4, b"\0"), status.to_bytes(4, "little"), result])


async def _answer_to_message(message: bytes, client: Client) -> tuple[int, bytes]:
    end = 8 + int.from_bytes(message[4:8], "little")
    if len(message) > MAX_BODY_BYTES or end > 8 + MAX_HEAD_BYTES:
        return 413, b"The question is too large."
    try:
        head = json.loads(message[8:end])
        name, parameters = head["name"], {str(key): str(value) for key, value in head["parameters"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return 400, b"The head of the question cannot be read."
    with using_language(parameters.get("lang", SOURCE_LANGUAGE)):
        return await answer_question(str(name), parameters, memoryview(message)[end:], client)


async def answer_question(
    name: str, parameters: dict[str, str], body: Body, client: Client = ("",)
) -> tuple[int, bytes]:
    """Returns status and answer, or status and reason, in the current language."""
    is_short = len(body) <= INLINE_LIMIT_BYTES.get(name, 0) and int.from_bytes(body[:4], "little") <= MAX_INLINE_TEXTS
    return await with_encoding(partial(answer, name, parameters, body), name, parameters, len(body), client, is_short)


async def with_encoding(
    answer: Callable[[StoredEncoding], bytes],
    name: str,
    parameters: dict[str, str],
    size: int,
    client: Client = ("",),
    is_short: bool = False,
) -> tuple[int, bytes]:
    """Returns status and answer, or status and reason; calls `answer` with the encoding that the parameters name.

    Short questions are answered on the event loop, all others in a thread, once a slot for their cost class is free.
    """
    try:
        key = parameters.get("encoding", "")
        if encoding_store.is_ready(key):
            stored = encoding_store.find(key)
        else:
            stored = await asyncio.to_thread(encoding_store.find, key)
        cost = cost_class(parameters, stored)
        if cost == "known" and is_short:
            return 200, answer(stored)
        async with slots_for(name, cost, size).turn(*client):
            threads = None if cost in SLOTS else SANDBOX_THREADS
            context = copy_context()  # includes the language
            run = partial(context.run, answer, stored)
            return 200, await asyncio.get_running_loop().run_in_executor(threads, run)
    except (UnknownEncoding, Evicted) as error:
        return 404, str(error).encode()
    except TokenizerError as error:
        return 400, str(error).encode()
    except Problem:  # too many questions wait, or this one waited too long
        return 503, tr(BUSY).encode()


@in_language
async def rank_table(request: Request) -> Response:
    """Answers with the compressed rank table of an encoding, which never changes at its address."""
    key, version = request.path_params["key"], request.query_params.get("v", "")
    cached, make = (partial(one, key, version) for one in (rank_tables.cached, rank_tables.compressed))
    return await immutable_answer(request, "application/octet-stream", make, cached)


@in_language
async def categories(request: Request) -> Response:
    """Answers with the characters of each category as tiktoken knows them, which never change at their address."""
    make = partial(rank_tables.categories, request.query_params.get("v", ""))
    return await immutable_answer(request, "application/json", make)


async def immutable_answer(
    request: Request, media_type: str, make: Callable[[], bytes], cached: Callable[[], bytes | None] = lambda: None
) -> Response:
    """Answers with the gzip data that `make` returns, or with the cached data; the browser may keep it for ever."""
    if problem := cross_site_reason(request):
        return refuse(403, problem)
    try:
        if (found := cached()) is None:
            async with SLOTS["table"].turn(*client_of(request)):
                found = await asyncio.to_thread(make)
    except TokenizerError as error:
        return refuse(404, str(error))
    except Problem:
        return refuse(503, tr(BUSY))
    kept = {"content-encoding": "gzip", "cache-control": "private, max-age=31536000, immutable"}
    return Response(found, media_type=media_type, headers=HEADERS | kept)


async def corrected(request: Request) -> Response:
    """Answers with the number of pieces of text whose tokens the server has corrected since it started."""
    return JSONResponse({"corrected": corrections.total()}, headers=HEADERS)


routes = [
    WebSocketRoute(f"{ROUTE}/live", answer_socket),
    Route(f"{ROUTE}/qr", code, methods=["POST"]),
    Route(f"{ROUTE}/corrections", corrected),
    Route(f"{ROUTE}/ranks/{{key}}", rank_table),
    Route(f"{ROUTE}/categories", categories),
    Route(f"{ROUTE}/{{name}}", ask, methods=["POST"]),
]
