"""Fair queues: serve the address that has used the least next, and within it the connection that has.

This is start-time fair queueing (Goyal, Vin and Cheng, 1996) over a tree of clients: `("10.0.0.1", "sockets", 50123)`
is one connection among the sockets of an address. Use is measured in seconds, not in questions. So a client that asks
now and then is served at once, however many connections another address opens and however often they ask.
"""

import asyncio
import time
import types
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from contextlib import asynccontextmanager
from math import inf
from operator import attrgetter
from typing import Any

from server.problems import Problem

MAX_WAITING_QUESTIONS, MAX_WAITING_PER_ADDRESS = 400, 200  # questions that wait for a thread
MAX_WAIT_SECONDS = 30  # seconds that a question waits for a thread
MAX_TURNS_BEHIND = 4  # average turns that a client may be charged ahead: a garbage collection can lengthen one turn
IDLE_RESET_SECONDS = 0.03  # a key that is held down repeats after this time; a program sends its next request at once
MAX_REMEMBERED_CLIENTS = 1_000  # children of a node whose use is remembered while they do not wait

Client = tuple[str | int, ...]  # the address, then what distinguishes its connections
USED = attrgetter("used")


class Node:
    """A client, or all clients with a common prefix."""

    __slots__ = ("clock", "key", "last_used", "nodes", "served", "spent", "used", "waiting", "with_waiting")

    def __init__(self, key: str | int = "", used: float = 0):
        self.key = key
        self.used = used  # seconds, compared with its siblings; at least what the last served sibling had used
        self.last_used = inf  # time of the last charge
        self.nodes: dict[str | int, Node] = {}  # children
        self.with_waiting: dict[str | int, Node] = {}  # children in which an item waits
        self.waiting: deque[Any] = deque()
        self.clock = 0.0  # virtual time: what the child served last had used then
        self.served, self.spent = 0, 0.0  # turns and seconds of all children

    def child(self, key: str | int) -> "Node":
        """Returns a child.

        A new one starts as if it had had a turn; otherwise a stream of new clients would always be served first.
        """
        if key not in self.nodes:
            if len(self.nodes) >= MAX_REMEMBERED_CLIENTS:
                self.nodes = {**self.with_waiting}
            self.nodes[key] = Node(key, self.clock + self.usual_turn)
        return self.nodes[key]

    @property
    def usual_turn(self) -> float:
        """The average seconds of a turn."""
        return self.spent / self.served if self.served else 0


class FairOrder:
    """Waiting items of clients; the next item is one of the client that has used the least.

    The use of a client is reset after `idle_reset_seconds` without any: a visitor who types comes before programs that
    ask without pause, even hundreds of them at the same address.
    """

    def __init__(self, idle_reset_seconds: float = inf, now: Callable[[], float] = time.monotonic):
        self.idle_reset_seconds, self.now = idle_reset_seconds, now
        self.root, self.waiting_by_address = Node(), Counter[str | int]()

    def __len__(self) -> int:
        return self.waiting_by_address.total()

    def add(self, client: Client, item: Any) -> None:
        """Adds an item of a client."""
        node, idle_before = self.root, self.now() - self.idle_reset_seconds
        for key in client:
            child = node.child(key)
            if key not in node.with_waiting:
                child.used = max(child.used, node.clock)
                if self.idle_reset_seconds < inf:
                    most = 0 if child.last_used < idle_before else MAX_TURNS_BEHIND
                    child.used = min(child.used, node.clock + most * node.usual_turn)
                node.with_waiting[key] = child
            node = child
        node.waiting.append(item)
        self.waiting_by_address[client[0]] += 1

    def pop(self) -> tuple[Client, Any]:
        """Removes and returns the next item, with its client."""
        node, client = self.root, ()
        while node.with_waiting:
            least = min(node.with_waiting.values(), key=USED)
            node.clock, client = least.used, (*client, least.key)
            node.served += 1
            node = least
        item = node.waiting.popleft()
        self._removed(client)
        return client, item

    def remove(self, client: Client, item: Any) -> None:
        """Removes an item if it still waits."""
        node = self.root
        for key in client:
            if not (node := node.with_waiting.get(key)):
                return
        if item in node.waiting:
            node.waiting.remove(item)
            self._removed(client)

    def charge(self, client: Client, seconds: float) -> None:
        """Charges a client for its use."""
        node, now = self.root, self.now()
        for key in client:
            child = node.child(key)
            child.used, child.last_used = child.used + seconds, now
            node.spent += seconds
            node = child

    def _removed(self, client: Client) -> None:
        """Moves a client behind its siblings, or drops it from the waiting ones if no item of it waits."""
        path = [self.root]
        for key in client:
            path.append(path[-1].with_waiting[key])
        for parent, key, child in reversed(list(zip(path, client, path[1:], strict=False))):
            del parent.with_waiting[key]
            if child.waiting or child.with_waiting:
                parent.with_waiting[key] = child
        self.waiting_by_address[client[0]] -= 1
        self.waiting_by_address += Counter()  # drops addresses at 0


