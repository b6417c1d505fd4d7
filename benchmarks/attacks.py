"""Attacks on the app, each on a fresh server of this machine, and what forty-one people who type notice of it.

    python benchmarks/attacks.py [name ...]

Forty of them have the attacker's address, and press a key four times a second over the editor's socket; one has another
address, and presses ten. Medians and 99th percentiles stand beside those before the attack, the server's memory at its
highest and after the attack beside that before it. Linux alone: all of 127.0.0.0/8 leads to this machine.
"""

import asyncio
import base64
import json
import os
import random
import secrets
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable
from contextlib import AsyncExitStack, suppress
from itertools import count
from pathlib import Path

import httpx2 as httpx
import psutil
import websockets
from _serving import ROOT, app
from neighbors import ask
from route import TEXT, question
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

sys.path.insert(0, str(ROOT))
from ui import warmup

VICTIMS, PAUSE = 40, 0.25  # people at the attacker's address; seconds between two keys of each
ELSEWHERE, PAUSE_ELSEWHERE = "127.0.0.2", 0.1  # the address of one more
BEFORE, AFTER = 5, 5  # seconds
LONGER = TEXT * (4_900_000 // len(TEXT.encode()))
LONG = TEXT * (2_000_000 // len(TEXT.encode()))
OPEN = {"max_size": None, "ping_interval": None, "open_timeout": 30}


# ---- those who type ----


async def victim(address: str, delay: float, pause: float, from_address: str | None = None) -> None:
    """Prints where this person is and the seconds from each key to its answer, until this process is ended."""
    text = (TEXT * 12)[:1000]
    await asyncio.sleep(delay)
    local = {"local_addr": (from_address, 0)} if from_address else {}
    async with websockets.connect(f"ws://{address}/api/live", **OPEN, **local) as socket:
        await ask(socket, "o200k_base", text)
        for i in count():
            text = text[1:] + "abc กขค"[i % 7]
            begin = time.perf_counter()
            await ask(socket, "o200k_base", text)
            took = time.perf_counter() - begin
            print("elsewhere" if from_address else "beside", took, flush=True)
            await asyncio.sleep(max(0, pause - took))


async def victims(address: str) -> None:
    """Everybody types."""
    beside = (victim(address, number * PAUSE / VICTIMS, PAUSE) for number in range(VICTIMS))
    await asyncio.gather(victim(address, 0, PAUSE_ELSEWHERE, ELSEWHERE), *beside)


async def keys_during(address: str, work: Awaitable[object]) -> dict[str, list[float]]:
    """Returns the seconds that keys took while `work` was done, by where they were pressed."""
    command = [sys.executable, __file__, "type", address]
    typing = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, limit=1 << 24)
    await typing.stdout.readline()
    await asyncio.sleep(1)
    try:
        await work
    finally:
        typing.terminate()
    lines = [line.split() for line in (await typing.stdout.read()).decode().split("\n")[:-1]]
    return {place: [float(took) for where, took in lines if where == place] for place in ("beside", "elsewhere")}


# ---- what an attacker has ----


class Session:
    """A visitor of a page, without a browser."""

    def __init__(self, socket: websockets.ClientConnection):
        self.socket, self.id, self.components, self.push = socket, "", {}, {}

    async def finished(self) -> None:
        """Reads until a run of the page is over."""
        while True:
            heard = ForwardMsg.FromString(await asyncio.wait_for(self.socket.recv(), 60))
            kind = heard.WhichOneof("type")
            if kind == "new_session":
                self.id = heard.new_session.initialize.session_id
            elif kind == "delta" and heard.delta.new_element.WhichOneof("type") == "bidi_component":
                found = heard.delta.new_element.bidi_component
                self.components[found.component_name] = found.id
                self.push = json.loads(found.json or "{}").get("push", self.push)
            elif kind == "script_finished":
                return

    def asking(self, name: str, body: bytes) -> bytes:
        """The message by which the editor asks where the route is out of reach."""
        asked = {"number": secrets.randbits(30), "name": name, "body": base64.b64encode(body).decode()}
        asked["parameters"] = {"encoding": "o200k_base", "special": "text"}
        return self.saying("ask", asked)

    def committing(self, text: str) -> bytes:
        """The message by which the editor tells the desk of a text."""
        return self.saying("commit", {"text": text, "name": secrets.token_hex(8), "push": self.push["id"]})

    def saying(self, event: str, value: dict) -> bytes:
        """The message by which the editor says something to its page."""
        return self.events(json.dumps([{"event": event, "value": value}]))

    def events(self, spelled: str) -> bytes:
        """The same, of events as they are spelled."""
        sent, editor = BackMsg(), self.components["tokenloupe_editor"]
        widgets = sent.rerun_script.widget_states.widgets
        widgets.add(id=editor, json_value="{}")
        widgets.add(id=f"$$STREAMLIT_INTERNAL_KEY_{editor}__events", json_trigger_value=spelled)
        return sent.SerializeToString()


async def session(stack: AsyncExitStack, address: str) -> Session:
    """Opens the playground."""
    own = {"subprotocols": ["streamlit"], "origin": f"http://{address}", **OPEN}
    found = Session(await stack.enter_async_context(websockets.connect(f"ws://{address}/_stcore/stream", **own)))
    begin = BackMsg()
    begin.rerun_script.query_string = ""
    await found.socket.send(begin.SerializeToString())
    await found.finished()
    return found


async def drained(socket: websockets.ClientConnection) -> None:
    """Reads all that comes, until the other end hangs up."""
    with suppress(websockets.ConnectionClosed):
        async for _ in socket:
            pass


async def connected(stack: AsyncExitStack, address: str, first: bytes = b"") -> asyncio.StreamWriter | None:
    """A bare connection over which these bytes were sent; None where there is none to be had."""
    host, port = address.split(":")
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, int(port)), 5)
    except (OSError, TimeoutError):
        return None
    stack.callback(lambda: writer.transport.is_closing() or writer.transport.abort())
    writer.write(first)
    return writer


