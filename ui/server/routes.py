"""The routes beside Streamlit: `POST /api/<question>?encoding=…&special=…`, and a socket for the editor's keys."""

import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from weakref import WeakValueDictionary

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from tokenizer.display.qr import qr_svg
from tokenizer.errors import TokenizerError, UnknownEncoding
from tokenizer.formats.apart import MOST_ALIVE
from tokenizer.words import ORIGINAL, speaking, tr
from ui.server import shelf
from ui.server.answers import LARGE_ONES, MOST_BYTES, MOST_TEXTS, QUESTIONS, QUICK_ONES, ROUTE, answer, pace
from ui.server.callers import MARK, foreign, read, refuse
from ui.server.classroom.routes import routes as class_routes
from ui.server.shelf import IsGone
from ui.server.v1.routes import routes as v1_routes

# A key waits so long for a thread at work, and two or three times; at Python's 5 ms one saw when others load something.
sys.setswitchinterval(0.001)

MOST_BODY = MOST_BYTES + 4 * MOST_TEXTS + 4
MOST_LINK = 10_000  # bytes that a link may have of which a QR code is asked
QUICK = 8_000  # bytes that are answered at once; a thread would cost more than the work
# Long questions at a time. Short ones never wait behind them, nor behind a visitor's own pattern, which may take long.
TURNS = {"known": asyncio.Semaphore(2), "own": asyncio.Semaphore(1)}
FOREIGN = ThreadPoolExecutor(MOST_ALIVE, "apart")  # threads that wait for processes
_own_turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
FILES_AT_A_TIME = asyncio.Semaphore(1)  # a file takes seconds to write, and hundreds of megabytes


async def ask(request: Request) -> Response:
    """Answers one question of the editor, or says in plain text why not (4xx)."""
    with speaking(request.query_params.get("lang", ORIGINAL)):
        return await _asked(request)


async def _asked(request: Request) -> Response:
    if problem := foreign(request):
        return refuse(403, problem)
    if request.headers.get("content-type", "").partition(";")[0] != "application/octet-stream":
        return refuse(415, tr("The body must be application/octet-stream."))
    if request.path_params["name"] not in QUESTIONS:
        return refuse(404, tr("Nothing answers here. Ask for one of: {questions}.", questions=", ".join(QUESTIONS)))
    try:
        body = await read(request, MOST_BODY)
    except ClientDisconnect:
        return refuse(400, tr("The body ended early."))
    if body is None:
        return refuse(413, tr("The body is larger than {most:,} bytes.", most=MOST_BODY))
    status, result = await _reply(request.path_params["name"], dict(request.query_params), body)
    if status != 200:
        return refuse(status, result.decode())
    # "identity" keeps Streamlit's gzip away: packing numbers takes longer than sending them.
    return Response(result, media_type="application/octet-stream", headers={**MARK, "content-encoding": "identity"})


async def code(request: Request) -> Response:
    """Draws the QR code of the link in the body, or says in plain text why not; nothing of it is kept."""
    with speaking(request.query_params.get("lang", ORIGINAL)):
        return await _drawn(request)


async def _drawn(request: Request) -> Response:
    if problem := foreign(request):
        return refuse(403, problem)
    if request.headers.get("content-type", "").partition(";")[0] != "application/octet-stream":
        return refuse(415, tr("The body must be application/octet-stream."))
    try:
        body = await read(request, MOST_LINK)
        if body is None:
            return refuse(413, tr("The link is longer than {most:,} bytes.", most=MOST_LINK))
        drawn = qr_svg(body.decode())
    except ClientDisconnect:
        return refuse(400, tr("The body ended early."))
    except UnicodeDecodeError:
        return refuse(400, tr("The link is not UTF-8."))
    except TokenizerError as error:
        return refuse(400, str(error))
    return Response(drawn, media_type="image/svg+xml", headers=MARK)


async def live(socket: WebSocket) -> None:
    """Answers short questions over a socket, one after the other, without the cost of a request for each key.

    A message is the question's number, the length of its head, the head as JSON (`name`, `parameters`), the body;
    its answer is the number, a status as in HTTP, and the answer or the reason for refusing it.
    """
    if foreign(socket):
        return await socket.close()
    await socket.accept()
    try:
        while True:
            message = await socket.receive_bytes()
            status, result = await _answer_message(message)
            await socket.send_bytes(message[:4].ljust(4, b"\0") + status.to_bytes(4, "little") + result)
    except (WebSocketDisconnect, KeyError):  # gone, or it sent text, which is none of ours
        return None


def _turn(pace: str) -> asyncio.Semaphore:
    """What a long question waits for; tokenizers of other programs wait for themselves alone."""
    if pace in TURNS:
        return TURNS[pace]
    return _own_turns.setdefault(pace, asyncio.Semaphore(1))


async def _answer_message(message: bytes) -> tuple[int, bytes]:
    if len(message) > MOST_BODY:
        return 413, b"The question is too large."
    try:
        end = 8 + int.from_bytes(message[4:8], "little")
        head = json.loads(message[8:end])
        name, parameters = head["name"], {str(key): str(value) for key, value in head["parameters"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return 400, b"The head of the question cannot be read."
    return await _reply(str(name), parameters, message[end:])


async def _reply(name: str, parameters: dict[str, str], body: bytes) -> tuple[int, bytes]:
    """Status and answer, or status and reason, in the language of the parameter `lang`."""
    with speaking(parameters.get("lang", ORIGINAL)):
        return await _spoken_reply(name, parameters, body)


async def _spoken_reply(name: str, parameters: dict[str, str], body: bytes) -> tuple[int, bytes]:
    try:
        if not shelf.is_there(key := parameters.get("encoding", "")):
            await asyncio.to_thread(shelf.find, key)
        found = pace(parameters)
        if found == "known" and len(body) <= QUICK and name in QUICK_ONES:
            return 200, answer(name, parameters, body)
        async with FILES_AT_A_TIME if name in LARGE_ONES else _turn(found):
            threads = None if found in TURNS else FOREIGN
            return 200, await asyncio.get_running_loop().run_in_executor(threads, answer, name, parameters, body)
    except (UnknownEncoding, IsGone) as error:
        return 404, str(error).encode()
    except TokenizerError as error:
        return 400, str(error).encode()


routes = [
    WebSocketRoute(f"{ROUTE}/live", live),
    Route(f"{ROUTE}/qr", code, methods=["POST"]),
    Route(f"{ROUTE}/{{name}}", ask, methods=["POST"]),
    *class_routes,
    *v1_routes,
]
