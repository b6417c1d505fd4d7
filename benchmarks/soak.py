"""A class for ninety minutes: fifty visitors who type, compare, train, turn pages, reload, sleep and come back.

    python benchmarks/soak.py [--minutes N] [--visitors N] [--pages N] [--arrivals N] [--seed N]

The server is one of its own with a temporary folder of its own. Use 90 minutes for the whole proof, 10 for a shorter
one, 1 to try it out. Each id is compared with tiktoken's; tiktoken gets the ranks of trained encodings. In the middle
the server is killed three times, and each tab must restore its text. At the end two hundred open the page within ten
seconds. Two pages in Chromium type sentences in turn: the server must not correct a piece that they encoded.
One machine runs the server and all visitors.
"""

import argparse
import asyncio
import itertools
import random
import re
import sys
import tempfile
import threading
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
from _serving import Server, server
from _tab import Failed, Tab
from _typists import percentiles
from browser import chromium
from difficult_texts import substring
from e2e.desk import Desk
from oracles import oracle
from playwright.sync_api import Error, expect

from tokenizer import encoding_from_merges, get_encoding, train

KEY_SECONDS = 0.25  # between two keys
MAX_KEYS = 40  # typed without a pause
MAX_READING_SECONDS = 10  # that a page is read
MAX_TEXT_CHARACTERS = 900  # of a text
JOIN_SECONDS = 10  # in which the class comes, and in which the newcomers do
MAX_NAP_SHARE = 0.02  # of the whole time
KILL_SHARES = (0.45, 0.5, 0.55)  # of the whole time
POLL_SECONDS = 2  # between two samples of the server
COMPARED = ("gpt2", "cl100k_base", "o200k_base")
PAGES = ("", "compare", "decode", "chat", "learn", "why", "train", "languages", "catalog", "vocabulary")  # and hood
MODELS = ("GPT-2", "GPT-4", "GPT-5")  # that the pages in Chromium choose from
VERIFIED = re.compile("verified by the server(, which has corrected the tokens in ([\\d,]+) part)?")
VERIFIED_MS = 120_000  # within which a text is verified; the server may be killed meanwhile
LOST_CONNECTION = (websockets.ConnectionClosed, OSError, TimeoutError, websockets.InvalidHandshake, EOFError)

Resources = dict[str, int]  # resources of the server at one moment


class Notes:
    """Times, counts and failures of all visitors."""

    def __init__(self):
        self.seconds: dict[str, list[float]] = {}
        self.counts = Counter()
        self.failures = Counter()

    def took(self, action: str, begin: float) -> None:
        self.seconds.setdefault(action, []).append(time.perf_counter() - begin)

    def failed(self, why: object) -> None:
        self.failures[" ".join(str(why).split())[:150]] += 1

    @property
    def problems(self) -> int:
        """How many answers were wrong, texts lost, and requests refused or failed."""
        wrong = ("wrong answers", "texts lost", "pieces corrected")
        return sum(self.counts[what] for what in wrong) + self.failures.total()


class App:
    """The server, with what it uses of the machine."""

    def __init__(self, server: Server):
        self.server, self.is_up, self.restarts, self.kills_are_over = server, asyncio.Event(), 0, False
        self.complaints: list[str] = []
        self.children: set[psutil.Process] = set()  # every one that it has begun
        self.is_up.set()

    async def kill(self) -> None:
        """Kills the server without a chance to clean up, and starts it again."""
        self.is_up.clear()
        self.complaints += self.server.log_problems()
        self.restarts += 1
        await asyncio.to_thread(self.server.restart)
        self.is_up.set()

    def sample_resources(self) -> Resources:
        """Returns memory in megabytes, threads, open files, and child processes."""
        process = psutil.Process(self.server.pid)
        family = process.children(recursive=True)
        self.children.update(family)
        return {
            "MB": sum(map(_resident, [process, *family])) // 2**20,
            "threads": process.num_threads(),
            "files": process.num_fds(),
            "processes": len(family),
            "zombies": sum(map(_is_zombie, family)),
        }

    def left_behind(self) -> list[str]:
        """Returns the numbers of its former child processes that still run without it."""
        own = psutil.Process(self.server.pid).children(recursive=True)
        return [str(one.pid) for one in self.children if one.is_running() and not _is_zombie(one) and one not in own]


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
    """Returns tiktoken's encoding with the ranks of a training on a text, as the page trains it."""
    own = encoding_from_merges(train(text, vocab_size, min_count=2), "cl100k_base")
    pattern = get_encoding("cl100k_base").pattern
    return tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=own.ranks, special_tokens={})


