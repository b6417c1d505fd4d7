"""Measures the time to the first coloured token, compared with an empty page of Streamlit, and to open each page.

    python benchmarks/opening.py [characters]

Both servers have just started at first, and have run for a while then. A cold browser opens the page for the first
time, a warm one again. The two servers are measured in turns, so that a slow moment of the machine hits both. Then each
page is opened twice by the menu, with a text of 20,000 characters or as many as are asked for: the time from the
request to the end of the server's answer.
"""

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from _serving import Server, server
from browser import chromium
from keys import FILL, WATCH, sample_of
from playwright.sync_api import Browser, BrowserContext, Page, WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from waiting import awaited

TIMEOUT_SECONDS = 120
EMPTY_APP = "import streamlit as st\n\nst.html('<p class=first>first</p>')\n"
FIRST_DRAWN = {"empty": "p.first", "ours": ".tokens [data-k], .tokens .t"}
NUM_OPENINGS = 7
WARMUP_SECONDS = 15  # after its start the server loads in the background what visitors will need
# Notes the frame in which a selector first finds something visible; a driver would poll only every half second.
RECORD_PAINT = """(selector) => {
  const roots = [document], attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, options);
    roots.push(root);
    return root;
  };
  const look = () => {
    const isShown = (root) => root.querySelector(selector)?.checkVisibility({ visibilityProperty: true });
    if (roots.some(isShown)) window.firstThere = performance.now();
    else requestAnimationFrame(look);
  };
  look();
}"""


def opened(context: BrowserContext, url: str, first: str) -> float:
    """Returns the milliseconds from the navigation to the first drawn element."""
    page = context.new_page()
    page.add_init_script(f"({RECORD_PAINT})({json.dumps(first)})")
    page.goto(url, wait_until="commit")
    took = page.wait_for_function("window.firstThere").json_value()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.close()
    return took


def openings(browser: Browser, urls: dict[str, str]) -> None:
    """Prints the time that opening takes, cold and warm."""
    took = {(name, way): [] for name in urls for way in ("cold", "warm")}
    for _ in range(NUM_OPENINGS):
        for name, url in urls.items():
            with browser.new_context() as context:
                for way in ("cold", "warm", "warm"):
                    took[name, way].append(opened(context, url, FIRST_DRAWN[name]))
    for way in ("cold", "warm"):
        ours, empty = (statistics.median(took[name, way]) for name in ("ours", "empty"))
        print(f"{way}: {ours:5.0f} ms to the first token, {ours / empty:.2f} x an empty page's {empty:.0f} ms")


class Answers:
    """The time of the last request to run a page, and of the end of that run."""

    def __init__(self, page: Page):
        self.asked_at = self.answered_at = 0.0
        page.on("websocket", self._watch)

    def _watch(self, socket: WebSocket) -> None:
        if "_stcore" in socket.url:
            socket.on("framesent", self._sent)
            socket.on("framereceived", self._received)

    def _sent(self, data: bytes) -> None:
        if isinstance(data, bytes) and BackMsg.FromString(data).WhichOneof("type") == "rerun_script":
            self.asked_at = time.perf_counter()

    def _received(self, data: bytes) -> None:
        if ForwardMsg.FromString(data).WhichOneof("type") == "script_finished":
            self.answered_at = time.perf_counter()


def turns(browser: Browser, url: str, size: int) -> None:
    """Prints the time of each page on the server, with a text of each kind."""
    for language in ("English", "Thai"):
        with browser.new_page() as page:
            answers = Answers(page)
            page.goto(url)
            page.locator(".tokens[data-tokens]").wait_for()
            page.evaluate(WATCH)
            awaited(page, FILL, sample_of(language, size), what=f"{size:,} characters to be drawn", seconds=120)
            page.wait_for_timeout(1500)  # until the text is committed
            page.get_by_role("button", name="More", exact=True).click()
            names = [*page.locator(".st-key-menu a, .st-key-menu_more a strong").all_inner_texts()]
            page.keyboard.press("Escape")
            for round in ("first", "again"):
                for name in [*names[1:], names[0]]:
                    print(f"{language:8} {size:9,} characters, {round}: {turned(page, answers, name):5.0f} ms  {name}")


def turned(page: Page, answers: Answers, name: str) -> float:
    """Returns the milliseconds from the last rerun that opening a page asks for to the end of that run."""
    answers.asked_at = answers.answered_at = 0.0
    link = page.locator(".st-key-menu").get_by_role("link", name=name, exact=True)
    if not link.count():
        page.get_by_role("button", name="More", exact=True).click()
        link = page.locator(".st-key-menu_more a", has_text=name)
    link.click()
    end = time.perf_counter() + TIMEOUT_SECONDS
    while answers.answered_at <= answers.asked_at or not answers.asked_at:
        assert time.perf_counter() < end, f"{name} was not answered within {TIMEOUT_SECONDS} s"
        page.wait_for_timeout(20)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    return 1000 * (answers.answered_at - answers.asked_at)


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        empty = Path(folder, "empty.py")
        empty.write_text(EMPTY_APP)
        command = (sys.executable, "-m", "streamlit", "run", str(empty), "--server.port")
        with server() as ours, Server(Path(folder, "log.txt"), command) as other:
            for state in ("just started", "running"):
                print(f"{state}:")
                openings(browser, {"empty": other.url, "ours": ours.url})
                time.sleep(WARMUP_SECONDS)
            if size:
                turns(browser, ours.url, size)


if __name__ == "__main__":
    main()
