"""Whether one who types notices what a class does: files of 2 MB, long texts, fifty who open a page, fifty who train.

    python benchmarks/heavy.py [name ...]

The whole app in a process of its own, those who load it in another, and a neighbor who presses a key every 50 ms in a
third. Each kind of load is measured beside an idle server, just before: compare the ratios.
"""

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import httpx2 as httpx
import websockets
from _serving import app, resident_megabytes
from _tab import Tab
from neighbors import ask, say, typing
from route import HEADERS, TEXT, question

FILE = (TEXT * 20_000).encode()[:1_990_000].decode(errors="ignore")
LONG = (TEXT * 50_000).encode()[:4_990_000].decode(errors="ignore")
PASTE = (TEXT * 300)[:20_000]
CLASS, LONG_ONES = 50, 10  # visitors
POLL = 0.5  # seconds between two looks at how far a training is
IDLE = 4  # seconds


async def opened(url: str, page: str, query: str = "") -> Tab:
    """A session of a page, which is drawn."""
    tab = Tab(url)
    await tab.open()
    await tab.turn(page, query)
    return tab


async def trained(url: str) -> None:
    """Opens the page, presses the button, and looks until all is drawn."""
    tab = await opened(url, "train")
    await tab.press("train")
    while tab.fragment:
        await asyncio.sleep(POLL)
        await tab.run(fragment=tab.fragment)


Took = list[float]


async def timed(work: Awaitable) -> float:
    begin = time.perf_counter()
    await work
    return time.perf_counter() - begin


async def post(url: str, name: str, text: str) -> None:
    async with httpx.AsyncClient(timeout=120) as client:
        reply = await client.post(f"{url}/api/{name}?encoding=o200k_base", content=question(text), headers=HEADERS)
        reply.raise_for_status()


async def file(name: str, url: str, text: str = FILE) -> Took:
    return [await timed(post(url, name, text)) for _ in range(3)]


async def own_text(url: str) -> Took:
    await opened(url, "languages", "lens=own")  # the first loads what all have
    return await asyncio.gather(*(timed(opened(url, "languages", "lens=own")) for _ in range(CLASS)))


async def training(url: str) -> Took:
    await opened(url, "train")
    return await asyncio.gather(*(timed(trained(url)) for _ in range(CLASS)))


async def long_texts(url: str) -> Took:
    """What a paste of 20,000 characters takes while ten ask for texts of 5 MB."""
    loads = [asyncio.create_task(post(url, "tokens", LONG)) for _ in range(LONG_ONES)]
    await asyncio.sleep(0.5)
    took = []
    async with websockets.connect(f"{url.replace('http', 'ws')}/api/live", max_size=None) as socket:
        while not all(load.done() for load in loads):
            took.append(await timed(ask(socket, "o200k_base", f"{len(took)} {PASTE}")))
    await asyncio.gather(*loads)
    return took


WORK: dict[str, Callable[[str], Awaitable[Took]]] = {
    "JSON of 2 MB": lambda url: file("json", url),
    "CSV of 2 MB": lambda url: file("csv", url),
    "HTML of 49,000 characters": lambda url: file("html", url, FILE[:49_000]),
    "Languages, Your own text": own_text,
    "Train": training,
    "texts of 5 MB": long_texts,
}


async def load(url: str, name: str) -> None:
    took = sorted(await WORK[name](url))
    print(f"    {len(took)} answers: median {statistics.median(took):.2f} s, worst {took[-1]:.2f} s", flush=True)


async def beside(url: str, *load: str) -> list[float]:
    """What a neighbor's keys took while another process did something."""
    neighbor = await asyncio.create_subprocess_exec(sys.executable, __file__, "type", url, stdout=subprocess.PIPE)
    await neighbor.stdout.readline()
    if load:
        await (await asyncio.create_subprocess_exec(sys.executable, __file__, "load", url, *load)).wait()
    await asyncio.sleep(1 if load else IDLE)
    neighbor.terminate()
    return [float(line) for line in (await neighbor.stdout.read()).splitlines()]


async def main(names: list[str]) -> None:
    with app() as (url, pid):
        await beside(url)
        for name in names:
            idle = await beside(url)
            before = resident_megabytes(pid)
            say(f"beside {name}", await beside(url, name), idle)
            print(f"    {before:.0f} MB before, {resident_megabytes(pid):.0f} MB after", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["type"]:
        asyncio.run(typing(sys.argv[2].removeprefix("http://")))
    elif sys.argv[1:2] == ["load"]:
        asyncio.run(load(*sys.argv[2:]))
    else:
        asyncio.run(main([name for name in WORK if not sys.argv[1:] or any(one in name for one in sys.argv[1:])]))