class Visitor:
    """One visitor of the class: a tab, and random actions."""

    def __init__(self, number: int, app: App, notes: Notes, seed: int, seconds: float):
        self.draw, self.app, self.notes, self.seconds = random.Random(f"{seed} {number}"), app, notes, seconds
        self.tab, self.restarts = Tab(app.server.url), 0
        self.letters, self.keys = "".join("abcdefghij"[int(digit)] for digit in f"{number:03}"), itertools.count()
        self.body, self.vocab_size = "\n", 260 + number
        self.weights: dict[Callable, int] = {
            self.type: 12,
            self.compare: 4,
            self.read_pages: 4,
            self.reload: 1,
            self.sleep: 1,
            self.train: 1,
        }

    async def run(self, end: float) -> None:
        """Does random actions until the end; after a lost connection it checks that the text is restored."""
        await asyncio.sleep(self.draw.random() * JOIN_SECONDS)
        is_there = False
        while time.perf_counter() < end or not self.app.kills_are_over:
            try:
                if not is_there:
                    await self.arrive()
                    is_there = True
                [action] = self.draw.choices([*self.weights], [*self.weights.values()])
                await action()
            except LOST_CONNECTION as error:
                is_up = self.restarts == self.app.restarts and self.app.is_up.is_set()
                if is_up or isinstance(error, TimeoutError):  # a killed server closes its connections
                    self.notes.failed(f"the connection was lost: {error!r}")
                is_there = False
                await self.tab.close()
                await asyncio.sleep(self.draw.random())
                await self.app.is_up.wait()
            except Failed as error:
                self.notes.failed(error)
        await self.tab.close()

    async def arrive(self) -> None:
        """Opens the page, or comes back to it; the page must have the tab's text."""
        restarts, begin = self.app.restarts, time.perf_counter()
        await self.tab.open()
        await self.tab.open_page(self.tab.page, self.tab.query)
        self.notes.took("a session opened", begin)
        if self.tab.text is None or self.body == "\n":
            self.write(substring(self.draw))
        await self.check_text()
        self.restarts = restarts

    async def check_text(self) -> None:
        self.notes.counts["texts looked for"] += 1
        if not await self.tab.has_text():
            self.notes.counts["texts lost"] += 1

    def write(self, more: str) -> None:
        """Inserts something into the text; its first line identifies each state of it."""
        at = self.draw.randint(0, len(self.body))
        self.body = (self.body[:at] + more + self.body[at:])[-MAX_TEXT_CHARACTERS:]
        state = "".join("abcdefghij"[int(digit)] for digit in str(next(self.keys)))
        self.tab.write(f"visitor {self.letters} state {state}.\n{self.body}")

    async def ask(self, name: str, encoding: str, expected: tiktoken.Encoding) -> None:
        """Asks for the tokens of the text, and compares the ids."""
        begin = time.perf_counter()
        found = await self.tab.ids(encoding, self.tab.text)
        self.notes.took(name, begin)
        self.notes.counts["answers compared"] += 1
        if found != expected.encode_ordinary(self.tab.text):
            self.notes.counts["wrong answers"] += 1
            self.notes.failed(f"{name}: wrong ids of {encoding}")

    # ---- actions ----

    async def type(self) -> None:
        """Types for a while, and then commits the text."""
        name = self.draw.choice(COMPARED)
        for _ in range(self.draw.randint(1, MAX_KEYS)):
            self.write(self.draw.choice("abc กขค漢👍\n'1é") if self.draw.random() < 0.95 else substring(self.draw))
            await self.ask("a key", name, oracle(name))
            await asyncio.sleep(KEY_SECONDS * (0.5 + self.draw.random()))
        await self.tab.commit()

    async def compare(self) -> None:
        await self.open_page("compare")
        for _ in range(self.draw.randint(1, MAX_KEYS)):
            self.write(self.draw.choice("abc กขค漢👍\n'1é"))
            for name in COMPARED:
                await self.ask("a key, compared", name, oracle(name))
            await asyncio.sleep(KEY_SECONDS)
        await self.tab.commit()

    async def read_pages(self) -> None:
        for page in self.draw.sample(PAGES, 3):
            await self.open_page(page)
            await asyncio.sleep(self.draw.random() * MAX_READING_SECONDS)

    async def open_page(self, page: str, query: str = "") -> None:
        begin = time.perf_counter()
        await self.tab.open_page(page, query)
        self.notes.took("another page", begin)

    async def reload(self) -> None:
        """Starts a new session in the same tab."""
        await self.tab.close()
        self.tab.session = ""
        await self.arrive()

    async def sleep(self) -> None:
        """Disconnects for a while, and comes back to the same session."""
        await self.tab.close()
        await asyncio.sleep(self.draw.random() * MAX_NAP_SHARE * self.seconds)
        await self.app.is_up.wait()
        await self.arrive()

    async def train(self) -> None:
        """Opens a link to a training on the text, and reads another text with the trained encoding."""
        text = self.tab.text
        self.tab.page, self.tab.query = "", ""
        await self.reload()  # in an old session the choices on the page would win over the link
        await self.open_page("train", f"corpus=desk&vocab_size={self.vocab_size}")
        begin = time.perf_counter()
        await self.tab.press("train")
        while self.tab.fragment:
            await asyncio.sleep(0.5)
            await self.tab.run(fragment=self.tab.fragment)
        self.notes.took("a training", begin)
        key = parse_qs(self.tab.query).get("trained", [""])[0].partition(",")[0]
        if not key:
            raise Failed(f"a training without a result: {self.tab.query} {self.tab.alerts()}")
        self.write(substring(self.draw))
        expected = await asyncio.to_thread(tiktoken_of, text, self.vocab_size)
        await self.ask("a key, own tokenizer", key, expected)


