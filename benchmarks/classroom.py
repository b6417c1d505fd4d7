"""A class on its phones while others type: how long answers, steps and keys take.

    python benchmarks/classroom.py [learners ...]

The whole app serves learners who wait for the teacher's steps as the page for phones does, and answer each within two
seconds. Fifty typists press four keys a second each, in a process of their own; their keys without a class are
measured just before. Times are those of one machine that does all three. At the end the server is killed in the middle
of a step, and started again: the class comes back.
"""

import asyncio
import contextlib
import json
import os
import random
import signal
import statistics
import struct
import sys
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import websockets
from _serving import app, cpu_seconds, free_port
from route import TEXT, question

APP = "_classroom_app:app"
TYPISTS, KEY_EVERY, IDLE = 50, 0.25, 10  # keys, seconds
JOINS = 3.0  # seconds in which they come
WITHIN = 2.0  # seconds in which a class answers
AGAIN = 1.0  # seconds until who was hung up tries again, at the most
STEPS = [("token", 0, 6), ("token", 2, "gpt2"), ("token", 3, "3"), ("bpe", 0, "aa"), ("walls", 1, 5), ("token", 5, 18)]


# ---- typists, in a process of their own ----


async def typist(address: str) -> None:
    """Prints the seconds of each key until this process is ended."""
    head = json.dumps({"name": "tokens", "parameters": {"encoding": "o200k_base"}}).encode()
    text = (TEXT * 12)[:1000]
    async with websockets.connect(f"ws://{address}/api/live", max_size=None) as socket:
        await asyncio.sleep(random.random() * KEY_EVERY)
        while True:
            text = text[1:] + random.choice("abc กขค")
            begin = time.perf_counter()
            await socket.send(struct.pack("<II", 1, len(head)) + head + question(text))
            await socket.recv()
            print(f"{time.time()} {time.perf_counter() - begin}", flush=True)
            await asyncio.sleep(KEY_EVERY * (0.5 + random.random()))


async def typists(address: str) -> None:
    await asyncio.gather(*(typist(address) for _ in range(TYPISTS)))


# ---- learners ----


class Line:
    """A connection that asks one thing after the other, as a browser's does."""

    def __init__(self, address: str):
        self.host, _, port = address.partition(":")
        self.port, self.streams = int(port), None

    async def ask(self, method: str, path: str, found: dict | None = None, secret: str = "") -> tuple[int, bytes]:
        """Status and body of an answer; a line that the server has hung up is opened again."""
        body = b"" if found is None else json.dumps(found).encode()
        kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{kind}X-Class-Secret: {secret}\r\n\r\n"
        while True:
            try:
                if self.streams is None:
                    self.streams = await asyncio.open_connection(self.host, self.port)
                return await self._said(head.encode() + body)
            except (asyncio.IncompleteReadError, OSError):
                self.streams = None
                await asyncio.sleep(AGAIN * random.random())

    async def _said(self, message: bytes) -> tuple[int, bytes]:
        reader, writer = self.streams
        writer.write(message)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        sizes = [int(line.partition(":")[2]) for line in lines if line.startswith("content-length:")]
        return int(lines[0].split()[1]), await reader.readexactly(sizes[0]) if sizes else b""


