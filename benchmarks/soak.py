"""A class for ninety minutes: fifty visitors who type, compare, train, turn pages, reload, sleep and come back.

    python benchmarks/soak.py [--minutes N] [--visitors N] [--arrivals N] [--seed N]

A server of its own, on this machine alone, with a folder of its own for what is temporary. Ninety minutes are the
whole, ten a shorter form; one is for trying. Each id is compared with tiktoken's, of a trained encoding with those of
tiktoken over its ranks. In the middle the server is killed three times; whoever was there finds the text again, which
the tab has kept. At the end two hundred open the page within ten seconds. Times are those of one machine that does all.
"""

import argparse
import asyncio
import itertools
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs

import httpx2 as httpx
import psutil
import tiktoken
import websockets
from _tab import Failed, Tab

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from e2e.server import LAUNCHER, Server
from oracles import oracle
from troubles import a_stretch

from tokenizer import encoding_from_merges, get_encoding, train

KEY_EVERY = 0.25  # seconds
SPELL = 40  # keys that are typed without a pause
READS = 10  # seconds that a page is read
LONGEST = 900  # characters of a text
JOINS = 10  # seconds in which the class comes, and in which strangers do
NAP = 0.02  # of the whole time, the longest
KILLS = (0.45, 0.5, 0.55)  # of the whole time
LOOK_EVERY = 2  # seconds between two looks at the server
COMPARED = ("gpt2", "cl100k_base", "o200k_base")
PAGES = ("", "compare", "decode", "chat", "learn", "why", "train", "languages", "catalog", "vocabulary")  # and hood
LOST = (websockets.ConnectionClosed, OSError, TimeoutError, websockets.InvalidHandshake, EOFError)


Look = dict[str, int]  # what is seen of the server


class Notes:
    """What is noted down, by all."""

    def __init__(self):
        self.seconds: dict[str, list[float]] = {}
        self.counts = Counter()
        self.failures = Counter()

    def took(self, what: str, begin: float) -> None:
        self.seconds.setdefault(what, []).append(time.perf_counter() - begin)

    def failed(self, why: object) -> None:
        self.failures[" ".join(str(why).split())[:150]] += 1

    def __add__(self, other: "Notes") -> "Notes":
        both = Notes()
        both.seconds = self.seconds | other.seconds
        both.counts, both.failures = self.counts + other.counts, self.failures + other.failures
        return both

    @property
    def problems(self) -> int:
        """What was wrong, lost, refused or failed."""
        return self.counts["wrong answers"] + self.counts["texts lost"] + self.failures.total()


class House:
    """The server, and what it takes of the machine."""

    def __init__(self, server: Server):
        self.server, self.is_up, self.restarts, self.is_left_alone = server, asyncio.Event(), 0, False
        self.complaints: list[str] = []
        self.seen: set[psutil.Process] = set()  # every process that it has begun
        self.is_up.set()

    async def kill(self) -> None:
        """Kills the server, as a power cut does, and starts it again."""
        self.is_up.clear()
        self.complaints += self.server.complaints()
        self.restarts += 1
        await asyncio.to_thread(self.server.restart)
        self.is_up.set()

    def look(self) -> Look:
        """Memory in megabytes, threads, open files, and processes that it has begun."""
        process = psutil.Process(self.server.pid)
        family = process.children(recursive=True)
        self.seen.update(family)
        return {
            "MB": sum(map(_resident, [process, *family])) // 2**20,
            "threads": process.num_threads(),
            "files": process.num_fds(),
            "processes": len(family),
            "zombies": sum(map(_is_zombie, family)),
        }

    def left_behind(self) -> list[str]:
        """The processes that it has begun and that are not its own any more."""
        own = psutil.Process(self.server.pid).children(recursive=True)
        return [str(one.pid) for one in self.seen if one.is_running() and not _is_zombie(one) and one not in own]


