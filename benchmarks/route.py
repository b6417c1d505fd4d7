"""Forty people typing: latency of the editor's route, and the memory of the server.

    python benchmarks/route.py [people] [seconds]

Each person sends a chunk of about 1,000 characters four times a second, as the editor does for a key. The answers'
median and 99th percentile are printed, with a bare request to the same server beside them.
"""

import asyncio
import random
import statistics
import sys
import time

import httpx2 as httpx
from _serving import app, resident_megabytes

TEXT = "The same thought costs more in another script. ความคิดเดียวกันมีราคาแพงกว่าในอีกอักษรหนึ่ง\n"
KEYS_A_SECOND = 4
HEADERS = {"content-type": "application/octet-stream", "sec-fetch-site": "same-origin"}


def question(*texts: str) -> bytes:
    """The body that asks about these texts."""
    data = [text.encode() for text in texts]
    return b"".join([len(data).to_bytes(4, "little"), *(len(part).to_bytes(4, "little") for part in data), *data])


async def person(client: httpx.AsyncClient, url: str, seconds: float, took: list[float]) -> None:
    text = (TEXT * 12)[:1000]
    await asyncio.sleep(random.random() / KEYS_A_SECOND)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        text = text[1:] + random.choice("abc กขค")
        begin = time.perf_counter()
        reply = await client.post(f"{url}/api/tokens?encoding=cl100k_base", content=question(text), headers=HEADERS)
        took.append(time.perf_counter() - begin)
        reply.raise_for_status()
        await asyncio.sleep(max(0, 1 / KEYS_A_SECOND - took[-1]))


async def load(url: str, people: int, seconds: float) -> list[float]:
    took = []
    limits = httpx.Limits(max_connections=people)
    async with httpx.AsyncClient(limits=limits, timeout=30) as client:
        await asyncio.gather(*(person(client, url, seconds, took) for _ in range(people)))
    return took


def main() -> None:
    people, seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 40, float(sys.argv[2]) if len(sys.argv) > 2 else 10
    with app() as (url, pid):
        for name in ("gpt2", "cl100k_base", "o200k_base"):
            httpx.post(f"{url}/api/tokens?encoding={name}", content=question("warm"), headers=HEADERS, timeout=30)
        print(f"resident memory with three encodings loaded: {resident_megabytes(pid):.0f} MB")
        bare = [_timed(lambda: httpx.get(f"{url}/_stcore/health")) for _ in range(50)]
        took = asyncio.run(load(url, people, seconds))
        print(f"bare request, one at a time: median {1000 * statistics.median(bare):.1f} ms")
        middle, p99 = statistics.median(took), statistics.quantiles(took, n=100)[98]
        print(f"{people} people, {len(took)} keys: median {1000 * middle:.1f} ms, p99 {1000 * p99:.1f} ms")
        print(f"resident memory afterwards: {resident_megabytes(pid):.0f} MB")


def _timed(work) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