class Class:
    """A class of simulated learners, and what took how long."""

    def __init__(self, address: str, learners: int):
        self.address, self.learners = address, learners
        self.teacher, self.board = Line(address), Line(address)
        self.arrived: asyncio.Queue = asyncio.Queue()
        self.sent: list[float] = []
        self.answers: list[float] = []
        self.scenes: list[float] = []
        self.rounds: list[float] = []

    async def show(self, name: str, at: int, is_revealed: bool) -> None:
        """Shows a scene, and notes when each phone has it."""
        begin = time.perf_counter()
        found = {"secret": self.secret, "lesson": name, "at": at, "is_revealed": is_revealed}
        await self.teacher.ask("POST", "/teach", found)
        self.scenes += [await self.arrived.get() - begin for _ in range(self.learners)]

    async def rehearse(self) -> None:
        """Looks at what each step reveals: the encodings that it needs are loaded before the class."""
        me = await self.join(self.board)
        for name, at, _ in STEPS:
            found = {"secret": self.secret, "lesson": name, "at": at, "is_revealed": True}
            await self.teacher.ask("POST", "/teach", found)
            for language in ("en", "th"):
                await self.board.ask("GET", f"/class/{self.code}/state?me={me}&lang={language}")
        await self.teacher.ask("POST", "/teach", {"secret": self.secret, "lesson": "languages", "at": 0})

    async def join(self, line: Line) -> str:
        """Opens the page of the class, and returns the id that the server gives the phone."""
        _, body = await line.ask("POST", f"/class/{self.code}/join", {})
        return json.loads(body)["me"]

    async def learner(self, number: int) -> None:
        """Waits for scenes, and answers those that ask."""
        line, other, have, known = Line(self.address), Line(self.address), "", False
        path = f"/class/{self.code}"
        await asyncio.sleep(random.random() * JOINS)
        me = await self.join(line)
        while True:
            asked = f"me={me}&have={have}&lang={'en' if number % 2 else 'th'}"
            status, body = await line.ask("GET", f"{path}/state?{asked}")
            if status == 404:  # a server that has just begun does not know the class yet
                await asyncio.sleep(AGAIN * random.random())
            if status in (204, 404):
                continue
            is_first, found = not known, json.loads(body)
            known = True
            have = found["version"]
            await self.arrived.put(time.perf_counter())
            if not found["revealed"] and not is_first:
                await asyncio.sleep(random.random() * WITHIN)
                begin = time.perf_counter()
                guess = next(right for name, at, right in STEPS if (name, at) == (found["lesson"], found["at"]))
                said = {"me": me, "lesson": found["lesson"], "id": found["id"], "guess": guess}
                status, _ = await other.ask("POST", f"{path}/guess", said)
                if status == 404:  # the class is not there again yet: its scene comes, and is answered then
                    have = ""
                    continue
                assert status == 204
                self.sent.append(begin)

    async def watch(self) -> None:
        """Looks at the board, and notes when it has each answer."""
        have, begun = "", 0.0
        while True:
            path = f"/class/{self.code}/board?have={have}&who=me"
            _, body = await self.board.ask("GET", path, secret=self.secret)
            found, now = json.loads(body), time.perf_counter()
            have, count = found["version"], int(found["answered"].split()[0])
            begun = self.sent[0] if self.sent else now
            self.answers += [now - sent for sent in self.sent[self.seen : count]]
            self.seen = max(self.seen, min(count, len(self.sent)))
            if self.seen == self.learners and not self.all_there.is_set():
                self.rounds.append(now - begun)
                self.all_there.set()

    async def take_place(self) -> None:
        """Opens the class, walks through the steps, and ends."""
        self.all_there, self.seen = asyncio.Event(), 0
        _, body = await self.teacher.ask("POST", "/teach", {"lesson": "languages", "at": 0})
        opened = json.loads(body)
        self.secret, self.code = opened["secret"], opened["code"]
        await self.rehearse()
        tasks = [asyncio.create_task(self.learner(i)) for i in range(self.learners)]
        for _ in tasks:
            await self.arrived.get()
        tasks.append(asyncio.create_task(self.watch()))
        for name, at, _ in STEPS:
            self.sent, self.seen = [], 0
            self.all_there.clear()
            await self.show(name, at, False)
            await asyncio.wait_for(self.all_there.wait(), 30)
            await self.show(name, at, True)
            await asyncio.sleep(0.5)
        for task in tasks:
            task.cancel()

    async def outlive(self, kill: Callable[[], None], start: Callable[[], None]) -> tuple[float, float]:
        """Loses the server in the middle of a step; returns the seconds from its return until all phones have the step
        again, and until the board has all answers again."""
        self.all_there, self.seen = asyncio.Event(), 0
        _, body = await self.teacher.ask("POST", "/teach", {"lesson": "languages", "at": 0})
        opened = json.loads(body)
        self.secret, self.code = opened["secret"], opened["code"]
        tasks = [asyncio.create_task(self.learner(i)) for i in range(self.learners)]
        for _ in tasks:
            await self.arrived.get()
        name, at, _ = STEPS[0]
        await self.show(name, at, False)
        await asyncio.sleep(WITHIN / 2)
        await asyncio.to_thread(kill)
        self.sent = []
        await asyncio.to_thread(start)
        begin = time.perf_counter()
        found = {"secret": self.secret, "lesson": name, "at": at}
        assert (await self.teacher.ask("POST", "/class/open", found))[0] == 200
        for _ in range(self.learners):
            await self.arrived.get()
        there = time.perf_counter() - begin
        while await self.answered() < self.learners:
            await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        return there, time.perf_counter() - begin

    async def answered(self) -> int:
        """How many answers the board has."""
        _, body = await self.board.ask("GET", f"/class/{self.code}/board?have=&who=me", secret=self.secret)
        return int(json.loads(body)["answered"].split()[0])


