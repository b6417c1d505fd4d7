"""Requests and sockets in the form of ASGI, for tests that call an app without a client."""

import asyncio
from collections.abc import Iterable

from starlette.types import Message, Receive, Scope


def request(
    path: str = "/",
    method: str = "POST",
    client: tuple[str, int] | None = ("a", 1),
    headers: Iterable[tuple[bytes, bytes]] = (),
) -> Scope:
    """Returns the scope of a request; `client` is an address and a port."""
    scope = {"type": "http", "method": method, "path": path, "query_string": b""}
    return scope | {"headers": [*headers], "client": client}


def socket(path: str, client: tuple[str, int] = ("a", 1), headers: Iterable[tuple[bytes, bytes]] = ()) -> Scope:
    """Returns the scope of a socket; `client` is an address and a port."""
    return {"type": "websocket", "path": path, "query_string": b"", "headers": [*headers], "client": client}


def body_part(data: bytes, more: bool = False) -> Message:
    """Returns the message with a part of a request's body; `more` if another part follows."""
    return {"type": "http.request", "body": data, "more_body": more}


def frame(data: bytes) -> Message:
    """Returns the message that a socket receives."""
    return {"type": "websocket.receive", "bytes": data}


def receives(*messages: Message) -> Receive:
    """Returns a `receive` that gives these messages and then waits for ever."""
    left = iter(messages)

    async def receive() -> Message:
        return next(left, None) or await asyncio.Event().wait()

    return receive


def repeats(message: Message) -> Receive:
    """Returns a `receive` that gives the same message each time."""

    async def receive() -> Message:
        return message

    return receive


class Sent(list[Message]):
    """A `send` that stores the messages of an app."""

    async def __call__(self, message: Message) -> None:
        self.append(message)

    @property
    def body(self) -> bytes:
        """The body of the answer."""
        return b"".join(message.get("body", b"") for message in self)