# ---- attacks ----


async def rerun_files(address: str) -> None:
    """Four visitors ask by a rerun for the tokens of 2 MB of text as a file."""
    async with AsyncExitStack() as stack:
        all_four = [await session(stack, address) for _ in range(4)]
        for one in all_four:
            await one.socket.send(one.asking("json", question(LONG)))
        await asyncio.gather(*(one.finished() for one in all_four))


async def rerun_texts(address: str) -> None:
    """Four visitors ask by reruns for the tokens of 0.9 MB of text, and for those of 2 MB, three times."""
    async with AsyncExitStack() as stack:
        all_four = [await session(stack, address) for _ in range(4)]
        for _ in range(3):
            for one in all_four:
                await one.socket.send(one.asking("tokens", question(LONG[:400_000])))
                await one.socket.send(one.asking("tokens", question(LONG)))
            await asyncio.gather(*(one.finished() for one in all_four))
            await asyncio.sleep(2)


async def many_reruns(address: str) -> None:
    """One visitor sends 20,000 small messages that ask for a rerun, as fast as they are taken, for 20 seconds."""
    async with AsyncExitStack() as stack:
        one = await session(stack, address)
        hearing = asyncio.create_task(drained(one.socket))
        small, sent = one.asking("tokens", question("a")), 0
        with suppress(TimeoutError):
            async with asyncio.timeout(20):
                while sent < 20_000:
                    await one.socket.send(small)
                    sent += 1
        print(f"    {sent:,} messages were taken")
        hearing.cancel()


async def many_questions(address: str, sockets: int = 10) -> None:
    """Ten sockets ask for short texts as fast as they are answered, for ten seconds."""
    end = time.perf_counter() + 10 + sockets / 100

    async def keep_asking() -> int:
        asked = 0
        with suppress(websockets.WebSocketException):  # there are too many
            async with websockets.connect(f"ws://{address}/api/live", **OPEN) as socket:
                while time.perf_counter() < end:
                    await ask(socket, "o200k_base", TEXT * 12)
                    asked += 1
        return asked

    asked = await asyncio.gather(*(keep_asking() for _ in range(sockets)))
    print(f"    {sum(asked):,} answers, to {len(asked) - asked.count(0)} sockets")


async def questions_of_100(address: str) -> None:
    """A hundred sockets do the same."""
    await many_questions(address, 100)


async def questions_of_300(address: str) -> None:
    """Three hundred sockets do the same."""
    await many_questions(address, 300)


async def questions_of_1500(address: str) -> None:
    """1,500 sockets do the same."""
    await many_questions(address, 1_500)


