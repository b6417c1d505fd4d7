"""From an address to the first coloured token, beside an empty page of Streamlit; and what turning pages takes.

    python benchmarks/opening.py [characters]

Both servers have just started. Cold is a browser that was never there, warm one that has been. The two take turns, so
that a slow moment of the machine hits both. Then a text of 20,000 characters, or as many as are asked for, stands on
the desk, and each page is opened by the menu, twice: the time from the question to the end of the server's answer.
"""

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from _serving import app
from keys import FILL, WATCH
from playwright.sync_api import Browser, BrowserContext, Page, WebSocket, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.browser import chromium_path
from tests.waiting import awaited
from tokenizer.text.samples import samples

PATIENCE = 120  # seconds
EMPTY = "import streamlit as st\n\nst.html('<p class=first>first</p>')\n"
FIRST = {"empty": "p.first", "ours": ".tokens [data-k], .tokens .t"}
TIMES = 7
# Notes the frame in which a selector finds something, in the page itself: a driver looks every half second.
NOTE = """(selector) => {
  const roots = [document], attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, options);
    roots.push(root);
    return root;
  };
  const look = () => {
    if (roots.some((root) => root.querySelector(selector))) window.firstThere = performance.now();
    else requestAnimationFrame(look);
  };
  look();
}"""


def opened(context: BrowserContext, url: str, first: str) -> float:
    """Milliseconds from the navigation until something is there."""
    page = context.new_page()
    page.add_init_script(f"({NOTE})({json.dumps(first)})")
    page.goto(url, wait_until="commit")
    took = page.wait_for_function("window.firstThere").json_value()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.close()
    return took


def openings(browser: Browser, urls: dict[str, str]) -> None:
    """Prints what opening takes, cold and warm."""
    took = {(name, way): [] for name in urls for way in ("cold", "warm")}
    for _ in range(TIMES):
        for name, url in urls.items():
            with browser.new_context() as context:
                for way in ("cold", "warm", "warm"):
                    took[name, way].append(opened(context, url, FIRST[name]))
    for way in ("cold", "warm"):
        ours, empty = (statistics.median(took[name, way]) for name in ("ours", "empty"))
        print(f"{way}: {ours:5.0f} ms to the first token, {ours / empty:.2f} x an empty page's {empty:.0f} ms")


class Answers:
    """When the server was asked to run a page last, and when it had."""

    def __init__(self, page: Page):
        self.asked = self.done = 0.0
        page.on("websocket", self._watch)

    def _watch(self, socket: WebSocket) -> None:
        if "_stcore" in socket.url:
            socket.on("framesent", self._sent)
            socket.on("framereceived", self._received)

    def _sent(self, data: bytes) -> None:
        if isinstance(data, bytes) and BackMsg.FromString(data).WhichOneof("type") == "rerun_script":
            self.asked = time.perf_counter()

    def _received(self, data: bytes) -> None:
        if ForwardMsg.FromString(data).WhichOneof("type") == "script_finished":
            self.done = time.perf_counter()


def turns(browser: Browser, url: str, size: int) -> None:
    """Prints what each page takes on the server, with a text of each kind on the desk."""
    by_name = {sample.name: sample.text + "\n" for sample in samples()}
    for language in ("English", "Thai"):
        with browser.new_page() as page:
            answers = Answers(page)
            page.goto(url)
            page.locator(".tokens[data-tokens]").wait_for()
            page.evaluate(WATCH)
            text = (by_name[language] * (size // len(by_name[language]) + 1))[:size]
            awaited(page, FILL, text, what=f"{size:,} characters to be drawn", seconds=120)
            page.wait_for_timeout(1500)  # the text is told to the server
            names = page.locator(".st-key-menu a").all_inner_texts()
            for round in ("first", "again"):
                for name in [*names[1:], names[0]]:
                    print(f"{language:8} {size:9,} characters, {round}: {turned(page, answers, name):5.0f} ms  {name}")


def turned(page: Page, answers: Answers, name: str) -> float:
    """Milliseconds on the server from the last question that opening a page asks to the end of the answer."""
    answers.asked = answers.done = 0.0
    page.locator(".st-key-menu").get_by_role("link", name=name, exact=True).click()
    end = time.perf_counter() + PATIENCE
    while answers.done <= answers.asked or not answers.asked:
        assert time.perf_counter() < end, f"{name} was not answered within {PATIENCE} s"
        page.wait_for_timeout(20)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    return 1000 * (answers.done - answers.asked)


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        empty = Path(folder, "empty.py")
        empty.write_text(EMPTY)
        with app() as (ours, _), app(str(empty)) as (other, _):
            browser = playwright.chromium.launch(
                executable_path=chromium_path(), args=["--no-sandbox", "--disable-gpu"]
            )
            openings(browser, {"empty": other, "ours": ours})
            if size:
                turns(browser, ours, size)
            browser.close()


if __name__ == "__main__":
    main()