def _resident(process: psutil.Process) -> int:
    try:
        return process.memory_info().rss
    except psutil.NoSuchProcess:
        return 0


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@cache
def tiktoken_of(text: str, vocab_size: int) -> tiktoken.Encoding:
    """What tiktoken makes of a training on a text, with all else as the page has it."""
    own = encoding_from_merges(train(text, vocab_size, min_count=2), "cl100k_base")
    pattern = get_encoding("cl100k_base").pattern
    return tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=own.ranks, special_tokens={})


class Visitor:
    """One of the class: a tab, and habits."""

    def __init__(self, number: int, house: House, notes: Notes, seed: int, seconds: float):
        self.draw, self.house, self.notes, self.seconds = random.Random(f"{seed} {number}"), house, notes, seconds
        self.tab, self.restarts = Tab(house.server.url), 0
        self.mark, self.keys = "".join("abcdefghij"[int(digit)] for digit in f"{number:03}"), itertools.count()
        self.body, self.vocab_size = "\n", 260 + number
        self.habits: dict[Callable, int] = {
            self.type: 12,
            self.compare: 4,
            self.turn_pages: 4,
            self.reload: 1,
            self.sleep: 1,
            self.train: 1,
        }

    async def come(self, end: float) -> None:
        """Does this and that until the end; whoever loses the server looks for the text when it is back."""
        await asyncio.sleep(self.draw.random() * JOINS)
        is_there = False
        while time.perf_counter() < end or not self.house.is_left_alone:
            try:
                if not is_there:
                    await self.arrive()
                    is_there = True
                [habit] = self.draw.choices([*self.habits], [*self.habits.values()])
                await habit()
            except LOST as error:
                is_up = self.restarts == self.house.restarts and self.house.is_up.is_set()
                if is_up or isinstance(error, TimeoutError):  # who is killed does not keep silent, but hangs up
                    self.notes.failed(f"the connection was lost: {error!r}")
                is_there = False
                await self.tab.close()
                await asyncio.sleep(self.draw.random())
                await self.house.is_up.wait()
            except Failed as error:
                self.notes.failed(error)
        await self.tab.close()

    async def arrive(self) -> None:
        """Opens the page, or comes back to it; what the tab has kept must be there."""
        restarts, begin = self.house.restarts, time.perf_counter()
        await self.tab.open()
        await self.tab.turn(self.tab.page, self.tab.query)
        self.notes.took("a page opened", begin)
        if self.tab.text is None or self.body == "\n":
            self.write(a_stretch(self.draw))
        await self.look_for_the_text()
        self.restarts = restarts

    async def look_for_the_text(self) -> None:
        self.notes.counts["texts looked for"] += 1
        if not await self.tab.has_text():
            self.notes.counts["texts lost"] += 1

    def write(self, more: str) -> None:
        """Puts something into the text: its first line tells one state of it from all others."""
        at = self.draw.randint(0, len(self.body))
        self.body = (self.body[:at] + more + self.body[at:])[-LONGEST:]
        state = "".join("abcdefghij"[int(digit)] for digit in str(next(self.keys)))
        self.tab.write(f"visitor {self.mark} state {state}.\n{self.body}")

    async def ask(self, name: str, encoding: str, theirs: tiktoken.Encoding) -> None:
        """Asks for the tokens of the text, and compares."""
        begin = time.perf_counter()
        found = await self.tab.ids(encoding, self.tab.text)
        self.notes.took(name, begin)
        self.notes.counts["answers compared"] += 1
        if found != theirs.encode_ordinary(self.tab.text):
            self.notes.counts["wrong answers"] += 1
            self.notes.failed(f"{name}: wrong ids of {encoding}")

    # ---- habits ----

    async def type(self) -> None:
        """Types a while, and pauses: the server's desk hears of it then."""
        name = self.draw.choice(COMPARED)
        for _ in range(self.draw.randint(1, SPELL)):
            self.write(self.draw.choice("abc กขค漢👍\n'1é") if self.draw.random() < 0.95 else a_stretch(self.draw))
            await self.ask("a key", name, oracle(name))
            await asyncio.sleep(KEY_EVERY * (0.5 + self.draw.random()))
        await self.tab.tell()

    async def compare(self) -> None:
        await self.turn("compare")
        for _ in range(self.draw.randint(1, SPELL)):
            self.write(self.draw.choice("abc กขค漢👍\n'1é"))
            for name in COMPARED:
                await self.ask("a key, compared", name, oracle(name))
            await asyncio.sleep(KEY_EVERY)
        await self.tab.tell()

    async def turn_pages(self) -> None:
        for page in self.draw.sample(PAGES, 3):
            await self.turn(page)
            await asyncio.sleep(self.draw.random() * READS)

    async def turn(self, page: str, query: str = "") -> None:
        begin = time.perf_counter()
        await self.tab.turn(page, query)
        self.notes.took("a page turned", begin)

    async def reload(self) -> None:
        """Begins a session anew, in the same tab."""
        await self.tab.close()
        self.tab.session = ""
        await self.arrive()

    async def sleep(self) -> None:
        """Closes the lid for a while, and comes back to the same session."""
        await self.tab.close()
        await asyncio.sleep(self.draw.random() * NAP * self.seconds)
        await self.house.is_up.wait()
        await self.arrive()

    async def train(self) -> None:
        """Opens a link to a training on the text, and reads another with what came of it."""
        text = self.tab.text
        self.tab.page, self.tab.query = "", ""
        await self.reload()  # a session that has seen the page has chosen already, and no link undoes that
        await self.turn("train", f"corpus=desk&vocab_size={self.vocab_size}")
        begin = time.perf_counter()
        await self.tab.press("train")
        while self.tab.fragment:
            await asyncio.sleep(0.5)
            await self.tab.run(fragment=self.tab.fragment)
        self.notes.took("a training", begin)
        key = parse_qs(self.tab.query).get("trained", [""])[0].partition(",")[0]
        if not key:
            raise Failed(f"a training that made nothing: {self.tab.query} {self.tab.alerts()}")
        self.write(a_stretch(self.draw))
        theirs = await asyncio.to_thread(tiktoken_of, text, self.vocab_size)
        await self.ask("a key, own tokenizer", key, theirs)


