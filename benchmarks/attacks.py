"""Attacks and heavy use of the app, each on a fresh server, and the delays of forty-one simulated typists.

    python benchmarks/attacks.py [name ...]

Forty of them have the attacker's address, and press a key four times a second over the editor's socket; one has another
address, and presses ten. Percentiles are printed next to those before the attack, the server's highest memory and that
after the attack next to that before it. Only for Linux: all of 127.0.0.0/8 leads to this machine.
"""

import asyncio
import base64
import gzip
import json
import os
import secrets
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from functools import partial
from itertools import cycle
from math import inf
from pathlib import Path

import httpx2 as httpx
import psutil
import websockets
from _serving import WITH_MORE_ROUTES, server
from _tab import Tab
from _typists import TEXT, TypistGroup, ask, keys_during, message, milliseconds, question
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from server.encodings import rank_tables
from tokenizer import get_encoding
from ui import warmup

GROUPS = TypistGroup("beside", 40, 0.25), TypistGroup("elsewhere", 1, 0.1, "127.0.0.2")
BEFORE_SECONDS = AFTER_SECONDS = 5
TEXT_OF_5_MB = TEXT * (4_900_000 // len(TEXT.encode()))
TEXT_OF_2_MB = TEXT * (2_000_000 // len(TEXT.encode()))
TEXT_OF_1_KB = TEXT * 12
SOCKET_OPTIONS = {"max_size": None, "ping_interval": None, "open_timeout": 30}
TABLE = rank_tables.page_encoder("o200k_base", get_encoding("o200k_base"), "/api")["ranks"]
EDITOR_SOCKET, PAGE_SOCKET = "/api/live", "/_stcore/stream"  # paths of sockets


# ---- what an attacker has ----


async def session(stack: AsyncExitStack, url: str) -> Tab:
    """Opens the playground in a new tab."""
    tab = Tab(url)
    await tab.open(ping_interval=None)
    stack.push_async_callback(tab.close)
    await tab.open_page("")
    return tab


def rerun_message(tab: Tab, name: str, body: bytes) -> bytes:
    """Returns the message by which the editor asks where the route is out of reach."""
    payload = {"number": secrets.randbits(30), "name": name, "body": base64.b64encode(body).decode()}
    payload["parameters"] = {"encoding": "o200k_base", "special": "text"}
    return tab.rerun(tab.event("ask", payload))


async def for_seconds(seconds: float, step: Callable[[], Awaitable[object]], max_steps: float = inf) -> int:
    """Repeats a step until the time is over or the server hangs up; returns how often it was done."""
    done, end = 0, time.perf_counter() + seconds
    with suppress(TimeoutError, websockets.WebSocketException, OSError, EOFError):
        async with asyncio.timeout(seconds):
            while done < max_steps and time.perf_counter() < end:  # wait_for of Python 3.11 may swallow a timeout
                await step()
                done += 1
    return done


async def drained(socket: websockets.ClientConnection) -> None:
    """Reads all that comes, until the other end hangs up."""
    with suppress(websockets.ConnectionClosed):
        async for _ in socket:
            pass


async def flood(
    url: str, visitors: int, seconds: float, sent: Callable[[Tab], bytes], pause: float = 0, max_messages: float = inf
) -> str:
    """Visitors each send a message again and again, with a pause, and read all answers; returns how many were taken."""

    async def keep_sending(tab: Tab) -> int:
        data, reading = sent(tab), asyncio.create_task(drained(tab.stream))

        async def send() -> None:
            await tab.stream.send(data)
            await asyncio.sleep(pause)

        try:
            return await for_seconds(seconds, send, max_messages)
        finally:
            reading.cancel()
            tab.stream.transport.abort()  # the server would read the rest for long after

    async with AsyncExitStack() as stack:
        tabs = [await session(stack, url) for _ in range(visitors)]
        return f"    {sum(await asyncio.gather(*map(keep_sending, tabs))):,} messages were taken"


async def connected(stack: AsyncExitStack, url: str, first: bytes = b"") -> asyncio.StreamWriter | None:
    """Returns a bare connection over which these bytes were sent; None where there is none to be had."""
    host, port = url.removeprefix("http://").split(":")
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, int(port)), 5)
    except (OSError, TimeoutError):
        return None
    stack.callback(lambda: writer.transport.is_closing() or writer.transport.abort())
    writer.write(first)
    return writer


