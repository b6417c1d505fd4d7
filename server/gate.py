"""What stands before the app and keeps the limits of `limits.py`: turns on the event loop, bodies in time, room to all.

Below it, `connections.py` does the same for what has not come whole.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cached_property

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import limits
from server.callers import MARK, announced, client, visitor
from server.fair_queue import Client, LoopTurns, Metered
from server.v1.problems import DOCS, MEDIA, Problem
from server.v1.turns import ROOM, Share

UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+$")
CLOSED = re.compile(r"/_stcore/metrics/?$")  # what Streamlit tells of its memory and sessions is nobody's business
OWN = "/v1"  # takes room for its bodies itself, and for its answers
REQUESTS, SOCKETS = "requests", "sockets"  # an address's share is halved between them where both wait for turns

Held = Callable[[], dict[str, int]]
Look = Callable[[bytes], bool]


class Gate:
    """Stands before the app; `held` returns how many bytes of files each session has open.

    `is_crowded` tells whether it would hold everybody up to read a page's message.
    """

    def __init__(self, app: ASGIApp, held: Held, is_crowded: Look = lambda message: False):
        self.app, self.held, self.is_crowded = app, held, is_crowded
        self.coming: Counter[str] = Counter()  # bytes of files that sessions open now
        self.addresses: dict[str, str] = {}  # of sessions that have files
        self.newcomers = Paces(lambda: Pace(limits.NEW_PACE, limits.NEW_AT_ONCE))
        self.bodies = Paces(lambda: Pace(limits.BODY_PACE, limits.BODIES_AT_ONCE))
        self.turns = LoopTurns()
        self.live_sockets: Counter[str] = Counter()  # by address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            return await self.socket(scope, receive, send)
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        address, port = client(HTTPConnection(scope))
        metered = Metered(self.turns, address, REQUESTS, port)
        await metered.turn()
        if CLOSED.search(scope["path"]):
            return await PlainTextResponse("Nothing answers here.", 404, MARK)(scope, receive, send)
        is_begun = False

        async def begun(message: Message) -> None:
            nonlocal is_begun
            is_begun = True
            await send(message)

        try:
            with self.room(scope) as share:
                receive = in_turn(bounded(scope, receive, share.take, self.bodies), metered)
                answer = with_problems(scope, receive, begun) if is_api(scope) else begun
                await metered.run(self.app(scope, receive, in_parts(answer, share)))
        except Problem as problem:
            if not is_begun:
                await problem.answer(scope, receive, send)
        return None

    async def socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hands the messages of a socket to the app; one for which there is no room is its last."""
        (address, port), is_gone = client(HTTPConnection(scope)), False

        async def tell(message: Message) -> None:
            nonlocal is_gone
            try:
                await send(message)
            except OSError:
                is_gone = True
                raise

        # Opening one is charged as a request, but waits for no turn: uvicorn cannot read what comes before it is open.
        metered = Metered(self.turns, address, REQUESTS, port)
        if is_api(scope):
            return await Problem("no-such-path", "Sockets are not answered here.").answer(scope, receive, send)
        with ROOM.of(address) as share:
            try:
                if is_live(scope):
                    receive = held(receive, share, self.bodies, address)
                else:
                    await self.let_in(address)
                    await spread(self.apart)
                    receive = uncrowded(paced(receive, share, self.apart), self.is_crowded, self.newcomers, address)
                with self.live_socket(address) if is_live(scope) else nullcontext():
                    receive = in_turn(receive, metered, (address, SOCKETS, port))
                    await metered.run(self.app(scope, receive, tell))
            except Problem:
                await send({"type": "websocket.close", "code": 1013})  # try again later
            except RuntimeError:
                if not is_gone:  # of who went while being told something, Streamlit thinks that a text came
                    raise
        return None

    @contextmanager
    def live_socket(self, address: str) -> Iterator[None]:
        """Counts a socket of the editor's; raises Problem where its address has too many."""
        if self.live_sockets[address] >= limits.MAX_LIVE_SOCKETS_PER_ADDRESS:
            raise Problem("too-many", "Too many editors are open at your address. They are answered without a socket.")
        self.live_sockets[address] += 1
        try:
            yield
        finally:
            self.live_sockets[address] -= 1
            self.live_sockets += Counter()  # those at 0 go

    @cached_property
    def apart(self) -> "Pace":
        """How quickly pages are opened and speak, all together."""
        return Pace(limits.APART, 1)

    async def let_in(self, address: str) -> None:
        """Waits until a page may be opened from an address; raises Problem where too many are opened there."""
        pace = self.newcomers.of(address)
        if pace.wait() > limits.PATIENCE:
            raise Problem("too-many", "Too many pages are opened from your address. Try again in a moment.")
        await pace.turn()

    @contextmanager
    def room(self, scope: Scope) -> Iterator["Share | Elsewhere"]:
        """Gives room to a body as it comes, and then to its answer. Raises Problem where there is none."""
        request = HTTPConnection(scope)
        if scope["method"] == "PUT" and (found := UPLOAD.search(scope["path"])):
            with self.room_of_file(found[1], visitor(request), announced(request) or limits.MOST_FILE):
                yield Elsewhere()  # it comes to a file on disk
        elif is_api(scope):
            yield Elsewhere()
        else:
            with ROOM.of(visitor(request)) as share:
                yield share

    @contextmanager
    def room_of_file(self, session: str, address: str, size: int) -> Iterator[None]:
        """Gives room to a file that a session opens; raises Problem where there is none."""
        self.coming[session] += size
        sizes = self.coming + Counter(self.held())
        self.addresses = {one: self.addresses.get(one, "") for one in sizes} | {session: address}
        try:
            if sizes[session] > limits.MOST_FILES_EACH:
                raise Problem("too-large", "You have too many files open. Remove one, or open the page anew.")
            if sum(sizes[one] for one, its in self.addresses.items() if its == address) > limits.MOST_FILES_OF_ADDRESS:
                raise Problem("too-many", "Too many files are open at your address. Remove one, or open the page anew.")
            if sizes.total() > limits.MOST_FILES:
                raise Problem("busy", "All visitors together have too many files open. Try again later.")
            yield
        finally:
            self.coming[session] -= size
            self.coming += Counter()  # those at 0 go


