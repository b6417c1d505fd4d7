"""Quotas of bytes in flight: for one address, and for all visitors together."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from server.limits import MAX_BYTES_IN_FLIGHT, MAX_BYTES_IN_FLIGHT_PER_ADDRESS, MAX_UNCOUNTED_BYTES
from server.problems import Problem


class ByteQuota:
    """The bytes that all visitors have in flight."""

    def __init__(self):
        self.reserved: Counter[str] = Counter()  # by address

    @contextmanager
    def reserve(self, address: str) -> Iterator["Reservation"]:
        """Yields a reservation, empty at first, and frees its bytes at the end of the block."""
        reservation = Reservation(self, address)
        try:
            yield reservation
        finally:
            self.reserved[address] -= reservation.size
            self.reserved += Counter()  # drops addresses at 0


class Reservation:
    """The bytes of one request, socket or connection."""

    def __init__(self, quota: ByteQuota, address: str):
        self.quota, self.address, self.size = quota, address, 0

    def add(self, size: int) -> None:
        """Reserves `size` more bytes; raises Problem where the quota has too few."""
        self.size += size
        self.quota.reserved[self.address] += size
        if size <= 0:
            return
        if self.quota.reserved[self.address] > MAX_BYTES_IN_FLIGHT_PER_ADDRESS:
            raise Problem("too-many", "Your questions under way are too large together. Wait for their answers first.")
        if self.quota.reserved.total() > MAX_BYTES_IN_FLIGHT:
            raise Problem("busy", "The questions under way are too large together. Ask again in a moment.")

    def resize(self, size: int) -> None:
        """Reserves `size` bytes in place of the earlier ones; raises Problem as `add` does.

        Up to `MAX_UNCOUNTED_BYTES` always succeed, so that a client cannot block the typing of others at its address.
        """
        size = size if size > MAX_UNCOUNTED_BYTES else 0
        if size != self.size:
            self.add(size - self.size)
            self.quota.reserved += Counter()  # drops addresses at 0


BYTE_QUOTA = ByteQuota()  # that all routes and sockets share
