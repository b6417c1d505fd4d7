"""Simulated typists in a process of their own, and the time that their keys take.

python benchmarks/_typists.py URL GROUP...   # prints "NAME SECONDS" for each key, until it is terminated
"""

import asyncio
import json
import statistics
import struct
import subprocess
import sys
import time
from collections.abc import Awaitable, Sequence
from itertools import count
from typing import NamedTuple

import websockets

TEXT = "The same thought costs more in another script. ความคิดเดียวกันมีราคาแพงกว่าในอีกอักษรหนึ่ง\n"
HEADERS = {"content-type": "application/octet-stream", "sec-fetch-site": "same-origin"}
ANSWER_SECONDS = 60


class TypistGroup(NamedTuple):
    """People at one IP address, and the seconds between two keys of each; Linux has all of 127.0.0.0/8."""

    name: str
    people: int
    pause: float
    address: str = "127.0.0.1"


NEIGHBOR = TypistGroup("neighbor", 1, 0.05)


def question(*texts: str) -> bytes:
    """Returns the body of a question about these texts."""
    data = [text.encode() for text in texts]
    return b"".join([len(data).to_bytes(4, "little"), *(len(part).to_bytes(4, "little") for part in data), *data])


def message(body: bytes, name: str = "tokens", **parameters: str) -> bytes:
    """Returns a message of the editor's socket."""
    head = json.dumps({"name": name, "parameters": parameters}).encode()
    return struct.pack("<II", 1, len(head)) + head + body


async def ask(socket: websockets.ClientConnection, encoding: str, text: str) -> tuple[int, bytes]:
    """Asks for the tokens of a text over the editor's socket; returns the status and the answer."""
    await socket.send(message(question(text), encoding=encoding))
    answer = await asyncio.wait_for(socket.recv(), ANSWER_SECONDS)
    return int.from_bytes(answer[4:8], "little"), answer[8:]


async def type_keys(url: str, group: TypistGroup, delay: float) -> None:
    """Prints the seconds from each key to its answer, without end."""
    text = (TEXT * 12)[:1000]
    await asyncio.sleep(delay)
    live = f"{url.replace('http', 'ws', 1)}/api/live"
    local = None if group.address == "127.0.0.1" else (group.address, 0)
    async with websockets.connect(live, max_size=None, ping_interval=None, open_timeout=30, local_addr=local) as socket:
        await ask(socket, "o200k_base", text)
        for i in count():
            text = text[1:] + "abc กขค"[i % 7]
            begin = time.perf_counter()
            await ask(socket, "o200k_base", text)
            took = time.perf_counter() - begin
            print(group.name, took, flush=True)
            await asyncio.sleep(max(0, group.pause - took))


async def keys_during(
    url: str, work: Awaitable[object], groups: Sequence[TypistGroup] = (NEIGHBOR,)
) -> dict[str, list]:
    """Returns the seconds of the keys that were pressed while `work` was done, by group."""
    command = [sys.executable, __file__, url, *map(json.dumps, groups)]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, limit=1 << 24)
    await process.stdout.readline()
    await asyncio.sleep(1)  # until all of them type
    try:
        await work
    finally:
        process.terminate()
    found: dict[str, list[float]] = {group.name: [] for group in groups}
    for line in (await process.stdout.read()).decode().split("\n")[:-1]:
        name, seconds = line.split()
        found[name].append(float(seconds))
    return found


def milliseconds(took: Sequence[float], before: Sequence[float] = ()) -> str:
    """Returns the number of times and their percentiles in words, with their ratios to those before."""
    found, others = percentiles(took), percentiles(before)
    ratios = [f" ({one / other:.2f} x before)" if other else "" for one, other in zip(found, others, strict=True)]
    facts = [
        f"{name} {one:.1f} ms{ratio}" for name, one, ratio in zip(("p50", "p95", "p99"), found, ratios, strict=True)
    ]
    return f"{len(took):,}, {', '.join(facts)}, worst {1000 * max(took, default=0):.0f} ms"


def percentiles(seconds: Sequence[float]) -> tuple[float, float, float]:
    """Returns the median, the 95th and the 99th percentile in milliseconds; 0 without any time."""
    if len(seconds) < 2:
        return (1000 * sum(seconds),) * 3
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return 1000 * cuts[49], 1000 * cuts[94], 1000 * cuts[98]


async def _type_all(url: str, groups: Sequence[TypistGroup]) -> None:
    typists = [type_keys(url, group, i * group.pause / group.people) for group in groups for i in range(group.people)]
    await asyncio.gather(*typists)


if __name__ == "__main__":
    asyncio.run(_type_all(sys.argv[1], [TypistGroup(*json.loads(one)) for one in sys.argv[2:]]))
