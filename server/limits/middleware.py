"""ASGI middleware that applies the limits: turns on the event loop, timeouts, quotas, rates of bytes and new pages.

`connections.py` limits incomplete requests and messages, which no middleware receives.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import limits
from server.base_path import own_path
from server.limits.fair_queue import Client, LoopTurns, Metered
from server.limits.quota import BYTE_QUOTA, Reservation
from server.limits.request_guards import HEADERS, address_of, announced_bytes, client_of
from server.limits.token_bucket import BucketPerAddress, TokenBucket
from server.problems import DOCS, MEDIA_TYPE, Problem

UPLOAD_PATH = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+$")
# Streamlit's routes that are not for visitors: its memory and sessions, its API for agents, and its login, which logs
# a line for each answer of a provider
CLOSED_PATH = re.compile(r"/(?:_stcore/(?:metrics|agent/[^/]+)|oauth2callback)/?$")
API_PATH = "/v1"  # api_v1/routes.py reserves bytes for its bodies and answers itself
REQUESTS, SOCKETS = "requests", "sockets"  # both get half of an address's turns where both wait


class RateLimitMiddleware:
    """Limits requests and sockets.

    `open_file_sizes` returns the bytes of uploaded files by session; `is_complex` whether parsing a page's message
    would block the event loop.
    """

    def __init__(
        self,
        app: ASGIApp,
        open_file_sizes: Callable[[], dict[str, int]],
        is_complex: Callable[[bytes], bool] = lambda message: False,
    ):
        self.app, self.open_file_sizes, self.is_complex = app, open_file_sizes, is_complex
        self.incoming_file_bytes: Counter[str] = Counter()  # by session
        self.addresses: dict[str, str] = {}  # of sessions with files
        self.new_pages = BucketPerAddress(lambda: TokenBucket(limits.NEW_PAGES_PER_SECOND, limits.NEW_PAGE_BURST))
        self.bodies = BucketPerAddress(lambda: TokenBucket(limits.BODY_BYTES_PER_SECOND, limits.BODY_BURST_BYTES))
        self.turns = LoopTurns()
        self.live_sockets, self.pages = Counter[str](), Counter[str]()  # that are open, by address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            return await self.serve_socket(scope, receive, send)
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        address, port = client_of(HTTPConnection(scope))
        metered = Metered(self.turns, address, REQUESTS, port)
        await metered.turn()
        if CLOSED_PATH.search(scope["path"]):
            return await PlainTextResponse("There is no such path.", 404, HEADERS)(scope, receive, send)
        is_started = False

        async def send_and_note(message: Message) -> None:
            nonlocal is_started
            is_started = True
            await send(message)

        try:
            with self.reserve(scope) as reservation:
                receive = wait_for_turns(limit_body(scope, receive, reservation.add, self.bodies), metered)
                receive, answer = answer_after_body(scope, receive, send_and_note, reservation)
                answer = refusals_as_problems(scope, receive, answer) if is_api(scope) else answer
                await metered.run(self.app(scope, receive, send_in_chunks(answer, reservation)))
        except Problem as problem:
            if not is_started:
                await problem.answer(scope, receive, send)
        return None

    async def serve_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the messages of a socket to the app, and closes it where a limit is exceeded."""
        (address, port), is_gone = client_of(HTTPConnection(scope)), False

        async def send_and_note(message: Message) -> None:
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
        with BYTE_QUOTA.reserve(address) as reservation:
            try:
                receive = reserve_messages(receive, reservation, self.bodies, address)
                with self.count_live_socket(address) if is_editor_socket(scope) else self.count_page(address):
                    if not is_editor_socket(scope):
                        await self.admit_page(address)
                        receive = reject_complex(receive, self.is_complex, self.new_pages, address)
                    receive = wait_for_turns(receive, metered, (address, SOCKETS, port))
                    await metered.run(self.app(scope, receive, send_and_note))
            except Problem:
                await send({"type": "websocket.close", "code": 1013})  # try again later
            except RuntimeError:
                if not is_gone:  # Streamlit raises it when the client leaves while a message is sent
                    raise
        return None

    def count_live_socket(self, address: str) -> AbstractContextManager[None]:
        """Counts an editor socket; raises Problem where its address has too many."""
        detail = "Too many editors are open at your address. They are answered without a socket."
        return counted(self.live_sockets, address, limits.MAX_LIVE_SOCKETS_PER_ADDRESS, detail)

    def count_page(self, address: str) -> AbstractContextManager[None]:
        """Counts the socket of a page; raises Problem where its address has too many."""
        detail = "Too many pages are open at your address. Close some."
        return counted(self.pages, address, limits.MAX_PAGES_PER_ADDRESS, detail)

    async def admit_page(self, address: str) -> None:
        """Waits until an address may open another page; raises Problem where that takes too long."""
        bucket = self.new_pages.of(address)
        if bucket.delay() > limits.MAX_ADMISSION_DELAY_SECONDS:
            raise Problem("too-many", "Too many pages are opened from your address. Try again in a moment.")
        await bucket.acquire()

    @contextmanager
    def reserve(self, scope: Scope) -> Iterator["Reservation | NullQuota"]:
        """Yields a reservation for the body of a request and then for its answer; raises Problem."""
        request = HTTPConnection(scope)
        if scope["method"] == "PUT" and (found := UPLOAD_PATH.search(scope["path"])):
            # Starlette would decode names and fields by it on the event loop: 1 MB of "punycode" takes a minute
            if any("charset" in one.lower() for one in request.headers.getlist("content-type")):
                raise Problem("wrong-type", "Send the form without a charset in the Content-Type.")
            size = announced_bytes(request) or limits.ASSUMED_FILE_BYTES
            with self.reserve_file(found[1], address_of(request), size):
                yield NullQuota()
        elif is_api(scope):
            yield NullQuota()
        else:
            with BYTE_QUOTA.reserve(address_of(request)) as reservation:
                yield reservation

    @contextmanager
    def reserve_file(self, session: str, address: str, size: int) -> Iterator[None]:
        """Reserves bytes for a file that a session uploads; raises Problem where a quota for files is exceeded."""
        self.incoming_file_bytes[session] += size
        try:
            sizes = self.incoming_file_bytes + Counter(self.open_file_sizes())
            self.addresses = {one: self.addresses.get(one, "") for one in sizes} | {session: address}
            of_address = sum(sizes[one] for one, its in self.addresses.items() if its == address)
            if sizes[session] > limits.MAX_FILE_BYTES_PER_SESSION:
                raise Problem("too-large", "You have too many files open. Remove one, or open the page anew.")
            if of_address > limits.MAX_FILE_BYTES_PER_ADDRESS:
                raise Problem("too-many", "Too many files are open at your address. Remove one, or open the page anew.")
            if sizes.total() > limits.MAX_FILE_BYTES:
                raise Problem("busy", "All visitors together have too many files open. Try again later.")
            yield
        finally:
            self.incoming_file_bytes[session] -= size
            self.incoming_file_bytes += Counter()  # drops sessions at 0


