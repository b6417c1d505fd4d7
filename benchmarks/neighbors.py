"""The delays of one typist under the load of others: hostile files, slow texts, trainings, programs that use `/v1`.

    python benchmarks/neighbors.py [name ...]

The app, those who load it and the neighbor who presses a key every 50 ms have a process of their own each. The keys
during each load are compared with keys on an idle server just before: compare the ratios.
"""

import asyncio
import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import count

import httpx2 as httpx
import psutil
import websockets
from _serving import WITH_MORE_ROUTES, server
from _tab import Tab
from _typists import HEADERS, TEXT, ask, keys_during, milliseconds, question

IDLE_SECONDS = 5
POLL_SECONDS = 0.5  # between two looks at how far a training is
NUM_VISITORS, NUM_LONG_TEXTS = 50, 10
PROGRAM_SECONDS, PROGRAM_PAUSE_SECONDS = 6, 0.25
TEXT_OF_2_MB = (TEXT * 20_000).encode()[:1_990_000].decode(errors="ignore")
TEXT_OF_5_MB = (TEXT * 50_000).encode()[:4_990_000].decode(errors="ignore")
PASTED_TEXT = (TEXT * 300)[:20_000]
ENDLESS_SPLIT = {  # a split that tries every way to part a run of letters
    "version": "1.0",
    "added_tokens": [],
    "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(x+x+)+y"}, "behavior": "Isolated", "invert": False},
    "model": {"type": "WordLevel", "vocab": {"x": 0, "?": 1}, "unk_token": "?"},
}


async def timed(work: Awaitable) -> float:
    """Returns the seconds that some work takes."""
    begin = time.perf_counter()
    await work
    return time.perf_counter() - begin


async def post(url: str, content: str | bytes, headers: dict[str, str] = HEADERS) -> str:
    """Returns the body of an answer."""
    async with httpx.AsyncClient(timeout=120) as client:
        return (await client.post(url, content=content, headers=headers)).raise_for_status().text


# ---- files and texts ----


def hostile_files() -> list[tuple[str, bytes]]:
    """Returns files that are cut, deep, huge, of a wrong type, zipped, or have far too many merges."""
    words = {f"t{i}": i for i in range(1_000_000)}
    merges = [[word, "t1"] for word in words]
    many = {"version": "1.0", "model": {"type": "BPE", "vocab": words, "merges": merges}}
    pairs = (b"%d %d\n" % (97 + i % 20, 97 + i % 19) for i in range(1_000_000))
    return [
        ("cut.json", json.dumps(ENDLESS_SPLIT).encode()[:-20]),
        ("tokenizer.json", b'{"model":' + b"[" * 2_000_000),
        ("tokenizer.json", json.dumps(many).encode()[:39_000_000]),
        ("bomb.model", gzip.compress(bytes(200_000_000), 1)),
        ("many.model", b"minbpe v1\n\n0\n" + b"".join(pairs)),
        ("many.tiktoken", b"".join(b"AAAA%08d %d\n" % (i, i) for i in range(1_000_000))),
    ]


async def bring_files(url: str) -> None:
    """Opens hostile files one after the other."""
    for name, data in hostile_files():
        begin = time.perf_counter()
        answer = await post(f"{url}/bring/{name}", data)
        print(f"    {name} ({len(data):,} bytes), {time.perf_counter() - begin:.1f} s: {answer[:110]}")


async def ask_once(url: str, encoding: str, texts: Sequence[str] = ("a first word",)) -> None:
    """Asks for the tokens of some texts, and prints the status and the reason for a refusal."""
    async with websockets.connect(f"{url.replace('http', 'ws', 1)}/api/live", max_size=None) as socket:
        for text in texts:
            begin = time.perf_counter()
            status, answer = await ask(socket, encoding, text)
            reason = "" if status == 200 else answer.decode(errors="replace")[:110]
            print(f"    {encoding}, {time.perf_counter() - begin:.1f} s: {status} {reason}")


async def endless_text(url: str) -> None:
    """Asks twice for a text that a loaded tokenizer never finishes."""
    key = await post(f"{url}/bring/tokenizer.json", json.dumps(ENDLESS_SPLIT))
    await ask_once(url, key, [("x" * 21 + " ") * 1_000, ("x" * 21 + " ") * 1_001])


async def files(url: str, name: str, text: str = TEXT_OF_2_MB) -> list[float]:
    """Asks three times for the tokens of a text as a file."""
    address = f"{url}/api/{name}?encoding=o200k_base"
    return [await timed(post(address, question(text))) for _ in range(3)]


async def long_texts(url: str) -> list[float]:
    """Returns the seconds of a paste of 20,000 characters, again and again, while ten ask for texts of 5 MB."""
    address = f"{url}/api/tokens?encoding=o200k_base"
    loads = [asyncio.create_task(post(address, question(TEXT_OF_5_MB))) for _ in range(NUM_LONG_TEXTS)]
    await asyncio.sleep(0.5)
    took = []
    async with websockets.connect(f"{url.replace('http', 'ws', 1)}/api/live", max_size=None) as socket:
        while not all(load.done() for load in loads):
            took.append(await timed(ask(socket, "o200k_base", f"{len(took)} {PASTED_TEXT}")))
    await asyncio.gather(*loads)
    return took