def handshake(path: str) -> bytes:
    """Returns the request that opens a socket."""
    key = base64.b64encode(bytes(16)).decode()
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{upgrade}Sec-WebSocket-Key: {key}\r\n\r\n".encode()


def framed(data: bytes, kind: int = 0x82, size: int | None = None) -> bytes:
    """Returns a frame of a socket, of binary data by default; `size` is what it announces."""
    size = len(data) if size is None else size
    head = bytes([0x80 | size]) if size < 126 else b"\xff" + struct.pack("!Q", size)
    return bytes([kind]) + head + bytes(4) + data


def posting(path: str, body: bytes, kind: str = "application/octet-stream", size: int | None = None) -> bytes:
    """Returns a request with a body; `size` is the Content-Length that it announces."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
    return f"{head}Content-Length: {len(body) if size is None else size}\r\n\r\n".encode() + body


COUNT = json.dumps({"encoding": "o200k_base", "text": ("The same thought costs more. " * 300)[:7_000]})
COUNTING, COUNTING_A_SENTENCE, *HOSTILE_REQUESTS = (
    posting("/v1/count", body, "application/json")
    for body in (
        COUNT.encode(),
        json.dumps({"encoding": "gpt-4o", "text": "The same thought, ความคิดเดียวกัน. " * 8}).encode(),
        b'{"text": ' * 1_000_000,
        b'{"encoding": "gpt-4o", "text": "' + b"\\u0e01" * 1_600_000 + b'"}',
        b'{"encoding": "gpt-4o", "text": "' + b'\\"[' * 3_000_000 + b"\\",
    )
)
ENDLESS_SPLIT = {  # a split that tries every way to part a run of letters
    "version": "1.0",
    "added_tokens": [],
    "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(x+x+)+y"}, "behavior": "Isolated", "invert": False},
    "model": {"type": "WordLevel", "vocab": {"x": 0, "?": 1}, "unk_token": "?"},
}


# ---- attacks ----

ATTACKS: dict[str, Callable[[str], Awaitable[None]]] = {}


def attack(function: Callable[[str], Awaitable[None]]) -> Callable[[str], Awaitable[None]]:
    """Lists an attack by its name."""
    ATTACKS[function.__name__] = function
    return function


def variant(name: str, about: str, function: Callable[..., Awaitable[None]], *args: object, **options: object) -> None:
    """Lists an attack that is a function with these arguments."""
    ATTACKS[name] = partial(function, *args, **options)
    ATTACKS[name].__doc__ = about


@attack
async def rerun_files(url: str) -> None:
    """Four visitors ask by a rerun for the tokens of 2 MB of text as a file."""
    async with AsyncExitStack() as stack:
        tabs = [await session(stack, url) for _ in range(4)]
        for tab in tabs:
            await tab.stream.send(rerun_message(tab, "json", question(TEXT_OF_2_MB)))
        await asyncio.gather(*(tab.finish() for tab in tabs))


@attack
async def ten_of_many_reruns(url: str) -> None:
    """Ten visitors let the playground run again a hundred times a second each, for 15 seconds.

    A higher rate would load this machine instead of the app: the attacking program runs on it too.
    """
    print(await flood(url, 10, 15, Tab.rerun, pause=0.01))


@attack
async def large_reruns(url: str) -> None:
    """Four visitors send messages of 11 MB, each of 300,000 widgets, as fast as they are taken, for 15 seconds."""
    widgets = [WidgetState(id=f"$$ID-{number:016}-widget", string_value="x") for number in range(300_000)]
    print(await flood(url, 4, 15, lambda tab: tab.rerun(*widgets)))


async def many_questions(url: str, sockets: int) -> None:
    """Sockets ask for short texts as fast as they are answered, for ten seconds."""

    async def keep_asking() -> int:
        with suppress(websockets.WebSocketException, TimeoutError):  # there are too many
            async with websockets.connect(url.replace("http", "ws", 1) + EDITOR_SOCKET, **SOCKET_OPTIONS) as socket:
                return await for_seconds(10 + sockets / 100, lambda: ask(socket, "o200k_base", TEXT_OF_1_KB))
        return 0

    counts = await asyncio.gather(*(keep_asking() for _ in range(sockets)))
    print(f"    {sum(counts):,} answers, to {len(counts) - counts.count(0)} sockets")


QUESTIONS_DESCRIPTION = "{:,} sockets ask for short texts as fast as they are answered."
variant("many_questions", QUESTIONS_DESCRIPTION.format(10), many_questions, sockets=10)
for number in (100, 300, 1_500):
    variant(f"questions_of_{number}", QUESTIONS_DESCRIPTION.format(number), many_questions, sockets=number)


async def requests(
    url: str, sent: Sequence[bytes], connections: int = 200, seconds: float = 10, pause: float = 0
) -> None:
    """Connections send these requests in turn, each once the one before is answered, with a pause between them."""
    statuses = Counter()

    async def keep_asking() -> None:
        reader, writer = await asyncio.open_connection(*url.removeprefix("http://").split(":"))
        turns = cycle(sent)

        async def ask_once() -> None:
            writer.write(next(turns))
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(head.partition(b"content-length:")[2].split()[0]))
            statuses[int(head.split()[1])] += 1
            await asyncio.sleep(pause)

        await for_seconds(seconds, ask_once)
        writer.close()

    with suppress(OSError):
        await asyncio.gather(*(keep_asking() for _ in range(connections)))
    print(f"    answers by status: {dict(statuses)}")


variant("programs", "50 programs ask for the number of tokens of a sentence, four times a second each.",
        requests, sent=[COUNTING_A_SENTENCE], connections=50, pause=0.25)  # fmt: skip
variant("count_requests", "200 connections post 7,000 characters to /v1/count, each as fast as it is answered.",
        requests, sent=[COUNTING])  # fmt: skip
variant("hostile_requests", "50 connections post deep, escaped and unfinished JSON of 9 MB to /v1/count.",
        requests, sent=HOSTILE_REQUESTS, connections=50)  # fmt: skip
variant("page_requests", "200 connections ask for the app's first file, each as fast as it is answered.",
        requests, sent=[b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"])  # fmt: skip
variant("table_requests", "200 connections ask for a rank table of 0.7 MB, each as fast as it is answered.",
        requests, sent=[f"GET {TABLE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()])  # fmt: skip
variant("long_texts", "Ten connections ask for the tokens of 4.9 MB of text, each as fast as it is answered.",
        requests, sent=[posting("/api/tokens?encoding=o200k_base", question(TEXT_OF_5_MB))],
        connections=10, seconds=60)  # fmt: skip


async def fifty_visitors(url: str, page: str, query: str = "", button: str = "") -> None:
    """Fifty visitors open a page, press a button where one is named, and wait until its work is drawn."""

    async def visit(tab: Tab) -> float:
        begin = time.perf_counter()
        await tab.open()
        await tab.open_page(page, query)
        if button:
            await tab.press(button)
        while tab.fragment:
            await asyncio.sleep(0.5)
            await tab.run(fragment=tab.fragment)
        return time.perf_counter() - begin

    tabs = [Tab(url) for _ in range(50)]
    print(f"    pages: {milliseconds(await asyncio.gather(*map(visit, tabs)))}")
    for tab in tabs:
        await tab.close()


variant("fifty_texts", "Fifty visitors open Languages with their own text.",
        fifty_visitors, page="languages", query="lens=own")  # fmt: skip
variant("fifty_trainings", "Fifty visitors train.",
        fifty_visitors, page="train", button="train")  # fmt: skip


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


@attack
async def tokenizer_files(url: str) -> None:
    """Hostile tokenizer files are opened one after the other; then one that never finishes a text."""
    async with httpx.AsyncClient(base_url=url, timeout=120) as client:
        for name, data in await asyncio.to_thread(hostile_files):
            begin = time.perf_counter()
            answer = await client.post(f"/bring/{name}", content=data)
            print(f"    {name} ({len(data):,} bytes), {time.perf_counter() - begin:.1f} s: {answer.text[:110]}")
        key = (await client.post("/bring/tokenizer.json", content=json.dumps(ENDLESS_SPLIT))).text
    await first_words(url, key, ("x" * 21 + " ") * 1_000)


async def first_words(url: str, encoding: str, text: str = "a first word") -> None:
    """Asks for the tokens of a text by an encoding that nobody has used yet."""
    async with websockets.connect(url.replace("http", "ws", 1) + EDITOR_SOCKET, **SOCKET_OPTIONS) as socket:
        begin = time.perf_counter()
        status, answer = await ask(socket, encoding, text)
        reason = "" if status == 200 else answer.decode(errors="replace")[:110]
        print(f"    {encoding}, {time.perf_counter() - begin:.1f} s: {status} {reason}")


for name in ("gemma4", "llama3"):
    variant(f"first_{name}", f"One visitor is the first who uses {name}.", first_words, encoding=name)


@attack
async def uploads(url: str) -> None:
    """One visitor uploads 80 files of 5.2 MB."""
    async with AsyncExitStack() as stack:
        tab = await session(stack, url)
        client = await stack.enter_async_context(httpx.AsyncClient(base_url=url, timeout=60))
        await client.get("/_stcore/health")
        headers = {"x-xsrftoken": client.cookies.get("_streamlit_xsrf", "")}
        statuses = []
        for number in range(80):
            file = {"file": ("a.txt", os.urandom(5_200_000))}
            path = f"/_stcore/upload_file/{tab.session}/{number:032x}"
            statuses.append((await client.put(path, files=file, headers=headers)).status_code)
        print(f"    {statuses.count(204)} were taken")


@attack
async def downloads(url: str) -> None:
    """One visitor asks 30 times for a comparison of 200 kB of text as a web page; another asks for tokens of 30 kB."""
    async with AsyncExitStack() as stack:
        tab = await session(stack, url)
        tab.write(TEXT * (200_000 // len(TEXT.encode())))
        await tab.open_page("compare")
        request = BackMsg(backend_operation_request={"request_id": "1", "session_id": tab.session})
        request.backend_operation_request.deferred_file.file_id = tab.downloads["comparison.html"]
        for _ in range(30):
            await tab.stream.send(request.SerializeToString())
        options = SOCKET_OPTIONS | {"local_addr": ("127.0.0.2", 0)}
        socket = await stack.enter_async_context(
            websockets.connect(url.replace("http", "ws", 1) + EDITOR_SOCKET, **options)
        )
        took = []
        for _ in range(10):
            begin = time.perf_counter()
            await ask(socket, "o200k_base", TEXT * (30_000 // len(TEXT.encode())))
            took.append(time.perf_counter() - begin)
        print(f"    30 kB: {milliseconds(took)}")


@attack
async def half_bodies(url: str) -> None:
    """Sixty connections send 5 MB of a body, and no more, for 40 seconds."""
    half = posting("/api/tokens?encoding=gpt2", bytes(5_000_000), size=5_000_100)
    async with AsyncExitStack() as stack:
        await asyncio.gather(*(connected(stack, url, half) for _ in range(60)))
        await asyncio.sleep(40)


async def half_frames(url: str, sockets: int, sent: int, size: int, path: str = EDITOR_SOCKET) -> None:
    """Sockets send `sent` bytes of a larger frame, and no more, for 15 seconds."""
    async with AsyncExitStack() as stack:
        for _ in range(sockets):
            writer = await connected(stack, url, handshake(path))
            await asyncio.sleep(0.1 if sent > 10_000_000 else 0.02)
            writer.write(framed(bytes(sent), size=size))
        await asyncio.sleep(15)


variant("half_frames", "Fifteen sockets send 45 MB of a frame of 46 MB, and no more, for 15 seconds.",
        half_frames, sockets=15, sent=45_000_000, size=46_000_000)  # fmt: skip
variant("half_frames_of_pages", "The same over the socket of pages.",
        half_frames, sockets=15, sent=45_000_000, size=46_000_000, path=PAGE_SOCKET)  # fmt: skip
variant("small_half_frames", "150 sockets send 5 MB of a frame of 5.9 MB, and no more, for 15 seconds.",
        half_frames, sockets=150, sent=5_000_000, size=5_900_000)  # fmt: skip


@attack
async def idle_connections(url: str) -> None:
    """1,100 connections send nothing for 20 seconds; a newcomer asks for a page each second."""
    async with AsyncExitStack() as stack:
        held = [await connected(stack, url) for _ in range(1_100)]
        print(f"    {len(held) - held.count(None):,} connections were made")
        answered = 0
        for _ in range(20):
            with suppress(httpx.HTTPError):
                async with httpx.AsyncClient(timeout=1) as newcomer:
                    answered += (await newcomer.get(f"{url}/_stcore/health")).status_code == 200
            await asyncio.sleep(1)
        print(f"    {answered} of 20 newcomers were answered")


@attack
async def large_heads(url: str) -> None:
    """Twenty questions, each with a head of 5 MB."""
    large = message(question("a"), encoding="gpt2", more="[" * 5_000_000)
    for _ in range(20):
        with suppress(websockets.ConnectionClosed, ConnectionError):
            async with websockets.connect(url.replace("http", "ws", 1) + EDITOR_SOCKET, **SOCKET_OPTIONS) as socket:
                await socket.send(large)
                await socket.recv()


async def deaf(url: str, first: bytes, request: bytes) -> None:
    """Sixty connections ask, and read no answer, for 60 seconds."""
    async with AsyncExitStack() as stack:
        for _ in range(60):
            writer = await connected(stack, url, first)
            await asyncio.sleep(0.05)
            writer.transport.pause_reading()
            writer.write(request)
        await asyncio.sleep(60)


variant("deaf_questions", "Sixty sockets each ask for the tokens of 4.9 MB of text, and read no answer, for 60 s.",
        deaf, first=handshake(EDITOR_SOCKET),
        request=framed(message(question(TEXT_OF_5_MB), encoding="o200k_base")))  # fmt: skip
variant("deaf_requests", "Sixty requests ask for the same, and read no answer.",
        deaf, first=b"", request=posting("/api/tokens?encoding=o200k_base", question(TEXT_OF_5_MB)))  # fmt: skip


@attack
async def deaf_pages(url: str) -> None:
    """Six visitors put 4 MB on their desks again and again, and read nothing of their pages, for 40 seconds."""
    async with AsyncExitStack() as stack:
        tabs = [await session(stack, url) for _ in range(6)]
        for tab in tabs:
            tab.stream.transport.pause_reading()
        with suppress(websockets.ConnectionClosed):
            for number in range(40):
                for tab in tabs:
                    text = {
                        "text": TEXT_OF_5_MB[:1_600_000] + str(number),
                        "name": secrets.token_hex(8),
                        "push": tab.push,
                    }
                    await tab.stream.send(tab.rerun(tab.text_change(text)))
                await asyncio.sleep(1)


@attack
async def many_sessions(url: str) -> None:
    """Four hundred sessions open the playground, ten at a time, and stay."""
    async with AsyncExitStack() as stack:
        opened = 0
        for _ in range(40):
            opened += len(await asyncio.gather(*(session(stack, url) for _ in range(10))))
        print(f"    {opened} sessions")


# ---- measuring ----

OPEN_FILES = {"idle_connections": 1024}  # that the server may have
# The files and the text of a session are kept for 300 seconds after it was left (`disconnectedSessionTTL`), and freed
# within a minute.
REST_SECONDS = {"uploads": 365, "deaf_pages": 365}


async def watch(app: psutil.Process, highest: list[float]) -> None:
    """Notes the server's memory, ten times a second."""
    while True:
        highest[0] = max(highest[0], app.memory_info().rss / 1e6)
        await asyncio.sleep(0.1)