async def watch(house: House, looks: list[Look]) -> None:
    """Looks at the server while it is up."""
    while True:
        if house.is_up.is_set():
            looks.append(house.look())
        await asyncio.sleep(LOOK_EVERY)


async def tell(notes: Notes, looks: list[Look], begin: float, seconds: float) -> None:
    """Says after each tenth of the time what the server takes, and how long a key took in that tenth."""
    for tenth in range(1, 11):
        before = len(notes.seconds.get("a key", []))
        await asyncio.sleep(max(0, begin + tenth * seconds / 10 - time.perf_counter()))
        print(f"{tenth}/10: {of(looks[-1])}; a key{times_of(notes.seconds.get('a key', [])[before:])}", flush=True)


async def own_delay(notes: Notes) -> None:
    """How late this program itself is, which no answer can be earlier than."""
    while True:
        begin = time.perf_counter() + 0.05
        await asyncio.sleep(0.05)
        notes.took("this program's own delay", begin)


async def stranger(house: House, notes: Notes, number: int) -> None:
    """Opens the page for the first time, as far as the first tokens."""
    await asyncio.sleep(JOINS * random.Random(number).random())
    begin, tab = time.perf_counter(), Tab(house.server.url)
    try:
        async with httpx.AsyncClient(timeout=60) as client:
            (await client.get(tab.url)).raise_for_status()
        await tab.open()
        await tab.turn("")
        found = await tab.ids("o200k_base", tab.text)
        notes.counts["wrong answers"] += found != oracle("o200k_base").encode_ordinary(tab.text)
        notes.took("a stranger's first tokens", begin)
    except (*LOST, Failed, httpx.HTTPError) as error:
        notes.failed(f"a stranger: {error!r}")
    await tab.close()