def type_in_chromium(app: App, notes: Notes, pages: int, seed: int, end: float, is_over: threading.Event) -> None:
    """Types sentences into pages of Chromium in turn until the end; counts the pieces that the server corrects."""
    if not pages:
        return
    draw, corrected = random.Random(f"{seed} chromium"), [0] * pages
    with chromium() as browser:
        desks = [Desk(browser.new_page(locale="en-US"), app.server) for _ in corrected]
        for desk in desks:
            desk.page.set_default_timeout(VERIFIED_MS)
            desk.open()
        while not is_over.is_set() and (time.perf_counter() < end or not app.kills_are_over):
            for i, desk in enumerate(desks):
                try:
                    desk.page.get_by_role("radio", name=draw.choice(MODELS)).click()
                    desk.write("")
                    desk.area.press_sequentially(substring(draw), delay=1_000 * KEY_SECONDS / pages)
                    expect(desk.badge).to_contain_text(VERIFIED, timeout=VERIFIED_MS)
                    corrected[i] = int((VERIFIED.search(desk.badge.inner_text())[2] or "0").replace(",", ""))
                    notes.counts["texts typed in Chromium"] += 1
                except (Error, AssertionError) as error:
                    notes.failed(f"a page in Chromium: {error}")
    notes.counts["pieces corrected"] = sum(corrected)


async def watch(app: App, samples: list[Resources]) -> None:
    """Notes the resources of the server while it is up."""
    while True:
        if app.is_up.is_set():
            samples.append(app.sample_resources())
        await asyncio.sleep(POLL_SECONDS)


async def print_tenths(notes: Notes, samples: list[Resources], begin: float, seconds: float) -> None:
    """Prints after each tenth of the time the resources of the server and the times of the keys in that tenth."""
    for tenth in range(1, 11):
        before = len(notes.seconds.get("a key", []))
        await asyncio.sleep(max(0, begin + tenth * seconds / 10 - time.perf_counter()))
        print(
            f"{tenth}/10: {format_resources(samples[-1])}; a key{times_of(notes.seconds.get('a key', [])[before:])}",
            flush=True,
        )


async def newcomer(app: App, notes: Notes, number: int) -> None:
    """Opens the page for the first time, as far as the first tokens."""
    await asyncio.sleep(JOIN_SECONDS * random.Random(number).random())
    begin, tab = time.perf_counter(), Tab(app.server.url)
    try:
        async with httpx.AsyncClient(timeout=60) as client:
            (await client.get(tab.url)).raise_for_status()
        await tab.open()
        await tab.open_page("")
        found = await tab.ids("o200k_base", tab.text)
        notes.counts["wrong answers"] += found != oracle("o200k_base").encode_ordinary(tab.text)
        notes.took("a newcomer's first tokens", begin)
    except (*LOST_CONNECTION, Failed, httpx.HTTPError) as error:
        notes.failed(f"a newcomer: {error!r}")
    await tab.close()


