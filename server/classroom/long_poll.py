"""Long polling on the event loop: phones wait for another scene of a room, boards for any change."""

import asyncio
import signal
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from server.classroom import rooms
from server.classroom.rooms import Room
from server.limits.share import is_within_share

MAX_WAITING_CLIENTS = 2_000  # phones and boards
WAKE_BATCH_CLIENTS = 4  # phones that are answered before other work on the event loop
WAKE_PAUSE_SECONDS = 0.005  # for the other work

Waiting = WeakKeyDictionary[Room, dict[str, asyncio.Future]]  # by room and waiting tab
phones: Waiting = WeakKeyDictionary()
boards: Waiting = WeakKeyDictionary()
_by_address: Counter[str] = Counter()  # requests that wait
_loop: asyncio.AbstractEventLoop | None = None
_is_ending = False  # the server is stopping


def subscribe() -> None:
    """Subscribes to changes of rooms; a request must subscribe before it reads a room, or it may miss a change."""
    global _loop
    if _loop is not (_loop := asyncio.get_running_loop()):
        rooms.on_change = _changed
        _handle_signals(_loop)


async def wait(waiting: Waiting, room: Room, client: str, seconds: float, address: str) -> None:
    """Waits for a change or a timeout, and ends the earlier wait of the same tab.

    Returns at once if an address has its share of the MAX_WAITING_CLIENTS: otherwise one phone could take all.
    """
    by_client = waiting.setdefault(room, {})
    if client in by_client:
        _wake([by_client[client]])
    elif _is_ending or not _has_place(address):
        return
    own = by_client[client] = asyncio.get_running_loop().create_future()
    _by_address[address] += 1
    try:
        await asyncio.wait([own], timeout=seconds)
    finally:
        if by_client.get(client) is own:
            del by_client[client]
        _by_address[address] -= 1
        if not _by_address[address]:
            del _by_address[address]


def _has_place(address: str) -> bool:
    own = _by_address[address]
    return is_within_share(own, _by_address.total() - own, MAX_WAITING_CLIENTS)


def _changed(room: Room, for_phones: bool) -> None:
    """Wakes the waiting requests after a change, from any thread."""
    if not _loop.is_closed():
        _loop.call_soon_threadsafe(_wake_all, room, for_phones)


def _wake_all(room: Room, for_phones: bool) -> None:
    _wake([*boards.get(room, {}).values()])
    if for_phones:
        _wake([*phones.get(room, {}).values()])


def _wake(waiting: list[asyncio.Future]) -> None:
    """Wakes the first requests now, and the others after a pause."""
    for one in waiting[:WAKE_BATCH_CLIENTS]:
        if not one.done():
            one.set_result(None)
    if waiting[WAKE_BATCH_CLIENTS:]:
        asyncio.get_running_loop().call_later(WAKE_PAUSE_SECONDS, _wake, waiting[WAKE_BATCH_CLIENTS:])


def _handle_signals(loop: asyncio.AbstractEventLoop) -> None:
    """Ends all waiting when the server is stopped; otherwise its shutdown would wait for it."""
    if threading.current_thread() is not threading.main_thread():
        return

    def stop(previous: Callable | int | None, number: int, frame: Any) -> None:
        loop.call_soon_threadsafe(_end_waiting)
        if callable(previous):
            previous(number, frame)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, partial(stop, signal.getsignal(number)))


def _end_waiting() -> None:
    global _is_ending
    _is_ending = True  # until the server closes its connections, no request may start to wait
    for waiting in [*phones.values(), *boards.values()]:
        _wake([*waiting.values()])