async def kills(house: House, class_of: list[Visitor], begin: float, seconds: float) -> None:
    """Kills the server in the middle, and says when all texts are there again."""
    for share in KILLS:
        await asyncio.sleep(max(0, begin + share * seconds - time.perf_counter()))
        await house.kill()
        back = time.perf_counter()
        while missing := sum(visitor.restarts < house.restarts for visitor in class_of):
            if time.perf_counter() > back + NAP * seconds + 60:
                break
            await asyncio.sleep(0.2)
        took, there = time.perf_counter() - back, len(class_of) - missing
        print(f"killed: {took:.1f} s after the server, {there} of {len(class_of)} had their texts again", flush=True)
    house.is_left_alone = True


async def soak(house: House, minutes: float, visitors: int, arrivals: int, seed: int) -> bool:
    """Has the class come, and strangers after it; prints all, and says whether nothing was lost or wrong."""
    notes, strangers, looks, seconds = Notes(), Notes(), [], 60 * minutes
    class_of = [Visitor(i, house, notes, seed, seconds) for i in range(visitors)]
    begin = time.perf_counter()
    at_start = house.look()
    beside = [
        asyncio.create_task(work)
        for work in (watch(house, looks), own_delay(notes), tell(notes, looks, begin, seconds))
    ]
    async with asyncio.TaskGroup() as group:
        for visitor in class_of:
            group.create_task(visitor.come(begin + seconds))
        group.create_task(kills(house, class_of, begin, seconds))
    at_end = house.look()
    await asyncio.gather(*(stranger(house, strangers, i) for i in range(arrivals)))
    for task in beside:
        task.cancel()

    rows = {"at start": at_start, "at the end": at_end, "after all": house.look()}
    report(notes + strangers, rows, Counter(house.complaints + house.server.complaints()))
    left = house.left_behind()
    print(f"  processes left behind: {left or 'none'}")
    return not (notes + strangers).problems and not left and not any(look["zombies"] for look in looks)


def times_of(seconds: list[float]) -> str:
    """Half, 95 and 99 of a hundred took no longer, and none took longer than the last, in milliseconds."""
    cuts = statistics.quantiles(seconds, n=100, method="inclusive") if len(seconds) > 1 else [*seconds, 0] * 99
    return "".join(f"{1000 * one:9.1f}" for one in (cuts[49], cuts[94], cuts[98], max(seconds, default=0)))


def of(look: Look) -> str:
    return "".join(f"{number:7} {what}" for what, number in look.items())


def report(notes: Notes, rows: dict[str, Look], complaints: Counter) -> None:
    print(f"  {'milliseconds':24}{'number':>9}{'p50':>9}{'p95':>9}{'p99':>9}{'worst':>9}")
    for what, seconds in notes.seconds.items():
        print(f"  {what:24}{len(seconds):9,}{times_of(seconds)}")
    for name, look in rows.items():
        print(f"  {name:24}{of(look)}")
    for title, found in (("refused or failed", notes.failures), ("in the log", complaints)):
        print(f"  {title}: {found.total()}")
        print("".join(f"    {times} x {what}\n" for what, times in found.most_common(10)), end="")
    for pair in (("answers compared", "wrong answers"), ("texts looked for", "texts lost")):
        print("  " + ", ".join(f"{notes.counts[what]:,} {what}" for what in pair))


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, usual in (("minutes", 1), ("visitors", 50), ("arrivals", 200), ("seed", 1)):
        parser.add_argument(f"--{name}", type=float if name == "minutes" else int, default=usual)
    asked = parser.parse_args()
    for name in COMPARED:
        oracle(name)
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder, "tmp")
        temporary.mkdir()
        with Server(Path(folder, "log.txt"), LAUNCHER, TMPDIR=str(temporary)) as server:
            went_well = asyncio.run(soak(House(server), **vars(asked)))
        left = [str(path.relative_to(temporary)) for path in temporary.rglob("*")]
        print(f"  files left behind: {left or 'none'}")
    sys.exit(not went_well or bool(left))


if __name__ == "__main__":
    main()
