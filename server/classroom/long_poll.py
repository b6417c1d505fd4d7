"""Who waits for news of a room: phones for another scene, boards for anything; all of it on the server's event loop."""

import asyncio
import signal
import threading
from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from server.classroom import rooms
from server.classroom.rooms import Room

MAX_WAITING = 2_000  # phones and boards
WAKE_BATCH = 4  # phones that are answered before others have their turn
WAKE_PAUSE_SECONDS = 0.005  # seconds that the others then have

Waiting = WeakKeyDictionary[Room, dict[str, asyncio.Future]]  # of each room, by the tab that waits
phones: Waiting = WeakKeyDictionary()
boards: Waiting = WeakKeyDictionary()
_loop: asyncio.AbstractEventLoop | None = None
_is_ending = False  # the server was told to stop


def subscribe() -> None:
    """Hears of changes from now on; who has not listened before it looks at a room may miss one."""
    global _loop
    if _loop is not (_loop := asyncio.get_running_loop()):
        rooms.on_change = _changed
        _hear_the_end(_loop)


async def wait(waiting: Waiting, room: Room, who: str, seconds: float) -> None:
    """Waits for a change, or so long; a tab that asks again does not wait twice, and where all is full nobody waits."""
    own_room = waiting.setdefault(room, {})
    if who in own_room:
        _wake([own_room[who]])
    elif _is_ending or sum(map(len, [*phones.values(), *boards.values()])) >= MAX_WAITING:
        return
    own = own_room[who] = asyncio.get_running_loop().create_future()
    try:
        await asyncio.wait([own], timeout=seconds)
    finally:
        if own_room.get(who) is own:
            del own_room[who]


def _changed(room: Room, for_phones: bool) -> None:
    """Hears of a change, in any thread."""
    if not _loop.is_closed():
        _loop.call_soon_threadsafe(_wake_all, room, for_phones)


def _wake_all(room: Room, for_phones: bool) -> None:
    _wake([*boards.get(room, {}).values()])
    if for_phones:
        _wake([*phones.get(room, {}).values()])


def _wake(waiting: list[asyncio.Future]) -> None:
    """Wakes a few, and the others after those who came in the meantime."""
    for one in waiting[:WAKE_BATCH]:
        if not one.done():
            one.set_result(None)
    if waiting[WAKE_BATCH:]:
        asyncio.get_running_loop().call_later(WAKE_PAUSE_SECONDS, _wake, waiting[WAKE_BATCH:])


def _hear_the_end(loop: asyncio.AbstractEventLoop) -> None:
    """Lets nobody wait when the server is told to stop: it would wait for them."""
    if threading.current_thread() is not threading.main_thread():
        return

    def stop(before: Callable | int | None, number: int, frame: Any) -> None:
        loop.call_soon_threadsafe(_let_go)
        if callable(before):
            before(number, frame)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, partial(stop, signal.getsignal(number)))


def _let_go() -> None:
    global _is_ending
    _is_ending = True  # it takes a moment until the server hangs up, in which nobody may begin to wait
    for waiting in [*phones.values(), *boards.values()]:
        _wake([*waiting.values()])
