"""Measures the memory of the server and of the processes it begins, with one visitor and with fifty.

    python benchmarks/visitors.py [visitors]

Each looks at every page, and types in three encodings. Exits with 1 where one takes more than 512 MB, or fifty more
than 1,024.
"""

import asyncio
import sys

from _serving import server
from _tab import Tab
from _typists import TEXT
from psutil import Process

PAGES = ("", "compare", "decode", "chat", "learn", "why", "train", "hood", "languages", "catalog", "vocabulary")
ENCODINGS = ("gpt2", "cl100k_base", "o200k_base")
MAX_MEGABYTES = {1: 512, 50: 1_024}  # by visitors


async def visit(url: str) -> Tab:
    """Opens a tab and every page, types, and leaves the tab open."""
    tab = Tab(url)
    await tab.open()
    for page in PAGES:
        await tab.open_page(page)
    tab.write(TEXT * 20)
    await tab.commit()
    for encoding in ENCODINGS:
        await tab.ids(encoding, tab.text)
    return tab


def megabytes(pid: int) -> float:
    """Returns the memory of a process and of all that it began; what they share is counted once."""
    process = Process(pid)
    return sum(one.memory_full_info().pss for one in [process, *process.children(recursive=True)]) / 2**20


async def main(visitors: int) -> bool:
    with server() as app:
        tabs, first = [await visit(app.url)], megabytes(app.pid)
        print(f"1 visitor: {first:.0f} MB; the limit is {MAX_MEGABYTES[1]}", flush=True)
        tabs += [await visit(app.url) for _ in range(visitors - 1)]
        together = megabytes(app.pid)
        each = (together - first) / max(1, visitors - 1)
        print(f"{visitors} visitors: {together:.0f} MB; the limit for 50 is {MAX_MEGABYTES[50]}; {each:.2f} MB each")
        for tab in tabs:
            await tab.close()
    return first <= MAX_MEGABYTES[1] and (visitors > 50 or together <= MAX_MEGABYTES[50])


if __name__ == "__main__":
    sys.exit(not asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)))
