"""Fifty programs that ask /v1/count, and one visitor who types beside them.

    python benchmarks/clients.py [clients] [seconds]

The app in a process of its own; the clients in another, each on a connection of its own. First they ask for short texts
a few times a second each, then as fast as they can, then for long texts, then by hostile bodies. A neighbor presses a
key every 50 ms; its median and 99th percentile stand beside those of a server that does nothing else.
"""

import asyncio
import itertools
import json
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator

import httpx2 as httpx
from _serving import app, resident_megabytes
from neighbors import typing

PAUSE = 0.25  # seconds between two questions of a client that is in no hurry
SHORT = "The same thought, ความคิดเดียวกัน. " * 8
LONG = SHORT * 1_500  # some 800,000 bytes as JSON
NESTED = b'{"text": ' * 1_000_000
ESCAPED = b'{"encoding": "gpt-4o", "text": "' + b"\\u0e01" * 1_600_000 + b'"}'
BRACKETS = b'{"encoding": "gpt-4o", "text": "' + b'\\"[' * 3_000_000 + b"\\"


def question(text: str) -> bytes:
    return json.dumps({"encoding": "gpt-4o", "text": text}).encode()


Took = list[tuple[float, int]]  # the seconds of each answer, and its status


async def client(server: httpx.AsyncClient, bodies: Iterator[bytes], pause: float, end: float) -> Took:
    """Asks until the end."""
    found = []
    while (begin := time.perf_counter()) < end:
        reply = await server.post("/v1/count", content=next(bodies), headers={"content-type": "application/json"})
        found.append((time.perf_counter() - begin, reply.status_code))
        await asyncio.sleep(max(0, min(begin + pause, end) - time.perf_counter()))
    return found


async def ask_all(url: str, clients: int, seconds: float, bodies: list[bytes], pause: float) -> None:
    """Lets all clients ask, and prints what their answers took."""
    many = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=many) as server:
        end, turns = time.perf_counter() + seconds, itertools.cycle(bodies)
        found = await asyncio.gather(*(client(server, turns, pause, end) for _ in range(clients)))
    took = [one for own in found for one in own]
    statuses = dict(Counter(status for _, status in took))
    print(f"    {len(took) / seconds:.0f} answers a second, {facts([one for one, _ in took])}; by status {statuses}")


async def beside(url: str, *asking: str) -> list[float]:
    """What a neighbor's keys took while another process asked."""
    neighbor = await asyncio.create_subprocess_exec(sys.executable, __file__, "type", url, stdout=subprocess.PIPE)
    await neighbor.stdout.readline()
    clients = await asyncio.create_subprocess_exec(sys.executable, __file__, "ask", url, *asking)
    await clients.wait()
    neighbor.terminate()
    return [float(line) for line in (await neighbor.stdout.read()).splitlines()]


WORK = {
    "nothing": ([question("a")], 1e9),
    "short texts, now and then": ([question(SHORT)], PAUSE),
    "short texts, as fast as they can": ([question(SHORT)], 0),
    "long texts": ([question(LONG)], 0),
    "hostile bodies": ([NESTED, ESCAPED, BRACKETS], 0),
}


def facts(took: list[float]) -> str:
    """The median and the 99th percentile, in milliseconds."""
    p99 = statistics.quantiles(took, n=100)[98] if len(took) > 1 else took[0]
    return f"p50 {1000 * statistics.median(took):.1f} ms, p99 {1000 * p99:.1f} ms"


async def main(clients: int, seconds: float) -> None:
    with app() as (url, pid):
        for name in WORK:
            took = await beside(url, name, str(1 if name == "nothing" else clients), str(seconds))
            print(
                f"{name}: the neighbor's {len(took)} keys, {facts(took)}, {resident_megabytes(pid):.0f} MB", flush=True
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["type"]:
        asyncio.run(typing(sys.argv[2].removeprefix("http://")))
    elif sys.argv[1:2] == ["ask"]:
        url, name, clients, seconds = sys.argv[2:]
        asyncio.run(ask_all(url, int(clients), float(seconds), *WORK[name]))
    else:
        arguments = [float(one) for one in sys.argv[1:]]
        asyncio.run(main(*map(int, arguments[:1] or [50]), *(arguments[1:] or [6])))
