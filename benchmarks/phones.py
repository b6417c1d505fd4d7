"""Fifty phones open the Playground with its rank table over a slow line: bytes, memory of a tab, and time of a key.

    python benchmarks/phones.py [phones] [--delay MS]

Each phone is a real tab with a cache of its own. A relay between them and the app delays every byte by half of
--delay in each direction (200 ms by default) and counts bytes. A key is measured as in benchmarks/keys.py, at 2,000
characters, on one phone after the other, while the others stay open; beside it one phone that saves data, so that the
server encodes alone.
"""

import argparse
import asyncio
import statistics
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from _serving import server
from browser import chromium
from keys import WATCH, key_median, sample_of
from playwright.sync_api import Browser, Page, expect
from psutil import NoSuchProcess, Process
from visitors import megabytes

PHONE = {
    "viewport": {"width": 375, "height": 740},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
    "locale": "en-US",
}
CHARACTERS = 2_000
VERIFIED = "verified by the server"


class Relay:
    """Passes bytes on to a server after a delay, in a thread of its own, and counts those that the server sent."""

    def __init__(self, port: int, delay: float):
        self.target, self.delay, self.sent = port, delay, 0
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        listening = asyncio.run_coroutine_threadsafe(asyncio.start_server(self._connect, "127.0.0.1", 0), self._loop)
        self.port = listening.result().sockets[0].getsockname()[1]

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        theirs = await asyncio.open_connection("127.0.0.1", self.target)
        await asyncio.gather(self._pass_on(reader, theirs[1], False), self._pass_on(theirs[0], writer, True))

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_answer: bool) -> None:
        waiting: asyncio.Queue = asyncio.Queue()
        task = asyncio.create_task(self._deliver(waiting, writer))
        try:
            while data := await reader.read(65_536):
                self.sent += len(data) * is_answer
                waiting.put_nowait((self._loop.time() + self.delay, data))
        except ConnectionError:
            pass
        waiting.put_nowait((self._loop.time() + self.delay, b""))
        await task

    async def _deliver(self, waiting: asyncio.Queue, writer: asyncio.StreamWriter) -> None:
        while True:
            due, data = await waiting.get()
            await asyncio.sleep(max(0, due - self._loop.time()))
            if not data:
                return writer.close()
            writer.write(data)


@contextmanager
def phone(browser: Browser, url: str, saves_data: bool = False) -> Iterator[Page]:
    """Opens the Playground on a phone, and waits until it encodes by itself, or has its tokens if it saves data."""
    context = browser.new_context(**PHONE)
    page = context.new_page()
    if saves_data:
        session = context.new_cdp_session(page)
        session.send("Emulation.setDataSaverOverride", {"dataSaverEnabled": True})
    page.goto(url)
    page.locator(".tokens[data-tokens]").wait_for()
    if not saves_data:
        expect(page.locator("p.badge")).to_contain_text(VERIFIED, timeout=60_000)
    page.evaluate(WATCH)
    yield page
    context.close()


def renderers() -> dict[int, float]:
    """Returns the megabytes of each tab's process, by its id; what several share is counted once."""
    found = {}
    for one in Process().children(recursive=True):
        with suppress(NoSuchProcess):  # it has ended
            if "--type=renderer" in one.cmdline():
                found[one.pid] = one.memory_full_info().pss / 2**20
    return found


def main() -> None:
    read = argparse.ArgumentParser()
    read.add_argument("phones", nargs="?", type=int, default=50)
    read.add_argument("--delay", type=int, default=200)
    asked = read.parse_args()
    text = sample_of("English", CHARACTERS)
    with server() as app, chromium() as browser:
        relay = Relay(app.port, asked.delay / 2_000)
        url = f"http://localhost:{relay.port}/"
        for saves_data in (True, False):
            before, known = relay.sent, {*renderers()}
            with phone(browser, url, saves_data) as page:
                sent = relay.sent - before
                _, key = key_median(page, text)
                memory = sum(size for pid, size in renderers().items() if pid not in known)
                way = "saves data, so the server encodes alone" if saves_data else "encodes by itself"
                print(f"a phone that {way}: {sent / 1e6:.2f} MB sent, {memory:.0f} MB of memory, a key {key:.0f} ms")
        before = relay.sent
        with ExitStack() as stack:
            pages = [stack.enter_context(phone(browser, url)) for _ in range(asked.phones)]
            sent = (relay.sent - before) / 1e6
            keys = [key_median(page, text)[1] for page in pages]
            sizes = [*renderers().values()]
            print(
                f"{asked.phones} phones, {asked.delay} ms away: {sent:.1f} MB sent, {sent / asked.phones:.2f} MB each;"
                f" a tab takes {statistics.median(sizes):.0f} MB, {max(sizes):.0f} MB at most; a key takes"
                f" {statistics.median(keys):.0f} ms, {max(keys):.0f} ms at most; the server takes"
                f" {megabytes(app.pid):.0f} MB"
            )


if __name__ == "__main__":
    main()
