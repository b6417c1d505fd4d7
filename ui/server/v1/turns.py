"""Who is next: work shared out among visitors, and the bytes that they may have sent in all."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from ui.server.limits import MOST_HELD, MOST_HELD_EACH, SMALL
from ui.server.v1.problems import Problem

MOST_WAITING, MOST_WAITING_EACH = 400, 200
WAIT = 30  # seconds for a turn


class Room:
    """The bytes that all visitors have under way."""

    def __init__(self):
        self.held: Counter[str] = Counter()

    @contextmanager
    def of(self, visitor: str) -> Iterator["Share"]:
        """Gives room to one question, and takes it back at its end."""
        share = Share(self, visitor)
        try:
            yield share
        finally:
            self.held[visitor] -= share.size
            self.held += Counter()  # those at 0 go


class Share:
    """The bytes of one question."""

    def __init__(self, room: Room, visitor: str):
        self.room, self.visitor, self.size = room, visitor, 0

    def take(self, size: int) -> None:
        """Takes room for so many bytes more; raises Problem where there is none."""
        self.size += size
        self.room.held[self.visitor] += size
        if size <= 0:
            return
        if self.room.held[self.visitor] > MOST_HELD_EACH:
            raise Problem("too-many", "Your questions under way are too large together. Wait for their answers first.")
        if self.room.held.total() > MOST_HELD:
            raise Problem("busy", "The questions under way are too large together. Ask again in a moment.")

    def hold(self, size: int) -> None:
        """Holds so many bytes from now on, no more and no less; raises Problem as `take` does.

        Few have room at all times: who types notices nothing of a neighbour at the same address who fills it.
        """
        size = size if size > SMALL else 0
        if size != self.size:
            self.take(size - self.size)
            self.room.held += Counter()  # those at 0 go


ROOM = Room()  # that all routes and sockets share


class Turns:
    """So many at a time; of those who wait, the visitor who was served longest ago is next."""

    def __init__(self, at_once: int, wait: float = WAIT):
        self.free, self.wait = at_once, wait
        self.waiting: OrderedDict[str, deque[asyncio.Future]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, visitor: str) -> AsyncIterator[None]:
        """Waits for a turn and has it until the end of the block; raises Problem where too many wait, or it is long."""
        await self._wait(visitor)
        try:
            yield
        finally:
            self._next()

    async def _wait(self, visitor: str) -> None:
        if self.free:
            self.free -= 1
            return
        if len(self.waiting.get(visitor, ())) >= MOST_WAITING_EACH:
            raise Problem("too-many", "Too many of your questions wait for a turn. Wait for their answers first.")
        if sum(map(len, self.waiting.values())) >= MOST_WAITING:
            raise Problem("busy", "Too many questions wait for a turn. Ask again in a moment.")
        turn = asyncio.get_running_loop().create_future()
        self.waiting.setdefault(visitor, deque()).append(turn)
        try:
            async with asyncio.timeout(self.wait):
                await turn
        except BaseException as error:
            self._leave(visitor, turn)
            if isinstance(error, TimeoutError):
                raise Problem("busy", f"There was no turn within {self.wait} seconds. Ask again in a moment.") from None
            raise

    def _leave(self, visitor: str, turn: asyncio.Future) -> None:
        if turn.done() and not turn.cancelled():  # it came just then
            return self._next()
        with suppress(KeyError, ValueError):
            self.waiting[visitor].remove(turn)
            if not self.waiting[visitor]:
                del self.waiting[visitor]
        return None

    def _next(self) -> None:
        while self.waiting:
            visitor, turns = self.waiting.popitem(last=False)
            while turns and turns[0].done():  # who waited for it is gone
                turns.popleft()
            if turns:
                turns.popleft().set_result(None)
                if turns:
                    self.waiting[visitor] = turns  # behind all others
                return
        self.free += 1