async def kills(app: App, class_of: list[Visitor], begin: float, seconds: float) -> None:
    """Kills the server three times, and prints when all texts are restored."""
    for share in KILL_SHARES:
        await asyncio.sleep(max(0, begin + share * seconds - time.perf_counter()))
        await app.kill()
        back = time.perf_counter()
        while missing := sum(visitor.restarts < app.restarts for visitor in class_of):
            if time.perf_counter() > back + MAX_NAP_SHARE * seconds + 60:
                break
            await asyncio.sleep(0.2)
        took, num_restored = time.perf_counter() - back, len(class_of) - missing
        print(
            f"killed: {took:.1f} s after the server, {num_restored} of {len(class_of)} had their texts again",
            flush=True,
        )
    app.kills_are_over = True


async def soak(app: App, minutes: float, visitors: int, pages: int, arrivals: int, seed: int) -> bool:
    """Runs the class and then the newcomers; prints all, and returns whether nothing was lost or wrong."""
    notes, samples, seconds = Notes(), [], 60 * minutes
    class_of = [Visitor(i, app, notes, seed, seconds) for i in range(visitors)]
    begin = time.perf_counter()
    at_start = app.sample_resources()
    other_tasks = [
        asyncio.create_task(work) for work in (watch(app, samples), print_tenths(notes, samples, begin, seconds))
    ]
    is_over = threading.Event()  # a thread cannot be cancelled
    try:
        async with asyncio.TaskGroup() as group:
            for visitor in class_of:
                group.create_task(visitor.run(begin + seconds))
            group.create_task(kills(app, class_of, begin, seconds))
            group.create_task(asyncio.to_thread(type_in_chromium, app, notes, pages, seed, begin + seconds, is_over))
    finally:
        is_over.set()
    at_end = app.sample_resources()
    await asyncio.gather(*(newcomer(app, notes, i) for i in range(arrivals)))
    for task in other_tasks:
        task.cancel()

    rows = {"at start": at_start, "at the end": at_end, "after all": app.sample_resources()}
    report(notes, rows, Counter(app.complaints + app.server.log_problems()))
    left = app.left_behind()
    print(f"  processes left behind: {left or 'none'}")
    return not notes.problems and not left and not any(sample["zombies"] for sample in samples)


def times_of(seconds: list[float]) -> str:
    """Returns the median, the 95th and 99th percentile and the maximum in columns, in milliseconds."""
    return "".join(f"{one:9.1f}" for one in (*percentiles(seconds), 1000 * max(seconds, default=0)))


def format_resources(sample: Resources) -> str:
    return "".join(f"{number:7} {what}" for what, number in sample.items())


def report(notes: Notes, rows: dict[str, Resources], complaints: Counter) -> None:
    print(f"  {'milliseconds':24}{'number':>9}{'p50':>9}{'p95':>9}{'p99':>9}{'worst':>9}")
    for what, seconds in notes.seconds.items():
        print(f"  {what:24}{len(seconds):9,}{times_of(seconds)}")
    for name, sample in rows.items():
        print(f"  {name:24}{format_resources(sample)}")
    for title, found in (("refused or failed", notes.failures), ("in the log", complaints)):
        print(f"  {title}: {found.total()}")
        print("".join(f"    {times} x {what}\n" for what, times in found.most_common(10)), end="")
    for pair in (
        ("answers compared", "wrong answers"),
        ("texts looked for", "texts lost"),
        ("texts typed in Chromium", "pieces corrected"),
    ):
        print("  " + ", ".join(f"{notes.counts[what]:,} {what}" for what in pair))


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, usual in (("minutes", 1), ("visitors", 50), ("pages", 2), ("arrivals", 200), ("seed", 1)):
        parser.add_argument(f"--{name}", type=float if name == "minutes" else int, default=usual)
    options = parser.parse_args()
    for name in COMPARED:
        oracle(name)
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder, "tmp")
        temporary.mkdir()
        with server(log=Path(folder, "log.txt"), TMPDIR=str(temporary)) as running:
            went_well = asyncio.run(soak(App(running), **vars(options)))
        left = [str(path.relative_to(temporary)) for path in temporary.rglob("*")]
        print(f"  files left behind: {left or 'none'}")
    sys.exit(not went_well or bool(left))


if __name__ == "__main__":
    main()