# ---- both together ----


def say(what: str, seconds: list[float]) -> None:
    found = statistics.quantiles(seconds, n=100)
    p50, p95, p99 = (1000 * found[k - 1] for k in (50, 95, 99))
    print(
        f"  {what}: {len(seconds):,}, p50 {p50:.0f}, p95 {p95:.0f}, p99 {p99:.0f}, worst {1000 * max(seconds):.0f} ms"
    )


async def main(sizes: list[int]) -> None:
    with app(APP) as (url, pid):
        address = urlsplit(url).netloc
        for learners in sizes:
            process = await asyncio.create_subprocess_exec(
                sys.executable, __file__, "type", address, stdout=asyncio.subprocess.PIPE
            )
            keys: list[tuple[float, float]] = []

            async def collect(process=process, keys=keys) -> None:
                while line := await process.stdout.readline():
                    keys.append(tuple(map(float, line.split())))

            reading = asyncio.create_task(collect())
            await asyncio.sleep(3)  # the first keys load an encoding
            idle, worked = time.time(), cpu_seconds(pid)
            await asyncio.sleep(IDLE)
            begin, alone = time.time(), cpu_seconds(pid)
            room = Class(address, learners)
            await room.take_place()
            end, together = time.time(), cpu_seconds(pid)
            process.terminate()
            await reading
            print(f"{learners} learners, {len(STEPS)} steps, {TYPISTS} typists")
            say("keys without a class", [took for at, took in keys if idle < at < begin])
            say("keys with it", [took for at, took in keys if begin < at < end])
            say("from an answer to the board", room.answers)
            say("from the teacher's step to each phone", room.scenes)
            shares = (alone - worked) / (begin - idle), (together - alone) / (end - begin)
            print("  the server's share of a processor: {:.0%} without a class, {:.0%} with it".format(*shares))
            print(f"  all answers on the board after {max(room.rounds):.2f} s at the most, given within {WITHIN:g} s")


async def killed(learners: int) -> None:
    port = free_port()
    with contextlib.ExitStack() as servers:
        _, pid = servers.enter_context(app(APP, port))
        room = Class(f"localhost:{port}", learners)
        there, filled = await room.outlive(
            lambda: os.kill(pid, signal.SIGKILL), lambda: servers.enter_context(app(APP, port))
        )
    print(f"{learners} learners, the server killed in the middle of a step and started again")
    print(f"  all phones at the step after {there:.2f} s, all answers on the board again after {filled:.2f} s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["type"]:
        asyncio.run(typists(sys.argv[2]))
    else:
        sizes = [*map(int, sys.argv[1:])] or [50, 200]
        asyncio.run(main(sizes))
        for learners in sizes:
            asyncio.run(killed(learners))
