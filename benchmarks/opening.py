"""Measures the time to the first coloured token, compared with an empty page of Streamlit.

    python benchmarks/opening.py

Both servers have just started at first, and have run for a while then. A cold browser opens the page for the first
time, a warm one again. The two servers are measured in turns, so that a slow moment of the machine hits both.
"""

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from _serving import Server, server
from browser import chromium
from playwright.sync_api import Browser, BrowserContext

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


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        empty = Path(folder, "empty.py")
        empty.write_text(EMPTY_APP)
        command = (sys.executable, "-m", "streamlit", "run", str(empty), "--server.port")
        with server() as ours, Server(Path(folder, "log.txt"), command) as other:
            for state in ("just started", "running"):
                print(f"{state}:")
                openings(browser, {"empty": other.url, "ours": ours.url})
                time.sleep(WARMUP_SECONDS)


if __name__ == "__main__":
    main()