# ---- visitors ----


async def visit(url: str, page: str, query: str = "") -> Tab:
    """Opens a page in a new tab."""
    tab = Tab(url)
    await tab.open()
    await tab.open_page(page, query)
    return tab


async def visitors(url: str, page: str, query: str = "", button: str | None = None) -> list[float]:
    """Fifty visitors open a page, press a button where one is named, and wait until its work is drawn."""

    async def one() -> None:
        tab = await visit(url, page, query)
        if button:
            await tab.press(button)
        while tab.fragment:
            await asyncio.sleep(POLL_SECONDS)
            await tab.run(fragment=tab.fragment)

    await visit(url, page, query)  # loads what all of them share
    return await asyncio.gather(*(timed(one()) for _ in range(NUM_VISITORS)))


# ---- programs ----

TEXT_OF_500_BYTES = "The same thought, ความคิดเดียวกัน. " * 8


def counting(text: str) -> bytes:
    """Returns the body of a request for the number of tokens of a text."""
    return json.dumps({"encoding": "gpt-4o", "text": text}).encode()


HOSTILE_BODIES = (
    b'{"text": ' * 1_000_000,
    b'{"encoding": "gpt-4o", "text": "' + b"\\u0e01" * 1_600_000 + b'"}',
    b'{"encoding": "gpt-4o", "text": "' + b'\\"[' * 3_000_000 + b"\\",
)


async def programs(url: str, bodies: Sequence[bytes], pause: float = 0) -> list[float]:
    """Fifty programs ask `/v1/count`, each on a connection of its own."""
    statuses, turns, end = Counter(), count(), time.perf_counter() + PROGRAM_SECONDS
    limits = httpx.Limits(max_connections=NUM_VISITORS, max_keepalive_connections=NUM_VISITORS)

    async def keep_asking() -> list[float]:
        took = []
        while (begin := time.perf_counter()) < end:
            body, headers = bodies[next(turns) % len(bodies)], {"content-type": "application/json"}
            reply = await client.post(f"{url}/v1/count", content=body, headers=headers)
            statuses[reply.status_code] += 1
            took.append(time.perf_counter() - begin)
            await asyncio.sleep(max(0, pause - took[-1]))
        return took

    async with httpx.AsyncClient(timeout=60, limits=limits) as client:
        found = await asyncio.gather(*(keep_asking() for _ in range(NUM_VISITORS)))
    print(f"    answers by status: {dict(statuses)}")
    return sum(found, [])


LOADS: dict[str, Callable[[str], Awaitable[list[float] | None]]] = {
    "hostile files": bring_files,
    "an endless text": endless_text,
    "gemma4 for the first time": partial(ask_once, encoding="gemma4"),
    "llama3 for the first time": partial(ask_once, encoding="llama3"),
    "JSON of 2 MB": partial(files, name="json"),
    "CSV of 2 MB": partial(files, name="csv"),
    "HTML of 49,000 characters": partial(files, name="html", text=TEXT_OF_2_MB[:49_000]),
    "texts of 5 MB": long_texts,
    "fifty on Languages, Your own text": partial(visitors, page="languages", query="lens=own"),
    "fifty trainings": partial(visitors, page="train", button="train"),
    "programs that ask now and then": partial(
        programs, bodies=[counting(TEXT_OF_500_BYTES)], pause=PROGRAM_PAUSE_SECONDS
    ),
    "programs that ask as fast as they can": partial(programs, bodies=[counting(TEXT_OF_500_BYTES)]),
    "programs with long texts": partial(programs, bodies=[counting(TEXT_OF_500_BYTES * 1_500)]),
    "programs with hostile bodies": partial(programs, bodies=HOSTILE_BODIES),
}


async def load(url: str, name: str) -> None:
    """Puts one load on the server, and prints how long its answers took."""
    if took := await LOADS[name](url):
        print(f"    answers: {milliseconds(took)}", flush=True)


async def load_sandboxed(url: str, name: str) -> None:
    """Does the same in a process of its own."""
    await (await asyncio.create_subprocess_exec(sys.executable, __file__, "load", url, name)).wait()


async def main(names: Sequence[str]) -> None:
    with server(WITH_MORE_ROUTES) as app:
        memory = psutil.Process(app.pid).memory_info
        for name in [load for load in LOADS if not names or any(one in load for one in names)]:
            before, resident = await keys_during(app.url, asyncio.sleep(IDLE_SECONDS)), memory().rss
            keys = await keys_during(app.url, load_sandboxed(app.url, name))
            print(f"beside {name}: keys {milliseconds(keys['neighbor'], before['neighbor'])}")
            print(f"    {resident / 1e6:.0f} MB before, {memory().rss / 1e6:.0f} MB after", flush=True)


if __name__ == "__main__":
    asyncio.run(load(*sys.argv[2:]) if sys.argv[1:2] == ["load"] else main(sys.argv[1:]))