class Slots:
    """A limited number of slots for long questions; a client is charged for the time that it holds one."""

    def __init__(self, slots: int, max_wait: float = MAX_WAIT_SECONDS, now: Callable[[], float] = time.monotonic):
        self.free, self.max_wait, self.now = slots, max_wait, now
        self.order = FairOrder()
        self.held: dict[object, tuple[Client, float]] = {}  # client, and start of the time that is not charged yet

    @asynccontextmanager
    async def turn(self, *client: str | int) -> AsyncIterator[None]:
        """Waits for a slot and holds it until the end of the block; raises Problem where too many wait, or too long."""
        turn = await self.acquire(*client)
        try:
            yield
        finally:
            self.release(turn)

    async def acquire(self, *client: str | int) -> asyncio.Future:
        """Waits for a slot, and returns it; raises Problem as `turn` does."""
        turn = asyncio.get_running_loop().create_future()
        await self._wait(client, turn)
        return turn

    async def _wait(self, client: Client, turn: asyncio.Future) -> None:
        if not self.free and self.order.waiting_by_address[client[0]] >= MAX_WAITING_PER_ADDRESS:
            raise Problem("too-many", "Too many of your questions wait for a turn. Wait for their answers first.")
        if not self.free and len(self.order) >= MAX_WAITING_QUESTIONS:
            raise Problem("busy", "Too many questions wait for a turn. Ask again in a moment.")
        self.order.add(client, turn)
        self._serve()
        try:
            async with asyncio.timeout(self.max_wait):
                await turn
        except BaseException as error:
            if turn in self.held:
                self.release(turn)
            else:
                self.order.remove(client, turn)
            if isinstance(error, TimeoutError):
                detail = f"There was no turn within {self.max_wait} seconds. Ask again in a moment."
                raise Problem("busy", detail) from None
            raise

    def release(self, turn: asyncio.Future) -> None:
        """Frees a slot."""
        self._charge()
        del self.held[turn]
        self.free += 1
        self._serve()

    def _serve(self) -> None:
        self._charge()
        while self.free and self.order:
            client, turn = self.order.pop()
            self.free -= 1
            self.held[turn] = client, self.now()
            if not turn.done():  # cancelled, but not removed yet
                turn.set_result(None)

    def _charge(self) -> None:
        now = self.now()
        for turn, (client, since) in self.held.items():
            self.order.charge(client, now - since)
            self.held[turn] = client, now


class LoopTurns:
    """Turns on the event loop: one client runs, then all other callbacks that are due, then the next client.

    Without turns the loop would run all clients that are due before it reads from sockets again: a key would wait for
    the questions of all connections that asked just before it.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic):
        self.order, self.is_free = FairOrder(IDLE_RESET_SECONDS, now), True

    async def turn(self, client: Client) -> None:
        """Waits until it is this client's turn."""
        turn = asyncio.get_running_loop().create_future()

        def wake() -> None:
            if not turn.done():  # cancelled
                turn.set_result(None)

        self.call(client, wake)
        try:
            await turn  # already done, and does not yield, if no other client was waiting
        except asyncio.CancelledError:
            self.order.remove(client, wake)
            raise

    def call(self, client: Client, action: Callable[[], None]) -> None:
        """Calls a function when it is this client's turn, at once if no other client waits."""
        self.order.add(client, action)
        if self.is_free:
            self._serve()

    def _serve(self) -> None:
        """Serves the next client, and runs again after the loop has read from its sockets."""
        self.is_free = not self.order
        if not self.is_free:
            _, action = self.order.pop()
            try:
                action()
            finally:
                asyncio.get_running_loop().call_soon(self._serve)


class Metered:
    """Work of a client that waits for turns on the event loop and is charged for its processor time there.

    `client` may change: later use is charged to the new one.
    """

    def __init__(self, turns: LoopTurns, *client: str | int, clock: Callable[[], float] = time.thread_time):
        self.turns, self.client, self.clock = turns, client, clock
        self.waits = self.has_turn = False
        self.begin = self.uncharged = 0.0  # start or last charge of the current step; seconds of earlier steps

    async def turn(self) -> None:
        """Waits for a turn, which lasts until the work waits for anything else."""
        if self.has_turn:
            self._charge()
        self.waits = True
        try:
            await self.turns.turn(self.client)
        finally:
            self.waits = False
        self.has_turn = True

    @types.coroutine
    def run(self, work: Coroutine[Any, Any, None]) -> Generator[Any, None, None]:
        """Runs this work step by step; a step that requests a turn is charged after it, so that it keeps its place."""
        error = None
        while True:
            self.begin = self.clock()
            try:
                waits_for = work.throw(error) if error else work.send(None)
            except StopIteration:
                return
            finally:
                if self.waits:
                    self.uncharged += self.clock() - self.begin
                else:
                    self.has_turn = False
                    self._charge()
            try:
                yield waits_for
                error = None
            except BaseException as raised:
                error = raised

    def _charge(self) -> None:
        now = self.clock()
        self.turns.order.charge(self.client, self.uncharged + now - self.begin)
        self.begin, self.uncharged = now, 0.0