class Elsewhere:
    """The share of what has room elsewhere."""

    def take(self, size: int) -> None:
        """Takes nothing here."""

    hold = take


def is_api(scope: Scope) -> bool:
    """Whether a request is for the API for programs."""
    return f"{scope['path']}/".startswith(f"{OWN}/")


def with_problems(scope: Scope, receive: Receive, send: Send) -> Send:
    """Returns what sends an answer of the API; a refusal by Streamlit, before the API is asked, becomes a problem."""
    problem: Problem | None = None

    async def send_or_refuse(message: Message) -> None:
        nonlocal problem
        is_refusal = message["type"] == "http.response.start" and message["status"] >= 400
        if is_refusal and Headers(raw=message["headers"]).get("content-type") != MEDIA:
            problem = Problem("no-such-path", f"Nothing answers here. {DOCS} says what does.")
        if not problem:
            await send(message)
        elif message["type"] == "http.response.body" and not message.get("more_body", False):
            await problem.answer(scope, receive, send)

    return send_or_refuse


def in_parts(send: Send, share: Share | Elsewhere) -> Send:
    """Returns what sends an answer, a large one in parts: in one go it would be copied while everybody waits.

    A part goes when the one before is taken; until then `share` holds all of it. It begins when there is room for it;
    raises Problem where there is none.
    """
    start: Message | None = None

    async def send_in_parts(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start":
            start = message
            return
        body = memoryview(message.get("body", b""))
        if len(body) > limits.PART:
            share.hold(len(body))
        if start:
            await send(start)
            start = None
        ends = range(limits.PART, len(body), limits.PART)
        for end in ends:
            await send(message | {"body": bytes(body[end - limits.PART : end]), "more_body": True})
        await send(message | {"body": bytes(body[ends[-1] :])} if ends else message)

    return send_in_parts


def bounded(scope: Scope, receive: Receive, take: Callable[[int], None], paces: "Paces") -> Receive:
    """Returns what receives a body: in time, at its address's pace, no more than there is room for; raises Problem."""
    request = HTTPConnection(scope)
    address = visitor(request)
    deadline = asyncio.get_running_loop().time() + limits.BODY_WITHIN + announced(request) / limits.SLOWEST
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
        take(size := len(message.get("body", b"")))
        if size:
            await paces.of(address).turn(size)
        return message

    return receive_in_time


class Pace:
    """So many a second, and so many at once; who comes beyond that has to wait."""

    def __init__(self, a_second: float, at_once: int):
        self.a_second, self.at_once, self.clock = a_second, at_once, asyncio.get_running_loop().time
        self.free_at = self.clock() - at_once / a_second
        self.behind_since: float | None = None

    def wait(self) -> float:
        """Returns for how many seconds the next has to wait; below 0, since when none would have."""
        return max(self.free_at - self.clock(), -self.at_once / self.a_second)

    @property
    def is_rested(self) -> bool:
        """Whether it has been so long without any that it is as new."""
        return self.wait() == -self.at_once / self.a_second

    def take(self, weight: int) -> None:
        """Takes turns without waiting for them: the next waits longer."""
        self.free_at = self.clock() + self.wait() + weight / self.a_second

    async def turn(self, weight: int = 1) -> None:
        """Waits for a turn; one of more weight takes the time of as many."""
        self.take(weight)
        if (wait := self.wait()) <= 0:
            self.behind_since = None
            return
        self.behind_since = self.behind_since or self.clock()
        await asyncio.sleep(wait)

    @property
    def behind(self) -> float:
        """For how many seconds all have had to wait."""
        return self.clock() - self.behind_since if self.behind_since else 0


class Paces:
    """A pace of its own for each address, until it is as new; `begin` returns a new one."""

    def __init__(self, begin: Callable[[], Pace]):
        self.begin, self.by_address = begin, dict[str, Pace]()

    def of(self, address: str) -> Pace:
        """Returns the pace of an address, to be used at once: one that is as new is forgotten."""
        self.by_address = {one: pace for one, pace in self.by_address.items() if not pace.is_rested}
        return self.by_address.setdefault(address, self.begin())


def is_live(scope: Scope) -> bool:
    """Whether a socket is the editor's, and not a page's."""
    return scope["path"] == limits.LIVE


async def spread(apart: Pace) -> None:
    """Lets what many pages ask for at one moment be done one after the other, with keys between; it takes no long."""
    if apart.wait() < limits.SPREAD:
        await apart.turn()


def in_turn(receive: Receive, metered: Metered, socket: Client = ()) -> Receive:
    """Returns what receives messages when it is this client's turn; those of a `socket` are another client's."""

    async def receive_in_turn() -> Message:
        message = await receive()
        if message["type"] == "websocket.receive":
            metered.client = socket
            await metered.turn()
        elif message["type"] == "http.request" and not metered.has_turn:  # the rest came later than the head
            await metered.turn()
        return message

    return receive_in_turn


def held(receive: Receive, share: Share, paces: Paces, address: str) -> Receive:
    """Returns what receives the editor's messages, large ones at the pace at which bodies of its address are read.

    `share` holds each until the next is asked for. Raises Problem where there is no room for one.
    """

    async def receive_and_hold() -> Message:
        share.hold(0)
        message = await receive()
        share.hold(size := len(message.get("bytes") or message.get("text") or b""))
        if size > limits.SMALL:
            await paces.of(address).turn(size)
        return message

    return receive_and_hold


def paced(receive: Receive, share: Share, apart: Pace) -> Receive:
    """Returns what receives the messages of a page: so many a second, the others later, those of all pages `apart`.

    `share` holds each until the next is asked for. Raises Problem where there is no room for one, or too many come for
    too long.
    """
    pace = Pace(limits.PACE, limits.AT_ONCE)

    async def receive_at_pace() -> Message:
        share.hold(0)
        message = await receive()
        size = len(message.get("bytes") or message.get("text") or b"")
        if message["type"] == "websocket.receive":
            await pace.turn(1 + size // limits.PIECE)
            await spread(apart)
        if pace.behind > limits.BEHIND:
            raise Problem("too-many", "Too many messages come, for too long.")
        share.hold(size)
        return message

    return receive_at_pace


def uncrowded(receive: Receive, is_crowded: Look, newcomers: "Paces", address: str) -> Receive:
    """Returns what receives the messages of a page; raises Problem where one is large and made of small things.

    It counts as many pages that are opened: who is sent away does not come back at once, to say it again.
    """

    async def receive_uncrowded() -> Message:
        message = await receive()
        data = message.get("bytes") or b""
        if len(data) > limits.PIECE and is_crowded(data):
            pace = newcomers.of(address)
            if pace.wait() < limits.PATIENCE / 2:  # others at that address still come in
                pace.take(limits.CROWDED)
            raise Problem("too-large", "A message says too many things at a time.")
        return message

    return receive_uncrowded