async def new_sockets(address: str) -> None:
    """A hundred times at once a socket is opened, asks for a short text and is closed, again and again."""
    end, asked = time.perf_counter() + 10, 0

    async def keep_opening() -> None:
        nonlocal asked
        while time.perf_counter() < end:
            with suppress(websockets.WebSocketException, OSError):
                async with websockets.connect(f"ws://{address}/api/live", **OPEN) as socket:
                    await ask(socket, "o200k_base", TEXT * 12)
                    asked += 1

    await asyncio.gather(*(keep_opening() for _ in range(100)))
    print(f"    {asked:,} answers")


async def requests(address: str, connections: int, asked: bytes, half: int = 0) -> None:
    """Connections send a request, wait for its answer and send it again, for ten seconds.

    The last `half` bytes are sent a second later than the others, all at the same moment.
    """
    end, statuses = time.perf_counter() + 10, Counter()

    async def keep_asking() -> None:
        reader, writer = await asyncio.open_connection(*address.split(":"))
        try:
            while time.perf_counter() < end:
                writer.write(asked[: len(asked) - half])
                if half:
                    await asyncio.sleep(1 - time.time() % 1)
                    writer.write(asked[len(asked) - half :])
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                await reader.readexactly(int(head.partition(b"content-length:")[2].split()[0]))
                statuses[int(head.split()[1])] += 1
        finally:
            writer.close()

    with suppress(OSError, asyncio.IncompleteReadError):
        await asyncio.gather(*(keep_asking() for _ in range(connections)))
    print(f"    answers by status: {dict(statuses)}")


COUNT = json.dumps({"encoding": "o200k_base", "text": ("The same thought costs more. " * 300)[:7_000]})