class NullQuota:
    """A reservation of nothing, for bytes that another quota counts."""

    def add(self, size: int) -> None:
        """Does nothing."""

    resize = add


def is_api(scope: Scope) -> bool:
    """Whether a request is for the API for programs."""
    return f"{own_path(scope)}/".startswith(f"{API_PATH}/")


def is_editor_socket(scope: Scope) -> bool:
    """Whether a socket is the editor's, and not a page's."""
    return own_path(scope) == limits.EDITOR_SOCKET_PATH


# ---- requests ----


def refusals_as_problems(scope: Scope, receive: Receive, send: Send) -> Send:
    """Returns a `send` for the API that replaces a refusal by Streamlit, which comes before the API, by a problem."""
    problem: Problem | None = None

    async def send_or_replace(message: Message) -> None:
        nonlocal problem
        is_refusal = message["type"] == "http.response.start" and message["status"] >= 400
        if is_refusal and Headers(raw=message["headers"]).get("content-type") != MEDIA_TYPE:
            problem = Problem("no-such-path", f"There is no such path. {DOCS} lists all paths.")
        if not problem:
            await send(message)
        elif message["type"] == "http.response.body" and not message.get("more_body", False):
            await problem.answer(scope, receive, send)

    return send_or_replace


def send_in_chunks(send: Send, reservation: Reservation | NullQuota) -> Send:
    """Returns a `send` that splits large bodies: sent in one go, one would be copied while everybody waits.

    It sends a chunk when the client has taken the one before. `reservation` holds the whole body from before the first
    chunk on; raises Problem where the quota has too few bytes.
    """
    start: Message | None = None

    async def send_chunks(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start":
            start = message
            return
        body = memoryview(message.get("body", b""))
        if len(body) > limits.RESPONSE_CHUNK_BYTES:
            reservation.resize(len(body))
        if start:
            await send(start)
            start = None
        ends = range(limits.RESPONSE_CHUNK_BYTES, len(body), limits.RESPONSE_CHUNK_BYTES)
        for end in ends:
            await send(message | {"body": bytes(body[end - limits.RESPONSE_CHUNK_BYTES : end]), "more_body": True})
        await send(message | {"body": bytes(body[ends[-1] :])} if ends else message)

    return send_chunks


def limit_body(scope: Scope, receive: Receive, reserve: Callable[[int], None], buckets: BucketPerAddress) -> Receive:
    """Returns a `receive` that bounds a body: its time, the rate of its address, its bytes; raises Problem."""
    request = HTTPConnection(scope)
    address = address_of(request)
    seconds = limits.BODY_TIMEOUT_SECONDS + announced_bytes(request) / limits.MIN_BODY_BYTES_PER_SECOND
    deadline = asyncio.get_running_loop().time() + seconds
    is_complete = False

    async def receive_in_time() -> Message:
        nonlocal is_complete
        if is_complete:  # only the disconnect is still to come
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            detail = "The body did not arrive in time. Is Content-Length more than was sent?"
            raise Problem("too-slow", detail, {"connection": "close"}) from None
        is_complete = not message.get("more_body", False)
        reserve(size := len(message.get("body", b"")))
        if size:
            await buckets.of(address).acquire(size)
        return message

    return receive_in_time


def answer_after_body(
    scope: Scope, receive: Receive, send: Send, reservation: Reservation | NullQuota
) -> tuple[Receive, Send]:
    """Returns `receive` and `send` that read the rest of a body before the end of the answer.

    Only for a client that asks to close the connection: if it still sends then, the system resets the connection, and
    clients such as Python's urllib report that instead of the answer. Others get the answer while they send. A body
    that announces more than is read would be cut off all the same, and might come for as long as it announces.
    """
    request = HTTPConnection(scope)
    is_closed_after = request.headers.get("connection", "").lower() == "close" and "expect" not in request.headers
    if not is_closed_after or announced_bytes(request) > limits.MAX_DISCARDED_BYTES:
        return receive, send
    num_left, is_complete = limits.MAX_DISCARDED_BYTES, False

    async def receive_and_note() -> Message:
        nonlocal is_complete
        message = await receive()
        is_complete = is_complete or not message.get("more_body", False)  # or it is the disconnect
        return message

    async def send_after_body(message: Message) -> None:
        nonlocal num_left
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            with suppress(Problem):  # it comes too slowly, or is too much
                while not is_complete and num_left > 0:
                    size = len((await receive_and_note()).get("body", b""))
                    reservation.add(-size)  # nothing keeps it
                    num_left -= size
        await send(message)

    return receive_and_note, send_after_body


# ---- sockets ----


@contextmanager
def counted(sockets: Counter[str], address: str, most: int, detail: str) -> Iterator[None]:
    """Counts a socket of an address in its block; raises Problem where the address has `most` of them."""
    if sockets[address] >= most:
        raise Problem("too-many", detail)
    sockets[address] += 1
    try:
        yield
    finally:
        sockets[address] -= 1
        if not sockets[address]:
            del sockets[address]


def wait_for_turns(receive: Receive, metered: Metered, socket: Client = ()) -> Receive:
    """Returns a `receive` that waits for this client's turn; the messages of a `socket` are charged to that client."""

    async def receive_in_turn() -> Message:
        message = await receive()
        if message["type"] == "websocket.receive":
            metered.client = socket
            await metered.turn()
        elif message["type"] == "http.request" and not metered.has_turn:  # a chunk that came after the head
            await metered.turn()
        return message

    return receive_in_turn


def message_bytes(message: Message) -> int:
    """Returns the size of a socket's message."""
    return len(message.get("bytes") or message.get("text") or b"")


def reserve_messages(receive: Receive, reservation: Reservation, buckets: BucketPerAddress, address: str) -> Receive:
    """Returns a `receive` for a socket's messages that reserves each until the next is requested.

    Large ones come at the rate of the bodies of their address. Raises Problem where the quota has too few bytes.
    """

    async def receive_and_reserve() -> Message:
        reservation.resize(0)
        message = await receive()
        reservation.resize(size := message_bytes(message))
        if size > limits.MAX_UNCOUNTED_BYTES:
            await buckets.of(address).acquire(size)
        return message

    return receive_and_reserve


def reject_complex(
    receive: Receive, is_complex: Callable[[bytes], bool], new_pages: BucketPerAddress, address: str
) -> Receive:
    """Returns a `receive` for a page's messages that raises Problem for a large one with very many fields.

    Such a message costs its address many new pages, so that the page does not reconnect at once to send it again.
    """

    async def receive_simple() -> Message:
        message = await receive()
        data = message.get("bytes") or b""
        if len(data) > limits.MIN_CHECKED_MESSAGE_BYTES and is_complex(data):
            bucket = new_pages.of(address)
            if bucket.delay() < limits.MAX_ADMISSION_DELAY_SECONDS / 2:  # others at that address can still open pages
                bucket.spend(limits.COMPLEX_MESSAGE_COST)
            raise Problem("too-large", "A message has too many fields.")
        return message

    return receive_simple
