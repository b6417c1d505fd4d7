"""Records one key: what the browser does from the key to the frame with its tokens, with times, and the frames.

    python benchmarks/key_frames.py [characters] [--language English] [--delay MS] [--folder FOLDER]

The browser's own trace has the events. --delay is the time of a round trip to the server. Each count on the page must
change at most once, so that none flickers between two values; their values are printed. With --folder, the trace (for
chrome://tracing) and the picture of each frame with its time in milliseconds since the key are written there.
"""

import argparse
import base64
import json
from pathlib import Path

from _serving import server
from browser import chromium
from e2e.desk import RECORD_COUNTS
from keys import FILL, TO_THE_END, WATCH, sample_of
from phones import Relay
from playwright.sync_api import expect
from waiting import awaited

CATEGORIES = [
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "blink.user_timing",
    "disabled-by-default-devtools.screenshot",
]
MARKS = """() => {
  const { area } = window.bench, [view] = [area.getRootNode().querySelector('.tokens')];
  area.addEventListener('keydown', () => performance.mark('the page gets the key'), true);
  area.addEventListener('input', () => performance.mark('the page gets the changed text'), true);
  new MutationObserver((_, observer) => {
    if (Number(view.dataset.chars) !== area.value.length) return;
    performance.mark('the tokens stand in the document');
    observer.disconnect();
  }).observe(view, { attributes: true });
}"""
STEPS = {
    "UpdateLayoutTree": "styles",
    "Layout": "layout",
    "PrePaint": "layout",
    "Paint": "paint",
    "Layerize": "paint",
    "Commit": "the frame is handed over",
    "DrawFrame": "a frame is drawn",
    "Screenshot": "a picture of a frame",
}
REST_MS = 600  # after the key
MIN_STEP_MS = 0.1  # shorter steps are not printed


def main() -> None:
    read = argparse.ArgumentParser()
    read.add_argument("characters", nargs="?", type=int, default=2_000)
    read.add_argument("--language", default="English")
    read.add_argument("--delay", type=int, default=0)
    read.add_argument("--folder", type=Path)
    asked = read.parse_args()
    with server() as app, chromium() as browser, browser.new_page() as page:
        port = Relay(app.port, asked.delay / 2_000).port if asked.delay else app.port
        page.goto(f"http://localhost:{port}/")
        page.locator(".tokens[data-tokens]").wait_for()
        page.evaluate(WATCH)
        text = sample_of(asked.language, asked.characters)
        awaited(page, FILL, text, what="the text to be drawn")
        expect(page.locator("p.badge")).to_contain_text("verified by the server", timeout=60_000)
        page.evaluate(TO_THE_END)
        for i in range(5):  # the code is compiled by then
            page.keyboard.press("a")
            page.wait_for_function(f"bench.took.length > {i}")
        page.wait_for_timeout(REST_MS)
        page.evaluate(MARKS)
        page.evaluate(f"({RECORD_COUNTS})(bench.area)")
        browser.start_tracing(page=page, categories=CATEGORIES)
        page.keyboard.press("a")
        page.wait_for_timeout(REST_MS + asked.delay)
        expect(page.locator("p.badge")).to_contain_text("verified by the server")
        trace = browser.stop_tracing()
        counts = page.evaluate("counts")
    events = sorted(json.loads(trace)["traceEvents"], key=lambda one: one.get("ts", 0))
    begin = next(one["ts"] for one in events if one["name"] == "the page gets the key")
    if asked.folder:
        asked.folder.mkdir(parents=True, exist_ok=True)
        (asked.folder / "trace.json").write_bytes(trace)
    print(f"a key at {asked.characters:,} characters of {asked.language}, in milliseconds since the page gets it")
    drawn = 0
    for event in events:
        since, words = (event.get("ts", 0) - begin) / 1_000, STEPS.get(event["name"])
        if "blink.user_timing" in event["cat"] and event["name"].startswith("the "):
            words = event["name"]
        if words is None or since < 0 or drawn >= 2:
            continue
        if event["name"] == "Screenshot" and asked.folder:
            (asked.folder / f"frame-{since:06.1f}.jpg").write_bytes(base64.b64decode(event["args"]["snapshot"]))
        took = event.get("dur", 0) / 1_000
        if 0 < took < MIN_STEP_MS:
            continue
        print(f"{since:7.1f}  {words}{f', takes {took:.1f}' if took else ''}")
        drawn += words == STEPS["DrawFrame"]
    for name, values in counts.items():
        print(f"{name}: {' → '.join(values)}")
    assert all(len(values) <= 2 for values in counts.values()), "a count changed twice"


if __name__ == "__main__":
    main()
