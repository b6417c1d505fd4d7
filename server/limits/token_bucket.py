"""Token buckets: a rate and a burst; excess callers sleep."""

import asyncio
from collections.abc import Callable


class TokenBucket:
    """Allows `rate` events a second after a burst of `burst`; excess callers sleep."""

    def __init__(self, rate: float, burst: float):
        self.rate, self.burst, self.clock = rate, burst, asyncio.get_running_loop().time
        self.free_at = self.clock() - burst / rate

    def delay(self) -> float:
        """Returns for how many seconds the next caller sleeps; below 0 while tokens are left."""
        return max(self.free_at - self.clock(), -self.burst / self.rate)

    @property
    def is_full(self) -> bool:
        """Whether it has all its tokens, like a new one."""
        return self.delay() == -self.burst / self.rate

    def spend(self, cost: float) -> None:
        """Takes tokens without waiting for them; later callers sleep longer."""
        self.free_at = self.clock() + self.delay() + cost / self.rate

    async def acquire(self, cost: int = 1) -> None:
        """Takes tokens, and sleeps until they are there."""
        self.spend(cost)
        if (delay := self.delay()) > 0:
            await asyncio.sleep(delay)


class BucketPerAddress:
    """A bucket for each address, made by `new` and forgotten when it is full."""

    def __init__(self, new: Callable[[], TokenBucket]):
        self.new, self.by_address = new, dict[str, TokenBucket]()

    def of(self, address: str) -> TokenBucket:
        """Returns the bucket of an address; the caller must use it at once, since a full one is forgotten."""
        self.by_address = {one: bucket for one, bucket in self.by_address.items() if not bucket.is_full}
        return self.by_address.setdefault(address, self.new())