def posting(path: str, body: str) -> bytes:
    """A request that sends JSON."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body.encode())}\r\n\r\n{body}".encode()


async def count_requests(address: str) -> None:
    """200 connections post 7,000 characters to /v1/count, each as fast as it is answered."""
    await requests(address, 200, posting("/v1/count", COUNT))


async def count_requests_together(address: str) -> None:
    """200 connections send such requests but for the last byte, and then that, all at the same moment."""
    await requests(address, 200, posting("/v1/count", COUNT), half=1)


async def page_requests(address: str) -> None:
    """200 connections ask for the app's first file, each as fast as it is answered."""
    await requests(address, 200, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")


async def tiny_frames(address: str) -> None:
    """Ten sockets send frames of one byte as fast as they are taken, for ten seconds; ten others send pings."""
    async with AsyncExitStack() as stack:
        writers = []
        for kind in [0x82] * 10 + [0x89] * 10:
            writers.append((await connected(stack, address, handshake("/api/live")), framed(b"a", kind) * 10_000))
        await asyncio.sleep(0.5)

        async def keep_sending(writer: asyncio.StreamWriter, frames: bytes) -> None:
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(10):
                    while True:
                        writer.write(frames)
                        await writer.drain()
                        await asyncio.sleep(0.05)

        await asyncio.gather(*(keep_sending(*one) for one in writers))


async def uploads(address: str) -> None:
    """One visitor uploads 80 files of 5.2 MB."""
    async with AsyncExitStack() as stack:
        one = await session(stack, address)
        client = await stack.enter_async_context(httpx.AsyncClient(base_url=f"http://{address}", timeout=60))
        await client.get("/_stcore/health")
        headers = {"x-xsrftoken": client.cookies.get("_streamlit_xsrf", "")}
        statuses = []
        for number in range(80):
            file = {"file": ("a.txt", os.urandom(5_200_000))}
            path = f"/_stcore/upload_file/{one.id}/{number:032x}"
            statuses.append((await client.put(path, files=file, headers=headers)).status_code)
        print(f"    {statuses.count(204)} were taken")


async def half_bodies(address: str) -> None:
    """Sixty connections send 5 MB of a body, and no more, for 40 seconds."""
    async with AsyncExitStack() as stack:
        head = (
            "POST /api/tokens?encoding=gpt2 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
        )
        half = f"{head}Content-Length: 5000100\r\n\r\n".encode() + bytes(5_000_000)
        await asyncio.gather(*(connected(stack, address, half) for _ in range(60)))
        await asyncio.sleep(40)


async def half_frames(address: str, path: str = "/api/live", number: int = 15) -> None:
    """Fifteen sockets send 45 MB of a frame of 46 MB, and no more, for 15 seconds."""
    async with AsyncExitStack() as stack:
        for _ in range(number):
            writer = await connected(stack, address, handshake(path))
            await asyncio.sleep(0.1)
            writer.write(b"\x82\xff" + struct.pack("!Q", 46_000_000) + bytes(4) + bytes(45_000_000))
        await asyncio.sleep(15)


async def half_frames_of_pages(address: str) -> None:
    """The same over the socket of pages."""
    await half_frames(address, "/_stcore/stream")


async def small_half_frames(address: str) -> None:
    """150 sockets send 5 MB of a frame of 5.9 MB, and no more, for 15 seconds."""
    async with AsyncExitStack() as stack:
        for _ in range(150):
            writer = await connected(stack, address, handshake("/api/live"))
            await asyncio.sleep(0.02)
            writer.write(b"\x82\xff" + struct.pack("!Q", 5_900_000) + bytes(4) + bytes(5_000_000))
        await asyncio.sleep(15)


def handshake(path: str) -> bytes:
    """What opens a socket."""
    key = base64.b64encode(bytes(16)).decode()
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{upgrade}Sec-WebSocket-Key: {key}\r\n\r\n".encode()


def asking(body: bytes, **parameters: str) -> bytes:
    """The message by which the editor asks for tokens over its socket."""
    head = json.dumps({"name": "tokens", "parameters": parameters}).encode()
    return struct.pack("<II", 1, len(head)) + head + body


async def idle_connections(address: str) -> None:
    """1,100 connections say nothing for 20 seconds; a newcomer asks for a page each second."""
    async with AsyncExitStack() as stack:
        held = [await connected(stack, address) for _ in range(1_100)]
        print(f"    {len(held) - held.count(None):,} connections were made")
        answered = 0
        for _ in range(20):
            with suppress(httpx.HTTPError):
                async with httpx.AsyncClient(timeout=1) as newcomer:
                    answered += (await newcomer.get(f"http://{address}/_stcore/health")).status_code == 200
            await asyncio.sleep(1)
        print(f"    {answered} of 20 newcomers were answered")


async def large_heads(address: str) -> None:
    """Twenty questions, each with a head of 5 MB."""
    large = asking(question("a"), encoding="gpt2", more="[" * 5_000_000)
    for _ in range(20):
        with suppress(websockets.ConnectionClosed, ConnectionError):
            async with websockets.connect(f"ws://{address}/api/live", **OPEN) as socket:
                await socket.send(large)
                await socket.recv()


async def empty_texts(address: str) -> None:
    """A hundred questions, each about 1,990 empty texts."""
    async with websockets.connect(f"ws://{address}/api/live", **OPEN) as socket:
        many = asking(question(*[""] * 1_990), encoding="o200k_harmony")
        for _ in range(100):
            await socket.send(many)
            await socket.recv()


async def deaf_questions(address: str) -> None:
    """Sixty sockets ask for the tokens of 4.9 MB of text each, and read no answer, for 60 seconds."""
    async with AsyncExitStack() as stack:
        asked = asking(question(LONGER), encoding="o200k_base")
        for _ in range(60):
            writer = await connected(stack, address, handshake("/api/live"))
            await asyncio.sleep(0.05)
            writer.transport.pause_reading()
            writer.write(framed(asked))
        await asyncio.sleep(60)


async def deaf_requests(address: str) -> None:
    """Sixty requests ask for the same, and read no answer."""
    async with AsyncExitStack() as stack:
        body = question(LONGER)
        head = (
            "POST /api/tokens?encoding=o200k_base HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
            f"{len(body)}\r\nContent-Type: application/octet-stream\r\n\r\n"
        )
        for _ in range(60):
            writer = await connected(stack, address)
            writer.transport.pause_reading()
            writer.write(head.encode() + body)
        await asyncio.sleep(60)


async def deaf_pages(address: str) -> None:
    """Six visitors put 4 MB on their desks again and again, and read nothing of their pages, for 40 seconds."""
    async with AsyncExitStack() as stack:
        all_six = [await session(stack, address) for _ in range(6)]
        for one in all_six:
            one.socket.transport.pause_reading()
        with suppress(websockets.ConnectionClosed):
            for number in range(40):
                for one in all_six:
                    await one.socket.send(one.committing(LONGER[:1_600_000] + str(number)))
                await asyncio.sleep(1)


async def ten_of_many_reruns(address: str) -> None:
    """Ten visitors let the playground run again a hundred times a second each, for 15 seconds.

    More often would cost this machine, and not the app: what attacks runs beside it.
    """

    async def keep_asking(one: Session) -> None:
        hearing = asyncio.create_task(drained(one.socket))
        again = BackMsg()
        again.rerun_script.query_string = ""
        with suppress(TimeoutError):
            async with asyncio.timeout(15):
                while True:
                    await one.socket.send(again.SerializeToString())
                    await asyncio.sleep(0.01)
        hearing.cancel()
        one.socket.transport.abort()  # what it has sent beyond its pace would be heard for long after

    async with AsyncExitStack() as stack:
        all_ten = [await session(stack, address) for _ in range(10)]
        await asyncio.gather(*map(keep_asking, all_ten))


async def large_reruns(address: str) -> None:
    """Four visitors send messages of 11 MB, each of 300,000 widgets, as fast as they are taken, for 15 seconds."""

    async def keep_sending(one: Session) -> int:
        sent, end = 0, time.perf_counter() + 15
        hearing = asyncio.create_task(drained(one.socket))
        with suppress(websockets.ConnectionClosed):
            while time.perf_counter() < end:
                await one.socket.send(large)
                sent += 1
        hearing.cancel()
        return sent

    message = BackMsg()
    for number in range(300_000):
        message.rerun_script.widget_states.widgets.add(id=f"$$ID-{number:016}-widget", string_value="x")
    large = message.SerializeToString()
    async with AsyncExitStack() as stack:
        all_four = [await session(stack, address) for _ in range(4)]
        sent = await asyncio.gather(*map(keep_sending, all_four))
        print(f"    {sum(sent)} messages of {len(large) / 1e6:.1f} MB were taken")


async def small_things(address: str) -> None:
    """Four visitors send messages of 10 MB that are made of small things, as fast as they are taken, for 15 seconds."""
    many = BackMsg()
    many.rerun_script.widget_states.widgets.add(id="x").string_array_value.data.extend([""] * 5_000_000)
    numbers = "[" + "0," * 5_000_000 + "0]"

    async def keep_sending(large: bytes | None) -> None:
        end = time.perf_counter() + 15
        while time.perf_counter() < end:
            async with AsyncExitStack() as stack:
                one = await session(stack, address)
                hearing = asyncio.create_task(drained(one.socket))
                with suppress(websockets.ConnectionClosed):
                    while time.perf_counter() < end:
                        await one.socket.send(large or one.events(numbers))
                hearing.cancel()

    with suppress(TimeoutError):
        await asyncio.gather(*map(keep_sending, [many.SerializeToString(), None] * 2))


async def many_sessions(address: str) -> None:
    """Four hundred sessions open the playground, ten at a time, and stay."""
    async with AsyncExitStack() as stack:
        opened = 0
        for _ in range(40):
            opened += len(await asyncio.gather(*(session(stack, address) for _ in range(10))))
        print(f"    {opened} sessions")


async def nonsense(address: str) -> None:
    """3,000 sockets of pages, one after the other, send what is no message; 3,000 requests are none."""
    for number in range(3_000):
        for first in (handshake("/_stcore/stream") + framed(b"x" * 20, 0x81 + number % 2), b"\0\1" * 99 + b"\r\n\r\n"):
            async with AsyncExitStack() as stack:
                await connected(stack, address, first)
                await asyncio.sleep(0.002)


def framed(data: bytes, kind: int = 0x82) -> bytes:
    """A frame of a socket, of binary data if nothing else is said."""
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xff" + struct.pack("!Q", len(data))
    return bytes([kind]) + size + bytes(4) + data


async def two_trainings(address: str) -> None:
    """Two trainings of 10 MB of text to 50,000 tokens, on a machine that has 4 GB; then this process is killed."""
    command = [sys.executable, __file__, "train"]
    process = await asyncio.create_subprocess_exec(*command, env=os.environ | {"PYTHONPATH": str(ROOT)})
    trainer, together, numbers = psutil.Process(process.pid), 0, set()
    end = time.perf_counter() + 60
    while time.perf_counter() < end and process.returncode is None:
        workers = trainer.children()
        numbers |= {one.pid for one in workers}
        with suppress(psutil.Error):
            together = max(together, sum(one.memory_info().rss for one in workers))
        await asyncio.sleep(0.1)
    process.kill()
    begin = time.perf_counter()
    while any(map(psutil.pid_exists, numbers)) and time.perf_counter() < begin + 30:
        await asyncio.sleep(0.1)
    gone = time.perf_counter() - begin
    print(f"    {len(numbers)} processes, {together / 1e6:.0f} MB together; gone {gone:.1f} s after it was killed")


def train_two() -> None:
    """Begins two trainings as the app does, and waits."""
    from server.training import jobs
    from tokenizer.training.worker import Order

    for seed in (1, 2):
        letters = random.Random(seed).choices("abcdefghijklmnopqrst      ", k=10_000_000)
        jobs.begin(Order(50_000), ("".join(letters),), str(seed))
    time.sleep(100)


ATTACKS = {
    one.__name__: one
    for one in (rerun_files, rerun_texts, many_reruns, many_questions, uploads, half_bodies, half_frames)
    + (half_frames_of_pages, small_half_frames, idle_connections, large_heads, empty_texts, two_trainings)
    + (deaf_questions, deaf_requests, deaf_pages, ten_of_many_reruns, large_reruns, small_things)
    + (many_sessions, nonsense, questions_of_100, questions_of_300, questions_of_1500, new_sockets)
    + (count_requests, count_requests_together, page_requests, tiny_frames)
}
ULIMIT = {"idle_connections": 1024}
KEPT = {"uploads": 305}  # seconds: who comes back within 300 has his files again


# ---- what is said of them ----


async def watched(server: psutil.Process, highest: list[float]) -> None:
    """Notes the server's memory, ten times a second."""
    while True:
        highest[0] = max(highest[0], server.memory_info().rss / 1e6)
        await asyncio.sleep(0.1)


async def warm(address: str, server: psutil.Process) -> None:
    """Lets the server do once what ordinary visitors ask for, and waits until its warm-up is over."""
    async with AsyncExitStack() as stack:
        one = await session(stack, address)
        await one.socket.send(one.asking("tokens", question(TEXT)))
        await one.finished()
    await asyncio.sleep(warmup.START_DELAY_SECONDS)
    while server.cpu_percent(1) > 5:
        pass


async def tried(name: str) -> None:
    """Runs one attack, and prints what came of it."""
    with tempfile.NamedTemporaryFile() as log, app(files=ULIMIT.get(name), log=log) as (url, pid):
        server, address = psutil.Process(pid), url.removeprefix("http://")
        await warm(address, server)
        before = await keys_during(address, asyncio.sleep(BEFORE))
        memory = server.memory_info().rss / 1e6
        highest, worked = [memory], sum(server.cpu_times()[:2])
        watching, begin = asyncio.create_task(watched(server, highest)), time.perf_counter()
        took = await keys_during(address, ATTACKS[name](address))
        watching.cancel()
        busy = (sum(server.cpu_times()[:2]) - worked) / (time.perf_counter() - begin)
        await asyncio.sleep(KEPT.get(name, AFTER))
        after = server.memory_info().rss / 1e6
        for place in took:
            print(f"  keys {place}: {facts(took[place], before[place])}")
        print(f"  memory: {memory:.0f} MB, at most {highest[0]:.0f}, then {after:.0f} MB ({after / memory:.2f} x)")
        print(f"  processor {busy:.0%}, log {Path(log.name).stat().st_size:,} bytes", flush=True)


def facts(took: list[float], before: list[float]) -> str:
    """Medians and 99th percentiles, in milliseconds."""
    (middle, p99), (middle_before, p99_before) = map(_facts, (took, before))
    return (
        f"{len(took)}, median {middle:.1f} ms ({middle / middle_before:.2f} x before),"
        f" p99 {p99:.1f} ms ({p99 / p99_before:.2f} x), worst {1000 * max(took, default=0):.0f} ms"
    )


def _facts(took: list[float]) -> tuple[float, float]:
    return 1000 * statistics.median(took), 1000 * statistics.quantiles(took, n=100)[98]


async def main(names: list[str]) -> None:
    for name in names or ATTACKS:
        print(f"{name}: {ATTACKS[name].__doc__}", flush=True)
        await tried(name)


if __name__ == "__main__":
    if sys.argv[1:2] == ["type"]:
        asyncio.run(victims(sys.argv[2]))
    elif sys.argv[1:2] == ["train"]:
        train_two()
    else:
        asyncio.run(main(sys.argv[1:]))
