"""What stands before the app and keeps the limits of `limits.py`: bodies in time, sockets at their pace, room for all.

Below it, `connections.py` does the same for what has not come whole.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.server.callers import MARK, announced, visitor
from ui.server.limits import (
    AT_ONCE,
    BODY_WITHIN,
    LIVE,
    LIVE_AT_ONCE,
    LIVE_PACE,
    MOST_FILES,
    MOST_FILES_EACH,
    PACE,
    SLOWEST,
)
from ui.server.v1.problems import Problem
from ui.server.v1.turns import ROOM

UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+$")
CLOSED = re.compile(r"/_stcore/metrics/?$")  # what Streamlit tells of its memory and sessions is nobody's business
OWN = "/v1"  # takes room for its bodies itself, and for its answers

Held = Callable[[str], tuple[int, int]]


class Gate:
    """Stands before the app; `held` returns how many bytes of files a session has open, and all have."""

    def __init__(self, app: ASGIApp, held: Held):
        self.app, self.held = app, held
        self.coming: Counter[str] = Counter()  # bytes of files that sessions open now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            return await self.app(scope, paced(scope, receive), send)
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        if CLOSED.search(scope["path"]):
            return await PlainTextResponse("Nothing answers here.", 404, MARK)(scope, receive, send)
        answer = Answer(send)
        try:
            with self.room(scope) as take:
                await self.app(scope, bounded(scope, receive, take), answer)
        except Problem as problem:
            if not answer.is_begun:
                await problem.response()(scope, receive, send)
        return None

    @contextmanager
    def room(self, scope: Scope) -> Iterator[Callable[[int], None]]:
        """Gives room to a body; what it returns is told the bytes as they come. Raises Problem where there is none."""
        request = HTTPConnection(scope)
        if scope["method"] == "PUT" and (found := UPLOAD.search(scope["path"])):
            with self.room_of_file(found[1], announced(request)):
                yield lambda size: None  # it comes to a file on disk
        elif scope["path"].startswith(OWN):
            yield lambda size: None
        else:
            with ROOM.of(visitor(request)) as share:
                yield share.take

    @contextmanager
    def room_of_file(self, session: str, size: int) -> Iterator[None]:
        """Gives room to a file that a session opens; raises Problem where there is none."""
        self.coming[session] += size
        try:
            own, of_all = self.held(session)
            if own + self.coming[session] > MOST_FILES_EACH:
                raise Problem("too-large", "You have too many files open. Remove one, or open the page anew.")
            if of_all + self.coming.total() > MOST_FILES:
                raise Problem("busy", "All visitors together have too many files open. Try again later.")
            yield
        finally:
            self.coming[session] -= size
            self.coming += Counter()  # those at 0 go


class Answer:
    """An answer on its way, which may have begun."""

    def __init__(self, send: Send):
        self.send, self.is_begun = send, False

    async def __call__(self, message: Message) -> None:
        self.is_begun = True
        await self.send(message)


def bounded(scope: Scope, receive: Receive, take: Callable[[int], None]) -> Receive:
    """Returns what receives a body: in time, and no more than there is room for; raises Problem."""
    size = announced(HTTPConnection(scope))
    deadline = asyncio.get_running_loop().time() + BODY_WITHIN + size / SLOWEST
    is_whole = False

    async def receive_in_time() -> Message:
        nonlocal is_whole
        if is_whole:  # who waits now, waits for the visitor to go
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            says = "The body did not arrive in time. Is Content-Length more than was sent?"
            raise Problem("too-slow", says, {"connection": "close"}) from None
        is_whole = not message.get("more_body", False)
        take(len(message.get("body", b"")))
        return message

    return receive_in_time


def paced(scope: Scope, receive: Receive) -> Receive:
    """Returns what receives the messages of a socket: so many a second, the others later."""
    loop, is_live = asyncio.get_running_loop(), scope["path"] == LIVE
    pace, at_once = (LIVE_PACE, LIVE_AT_ONCE) if is_live else (PACE, AT_ONCE)
    free_at = loop.time() - at_once / pace  # a message takes 1 / pace seconds of it

    async def receive_at_pace() -> Message:
        nonlocal free_at
        message = await receive()
        free_at = max(free_at, loop.time() - at_once / pace) + 1 / pace
        if message["type"] == "websocket.receive" and (wait := free_at - loop.time()) > 0:
            await asyncio.sleep(wait)
        return message

    return receive_at_pace
