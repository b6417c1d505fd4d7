"""What visitors cost the server: its memory, and that of the processes it begins, with one visitor and with fifty.

    python benchmarks/visitors.py [visitors]

Each looks at every page, and types in three encodings. At most 512 MB are meant for one, and 1,024 for fifty.
"""

import asyncio
import sys

from _serving import app
from _tab import Tab
from psutil import Process

PAGES = ("", "compare", "decode", "chat", "learn", "why", "train", "hood", "languages", "catalog", "vocabulary")
TEXT = "The same thought costs more in another script. ความคิดเดียวกันมีราคาแพงกว่าในอีกอักษรหนึ่ง\n" * 20
ENCODINGS = ("gpt2", "cl100k_base", "o200k_base")
MOST = {1: 512, 50: 1_024}  # megabytes


async def visit(url: str) -> Tab:
    """Opens a tab, turns to every page, types, and leaves it open."""
    tab = Tab(url)
    await tab.open()
    for page in PAGES:
        await tab.turn(page)
    tab.write(TEXT)
    await tab.tell()
    for encoding in ENCODINGS:
        await tab.ids(encoding, TEXT)
    return tab


def megabytes(pid: int) -> float:
    """The memory of a process and of all that it began; what they share is counted once."""
    process = Process(pid)
    return sum(one.memory_full_info().pss for one in [process, *process.children(recursive=True)]) / 2**20


async def main(visitors: int) -> bool:
    with app() as (url, pid):
        tabs, first = [await visit(url)], megabytes(pid)
        print(f"1 visitor: {first:.0f} MB, at most {MOST[1]} are meant", flush=True)
        for _ in range(visitors - 1):
            tabs.append(await visit(url))
        all_of_them = megabytes(pid)
        each = (all_of_them - first) / max(1, visitors - 1)
        print(f"{visitors} visitors: {all_of_them:.0f} MB, at most {MOST[50]} are meant for 50; {each:.2f} MB each")
        for tab in tabs:
            await tab.close()
    return first <= MOST[1] and (visitors > 50 or all_of_them <= MOST[50])


if __name__ == "__main__":
    sys.exit(not asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)))
