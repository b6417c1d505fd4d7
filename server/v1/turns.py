"""Quotas of bytes: what an address, and what all visitors together may have under way."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from server.limits import MOST_HELD, MOST_HELD_EACH, SMALL
from server.v1.problems import Problem


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