async def warm(url: str, app: psutil.Process) -> None:
    """Asks once for what ordinary visitors ask for, and waits until the server's warm-up is over."""
    async with AsyncExitStack() as stack:
        tab = await session(stack, url)
        await tab.stream.send(rerun_message(tab, "tokens", question(TEXT)))
        await tab.finish()
    await asyncio.sleep(warmup.START_DELAY_SECONDS)
    while app.cpu_percent(1) > 5:
        pass


async def measure(name: str) -> None:
    """Runs one attack, and prints the delays of typists and the load of the machine."""
    with (
        tempfile.NamedTemporaryFile() as log,
        server(WITH_MORE_ROUTES, OPEN_FILES.get(name), Path(log.name)) as running,
    ):
        app, url = psutil.Process(running.pid), running.url
        await warm(url, app)
        before = await keys_during(url, asyncio.sleep(BEFORE_SECONDS), GROUPS)
        memory = app.memory_info().rss / 1e6
        highest, worked = [memory], sum(app.cpu_times()[:2])
        watching, begin = asyncio.create_task(watch(app, highest)), time.perf_counter()
        took = await keys_during(url, ATTACKS[name](url), GROUPS)
        watching.cancel()
        busy = (sum(app.cpu_times()[:2]) - worked) / (time.perf_counter() - begin)
        await asyncio.sleep(REST_SECONDS.get(name, AFTER_SECONDS))
        async with AsyncExitStack() as stack:
            await session(stack, url)
        after = app.memory_info().rss / 1e6
        for group in took:
            print(f"  keys {group}: {milliseconds(took[group], before[group])}")
        print(f"  memory: {memory:.0f} MB, at most {highest[0]:.0f}, then {after:.0f} MB ({after / memory:.2f} x)")
        print(f"  processor {busy:.0%}, log {Path(log.name).stat().st_size:,} bytes", flush=True)


async def main(names: list[str]) -> None:
    for name in names or ATTACKS:
        print(f"{name}: {ATTACKS[name].__doc__}", flush=True)
        await measure(name)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
