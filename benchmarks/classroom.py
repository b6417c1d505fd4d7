"""A class on its phones while others type: how long answers, steps and keys take.

    python benchmarks/classroom.py [learners ...]

The app serves learners who wait for the teacher's steps as the page for phones does, and answer each within two
seconds. Fifty typists press four keys a second each, in a process of their own; their keys without a class are
measured just before. One machine runs all three. Then the learners train a tokenizer: each sends a sentence and votes.
"""

import asyncio
import json
import random
import sys
import time

import psutil
from _serving import WITH_MORE_ROUTES, Server, server
from _typists import TypistGroup, keys_during, milliseconds

from server.classroom.game import VOTE_SECONDS
from tokenizer.languages.parallel import parallel_corpus

GROUP = TypistGroup("typists", 50, 0.25)
IDLE_SECONDS = 10
JOIN_SECONDS = 3.0  # in which the phones come
ANSWER_SECONDS = 2.0  # in which a class answers
MAX_RETRY_SECONDS = 1.0  # until a phone that was disconnected tries again
STEPS = [("token", 0, 6), ("token", 2, "gpt2"), ("token", 3, "3"), ("bpe", 0, "aa"), ("walls", 1, 5), ("token", 5, 18)]


# ---- learners ----


class Line:
    """A connection that sends one request after the other, as a browser's does."""

    def __init__(self, url: str):
        self.host, _, port = url.removeprefix("http://").partition(":")
        self.port, self.streams, self.headers = int(port), None, {}

    async def ask(self, method: str, path: str, found: dict | None = None, secret: str = "") -> tuple[int, bytes]:
        """Returns status and body of an answer; connects again where the server has closed the connection."""
        body = b"" if found is None else json.dumps(found).encode()
        kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{kind}X-Class-Secret: {secret}\r\n\r\n"
        while True:
            try:
                if self.streams is None:
                    self.streams = await asyncio.open_connection(self.host, self.port)
                return await self._read(head.encode() + body)
            except (asyncio.IncompleteReadError, OSError):
                self.streams = None
                await asyncio.sleep(MAX_RETRY_SECONDS * random.random())

    async def _read(self, message: bytes) -> tuple[int, bytes]:
        reader, writer = self.streams
        writer.write(message)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        self.headers = {name: value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        size = int(self.headers.get("content-length", 0))
        return int(lines[0].split()[1]), await reader.readexactly(size)


class Class:
    """A class of simulated learners, with the seconds that things took."""

    def __init__(self, url: str, learners: int):
        self.url, self.learners = url, learners
        self.teacher, self.board = Line(url), Line(url)
        self.arrived: asyncio.Queue = asyncio.Queue()
        self.sent: list[float] = []
        self.answers: list[float] = []
        self.scenes: list[float] = []
        self.rounds: list[float] = []

    async def show(self, name: str, at: int, is_revealed: bool) -> None:
        """Shows a scene, and notes the seconds until each phone has it."""
        begin = time.perf_counter()
        found = {"secret": self.secret, "lesson": name, "at": at, "is_revealed": is_revealed}
        await self.teacher.ask("POST", "/teach", found)
        self.scenes += [await self.arrived.get() - begin for _ in range(self.learners)]

    async def rehearse(self) -> None:
        """Reveals each step once, which loads the encodings that it needs before the class."""
        me = await self.join(self.board)
        for name, at, _ in STEPS:
            found = {"secret": self.secret, "lesson": name, "at": at, "is_revealed": True}
            await self.teacher.ask("POST", "/teach", found)
            for language in ("en", "th"):
                await self.board.ask("GET", f"/class/{self.code}/state?me={me}&lang={language}")
        await self.teacher.ask("POST", "/teach", {"secret": self.secret, "lesson": "languages", "at": 0})

    async def join(self, line: Line) -> str:
        """Joins the class, and returns the id that the server gives the phone."""
        _, body = await line.ask("POST", f"/class/{self.code}/join", {})
        return json.loads(body)["me"]

    async def learner(self, number: int) -> None:
        """Waits for scenes, and answers those with a question."""
        line, other, version, known = Line(self.url), Line(self.url), "", False
        path = f"/class/{self.code}"
        await asyncio.sleep(random.random() * JOIN_SECONDS)
        me = await self.join(line)
        while True:
            query = f"me={me}&have={version}&lang={'en' if number % 2 else 'th'}"
            status, body = await line.ask("GET", f"{path}/state?{query}")
            if status == 204:
                continue
            is_first, found = not known, json.loads(body)
            known = True
            version = found["version"]
            await self.arrived.put(time.perf_counter())
            if not found["revealed"] and not is_first:
                await asyncio.sleep(random.random() * ANSWER_SECONDS)
                begin = time.perf_counter()
                guess = next(right for name, at, right in STEPS if (name, at) == (found["lesson"], found["at"]))
                answer = {"me": me, "lesson": found["lesson"], "id": found["id"], "guess": guess}
                status, _ = await other.ask("POST", f"{path}/guess", answer)
                assert status == 204
                self.sent.append(begin)

    async def watch(self) -> None:
        """Polls the board, and notes when it has each answer."""
        version, begun = "", 0.0
        while True:
            path = f"/class/{self.code}/board?have={version}&who=me"
            _, body = await self.board.ask("GET", path, secret=self.secret)
            found, now = json.loads(body), time.perf_counter()
            version, count = found["version"], int(found["answered"].split()[0])
            begun = self.sent[0] if self.sent else now
            self.answers += [now - sent for sent in self.sent[self.seen : count]]
            self.seen = max(self.seen, min(count, len(self.sent)))
            if self.seen == self.learners and not self.all_there.is_set():
                self.rounds.append(now - begun)
                self.all_there.set()

    async def take_place(self) -> None:
        """Opens the class, walks through the steps, and ends."""
        await self.open()
        await self.rehearse()
        tasks = [asyncio.create_task(self.learner(i)) for i in range(self.learners)]
        for _ in tasks:
            await self.arrived.get()  # until each phone shows the scene
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

    async def open(self) -> None:
        """Opens the class."""
        self.all_there, self.seen = asyncio.Event(), 0
        _, body = await self.teacher.ask("POST", "/teach", {"lesson": "languages", "at": 0})
        opened = json.loads(body)
        self.secret, self.code = opened["secret"], opened["code"]

    async def play(self) -> None:
        """Plays a whole game without pauses, and prints what its phones and its board have seen."""
        await self.open()
        await self.teacher.ask("POST", "/teach", {"secret": self.secret, "game": True})
        self.votes, self.late, self.sent, self.scenes = 0, 0, [], []
        tasks = [asyncio.create_task(self.player(number)) for number in range(self.learners)]
        while len(self.sent) < self.learners:
            await asyncio.sleep(0.1)
            for task in filter(asyncio.Task.done, tasks):
                task.result()  # raises what it raised
        begin = time.perf_counter()
        status, _ = await self.teacher.ask("POST", f"/class/{self.code}/game", {"do": "start"}, self.secret)
        assert status == 204
        boards, found = [], {"version": "", "game": {"phase": ""}}
        while found["game"]["phase"] != "over":
            path = f"/class/{self.code}/board?have={found['version']}&who=me"
            _, body = await self.board.ask("GET", path, secret=self.secret)
            found = json.loads(body)
            boards.append(len(body))
        seconds = time.perf_counter() - begin
        sizes = await asyncio.gather(*tasks)
        print(f"{self.learners} learners train a tokenizer")
        merges, most = found["game"]["kept"]["merges"], max(boards) / 1_000
        print(f"  {merges} merges in {seconds:.1f} s, {len(boards)} boards of at most {most:.0f} kB")
        print(f"  {self.votes} votes counted, {self.late} late")
        print(f"  from the opening of a vote to each phone: {milliseconds(self.scenes)}")
        print(f"  {sum(size > 0 for size in sizes)} sentences cut at the end, {max(sizes) / 1_000:.0f} kB at most")

    async def player(self, number: int) -> int:
        """Sends a sentence, votes at once, and returns the bytes of its sentence as tokens at the end of the game."""
        line, version, path = Line(self.url), "", f"/class/{self.code}"
        await asyncio.sleep(random.random() * JOIN_SECONDS)
        me, language, has_sent = await self.join(line), "en" if number % 2 else "th", False
        while True:
            status, body = await line.ask("GET", f"{path}/state?me={me}&have={version}&lang={language}")
            if status == 204:
                continue
            found = json.loads(body)
            version, game = found["version"], found["game"]
            facts = {"me": me, "lesson": found["lesson"], "id": found["id"]}
            if not has_sent:
                has_sent = True
                text = parallel_corpus()[language][number % 120][:200]
                status, _ = await line.ask("POST", f"{path}/text", facts | {"id": game["id"], "text": text})
                assert status == 204
                self.sent.append(time.perf_counter())
            elif found["ask"] and not found["revealed"]:
                self.scenes.append(VOTE_SECONDS - float(line.headers["x-seconds-left"]))
                await asyncio.sleep(random.random() * (VOTE_SECONDS - 1))
                status, _ = await line.ask("POST", f"{path}/guess", facts | {"guess": number % len(found["options"])})
                self.votes, self.late = self.votes + (status == 204), self.late + (status == 409)
            elif game["phase"] == "over":
                status, body = await line.ask("GET", f"{path}/own/sentence?me={me}&lang={language}")
                return len(body) if status == 200 else 0


async def measure(app: Server, learners: int) -> None:
    """Prints the delays of typists during a class, and the speed of the class."""
    process, room = psutil.Process(app.pid), Class(app.url, learners)
    process.cpu_percent()
    before = await keys_during(app.url, asyncio.sleep(IDLE_SECONDS), [GROUP])
    idle_share = process.cpu_percent()
    keys = await keys_during(app.url, room.take_place(), [GROUP])
    together = process.cpu_percent()
    print(f"{learners} learners, {len(STEPS)} steps, {GROUP.people} typists")
    print(f"  keys without a class: {milliseconds(before[GROUP.name])}")
    print(f"  keys with it: {milliseconds(keys[GROUP.name], before[GROUP.name])}")
    print(f"  from an answer to the board: {milliseconds(room.answers)}")
    print(f"  from the teacher's step to each phone: {milliseconds(room.scenes)}")
    print(f"  the server's share of a processor: {idle_share:.0f}% without a class, {together:.0f}% with it")
    print(f"  all answers on the board after {max(room.rounds):.2f} s at most, given within {ANSWER_SECONDS:g} s")


async def train(app: Server, learners: int) -> None:
    """Prints how a game goes while others type."""
    keys = await keys_during(app.url, Class(app.url, learners).play(), [GROUP])
    print(f"  keys of {GROUP.people} typists with it: {milliseconds(keys[GROUP.name])}")


if __name__ == "__main__":
    sizes = [*map(int, sys.argv[1:])] or [50, 200]
    for job in (measure, train):
        with server(WITH_MORE_ROUTES) as app:
            for learners in sizes:
                asyncio.run(job(app, learners))
